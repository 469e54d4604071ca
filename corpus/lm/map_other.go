//go:build !unix

package lm

import "os"

// mapFile reads a file, where files are not mapped.
func mapFile(path string) (data []byte, unmap func() error, err error) {
	data, err = os.ReadFile(path)
	return data, func() error { return nil }, err
}
