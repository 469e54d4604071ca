package main

import (
	"bytes"
	"encoding/pem"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// file is one file or folder of the image's root. It belongs to root and
// nobody may write to it.
type file struct {
	path string // a folder ends with a slash
	mode int64
	data []byte
}

// certificates are the public authorities that Mozilla trusts without
// restriction, as PEM.
func certificates() []byte {
	var b bytes.Buffer
	for r := range bundle.Roots() {
		if r.Constraint == nil {
			_ = pem.Encode(&b, &pem.Block{Type: "CERTIFICATE", Bytes: r.Certificate}) // a Buffer takes all
		}
	}
	return b.Bytes()
}

// nonroot is the user of the image, by the number that distroless images have
// given it.
const nonroot = "65532"

func rootFiles(binary, roots []byte) []file {
	return []file{
		{"etc/", 0o755, nil},
		{"etc/group", 0o444, []byte("root:x:0:\nnonroot:x:" + nonroot + ":\n")},
		{"etc/passwd", 0o444, []byte("root:x:0:0:root:/:/sbin/nologin\nnonroot:x:" + nonroot + ":" + nonroot + ":nonroot:/:/sbin/nologin\n")},
		{"etc/ssl/", 0o755, nil},
		{"etc/ssl/certs/", 0o755, nil},
		{"etc/ssl/certs/ca-certificates.crt", 0o444, roots},
		{"sotto", 0o555, binary},
	}
}

// licences are the texts that must accompany the binary.
func licences(root string) ([]file, error) {
	files := []file{{"licenses/", 0o755, nil}}
	for _, name := range []string{"LICENSE", "THIRD_PARTY_NOTICES"} {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			return nil, fmt.Errorf("run this in the root of the repository: %w", err)
		}
		files = append(files, file{"licenses/" + name, 0o444, text})
	}
	return files, nil
}
