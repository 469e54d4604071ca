package ner

import (
	_ "embed"
	"sync"

	"sotto/internal/ruledata"
)

//go:embed model.bin
var modelFile []byte

var packed = ruledata.Bytes("detectors/ner/model.bin", modelFile)

// builtin is the model that is part of the program. If it does not load, the build is broken, and
// nothing may start.
var builtin = sync.OnceValue(func() *Model {
	m, err := Decode(packed)
	if err != nil {
		panic("embedded model: " + err.Error())
	}
	return m
})

// Builtin returns the model that is part of the program.
func Builtin() *Model { return builtin() }
