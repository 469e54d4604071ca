package reread

import (
	_ "embed"
	"sync"

	"sotto/detectors/ner/internal/network"
	"sotto/internal/ruledata"
)

//go:embed model.bin
var modelFile []byte

var packed = ruledata.Bytes("detectors/ner/reread/model.bin", modelFile)

// Builtin returns the network that is part of the program. If it does not load, the build is broken, and
// nothing may start.
var Builtin = sync.OnceValue(func() *network.Network {
	n, err := network.Decode(packed, tableSizes[:])
	if err != nil {
		panic("embedded network of the second reading: " + err.Error())
	}
	return n
})
