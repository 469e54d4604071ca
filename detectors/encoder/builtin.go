//go:build !js

package encoder

import (
	_ "embed"
	"sync"

	"sotto/internal/ruledata"
)

//go:embed encoder.model
var modelFile []byte

//go:embed roles.model
var rolesFile []byte

var (
	packed      = ruledata.Bytes("detectors/encoder/encoder.model", modelFile)
	packedRoles = ruledata.Bytes("detectors/encoder/roles.model", rolesFile)
)

// builtin is the model that is part of the program. If it does not load, the build is broken, and nothing may start.
var builtin = sync.OnceValue(func() *Model {
	m, err := Load(packed)
	if err == nil {
		m, err = m.WithRoles(packedRoles)
	}
	if err != nil {
		panic("embedded encoder: " + err.Error())
	}
	return m
})

// Builtin returns the model that is part of the program; nil in a browser, for which it is too large.
func Builtin() *Model { return builtin() }
