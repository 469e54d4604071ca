package main

import (
	"archive/tar"
	"crypto/x509"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/validate"
)

func fake(t *testing.T, binary string) (folder, digest string) {
	t.Helper()
	texts, err := licences("../..")
	if err != nil {
		t.Fatal(err)
	}
	folder = filepath.Join(t.TempDir(), "image")
	index := newIndex()
	for _, p := range []string{"linux/amd64", "linux/arm64"} {
		files := slices.Concat(rootFiles([]byte(binary+p), certificates()), texts)
		if index, err = add(index, p, files, build{program: "sotto", version: "v1", commit: "c", source: "https://example.org/sotto"}); err != nil {
			t.Fatal(err)
		}
	}
	digest, err = write(index, folder)
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

func TestLayout(t *testing.T) {
	folder, digest := fake(t, "binary")
	top, err := layout.ImageIndexFromPath(folder)
	if err != nil {
		t.Fatal(err)
	}
	if err := validate.Index(top); err != nil {
		t.Error(err)
	}
	outer, err := top.IndexManifest()
	if err != nil || len(outer.Manifests) != 1 || outer.Manifests[0].Digest.String() != digest {
		t.Fatalf("index.json: %+v, %v", outer, err)
	}
	index, err := top.ImageIndex(outer.Manifests[0].Digest)
	if err != nil {
		t.Fatal(err)
	}
	list, err := index.IndexManifest()
	if err != nil || len(list.Manifests) != 2 {
		t.Fatalf("platforms: %+v, %v", list, err)
	}
	for i, want := range []string{"linux/amd64", "linux/arm64"} {
		if got := list.Manifests[i].Platform.String(); got != want {
			t.Errorf("platform %s, want %s", got, want)
		}
	}
	img, err := index.Image(list.Manifests[1].Digest)
	if err != nil {
		t.Fatal(err)
	}
	config, err := img.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	if config.Config.User != "65532:65532" || config.Config.Entrypoint[0] != "/sotto" || config.Architecture != "arm64" ||
		config.Config.Labels["org.opencontainers.image.version"] != "v1" || config.Config.Labels["org.opencontainers.image.source"] != "https://example.org/sotto" || config.Created.Unix() != 0 {
		t.Errorf("config: %+v", config)
	}
	if manifest, err := img.Manifest(); err != nil || manifest.Annotations["org.opencontainers.image.revision"] != "c" {
		t.Errorf("manifest: %+v, %v", manifest, err)
	}
	checkFiles(t, img)
}

func checkFiles(t *testing.T, img v1.Image) {
	t.Helper()
	layers, err := img.Layers()
	if err != nil || len(layers) != 1 {
		t.Fatalf("%d layers, %v", len(layers), err)
	}
	content, err := layers[0].Uncompressed()
	if err != nil {
		t.Fatal(err)
	}
	defer content.Close()
	r := tar.NewReader(content)
	names := ""
	for {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		names += h.Name + " "
		if h.Mode&0o222 != 0 && h.Typeflag != tar.TypeDir || h.Uid != 0 || h.ModTime.Unix() != 0 {
			t.Errorf("%s is writable, or not owned by root, or has a time", h.Name)
		}
	}
	const want = "etc/ etc/group etc/passwd etc/ssl/ etc/ssl/certs/ etc/ssl/certs/ca-certificates.crt sotto " +
		"licenses/ licenses/LICENSE licenses/THIRD_PARTY_NOTICES "
	if names != want {
		t.Errorf("files: %s", names)
	}
}

// The chart says where the code is; the Dockerfile repeats it.
func TestTheImageSaysWhereItsCodeIs(t *testing.T) {
	source, err := sourceURL("../../helm/sotto/Chart.yaml")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("../../helm/deploy/Dockerfile")
	if err != nil || !strings.Contains(string(text), "org.opencontainers.image.source="+source+" ") {
		t.Errorf("helm/deploy/Dockerfile does not name %s (%v)", source, err)
	}
}
