package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/x509"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func fake(t *testing.T, binary string) (folder, digest string) {
	t.Helper()
	folder = filepath.Join(t.TempDir(), "image")
	l := newLayout()
	for _, p := range []string{"linux/amd64", "linux/arm64"} {
		if err := l.add(p, rootFiles([]byte(binary+p), certificates()), build{version: "v1", commit: "c"}); err != nil {
			t.Fatal(err)
		}
	}
	digest, err := l.write(folder)
	if err != nil {
		t.Fatal(err)
	}
	return folder, digest
}

func TestTheSameFilesMakeTheSameImage(t *testing.T) {
	_, one := fake(t, "binary")
	_, two := fake(t, "binary")
	_, other := fake(t, "another")
	if one != two || one == other {
		t.Errorf("digests %s, %s and, of another binary, %s", one, two, other)
	}
}

func TestCertificates(t *testing.T) {
	if pool := x509.NewCertPool(); !pool.AppendCertsFromPEM(certificates()) {
		t.Error("they cannot be read")
	}
}

// blob follows a descriptor and checks its digest and size on the way.
func blob(t *testing.T, folder string, d descriptor, into any) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(folder, "blobs/sha256", strings.TrimPrefix(d.Digest, "sha256:")))
	if err != nil {
		t.Fatal(err)
	}
	if digestOf(data) != d.Digest || len(data) != d.Size {
		t.Errorf("blob %s is not what its descriptor says", d.Digest)
	}
	if into != nil {
		if err := json.Unmarshal(data, into); err != nil {
			t.Fatal(err)
		}
	}
	return data
}

func TestLayout(t *testing.T) {
	folder, digest := fake(t, "binary")
	type list struct{ Manifests []descriptor }
	top, err := os.ReadFile(filepath.Join(folder, "index.json"))
	if err != nil {
		t.Fatal(err)
	}
	var outer, index list
	if err := json.Unmarshal(top, &outer); err != nil || len(outer.Manifests) != 1 || outer.Manifests[0].Digest != digest {
		t.Fatalf("index.json: %v", err)
	}
	blob(t, folder, outer.Manifests[0], &index)
	if len(index.Manifests) != 2 || index.Manifests[1].Platform.Architecture != "arm64" {
		t.Fatalf("platforms: %+v", index.Manifests)
	}
	var manifest struct {
		Config descriptor
		Layers []descriptor
	}
	blob(t, folder, index.Manifests[0], &manifest)
	var config struct {
		Config struct {
			User       string
			Entrypoint []string
		}
		RootFS struct {
			DiffIDs []string `json:"diff_ids"`
		}
	}
	blob(t, folder, manifest.Config, &config)
	if config.Config.User != "65532:65532" || config.Config.Entrypoint[0] != "/sotto" {
		t.Errorf("config: %+v", config)
	}
	z, err := gzip.NewReader(bytes.NewReader(blob(t, folder, manifest.Layers[0], nil)))
	if err != nil {
		t.Fatal(err)
	}
	archive, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	if digestOf(archive) != config.RootFS.DiffIDs[0] {
		t.Error("the layer is not what the configuration says")
	}
	r := tar.NewReader(bytes.NewReader(archive))
	names := ""
	for {
		h, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		names += h.Name + " "
		if h.Mode&0o222 != 0 && h.Typeflag != tar.TypeDir || h.Uid != 0 || h.ModTime.Unix() != 0 {
			t.Errorf("%s may be written to, or is not root's, or has a time", h.Name)
		}
	}
	if names != "etc/ etc/group etc/passwd etc/ssl/ etc/ssl/certs/ etc/ssl/certs/ca-certificates.crt sotto " {
		t.Errorf("files: %s", names)
	}
}

func TestBillOfMaterials(t *testing.T) {
	// The test's own binary links what it tests.
	data, err := billOfMaterials(os.Args[0], "v1")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(data, []byte("pkg:golang/golang.org/x/crypto/x509roots/fallback@")) {
		t.Errorf("a module is missing in:\n%s", data)
	}
}
