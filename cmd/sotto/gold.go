package main

import (
	"errors"
	"io/fs"

	"sotto/corpus/calls"
	"sotto/corpus/gold"
)

// readGold reads the labelled conversations of a file in either format.
func readGold(path string) ([]gold.Conversation, error) {
	conversations, err := calls.ReadFile(path)
	if missing := (*fs.PathError)(nil); errors.As(err, &missing) {
		return nil, usageError("%v; name files of labelled conversations", err)
	}
	return conversations, err
}
