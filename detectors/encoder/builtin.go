//go:build !js

package encoder

import (
	_ "embed"
	"sync"

	"sotto/internal/ruledata"
)

//go:embed encoder.model
var modelFile []byte

var packed = ruledata.Bytes("detectors/encoder/encoder.model", modelFile)

// builtin is the model that is part of the program. If it does not load, the build is broken, and nothing may start.
var builtin = sync.OnceValue(func() *Model {
	m, err := Load(packed)
	if err != nil {
		panic("embedded encoder: " + err.Error())
	}
	return m
})

// Builtin returns the model that is part of the program; nil in a browser, for which it is too large.
func Builtin() *Model { return builtin() }
