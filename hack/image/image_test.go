package main

import (
	"archive/tar"
	"crypto/x509"
	"encoding/json"
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

func TestBillOfMaterials(t *testing.T) {
	const module = "golang.org/x/crypto/x509roots/fallback"
	// The test's own binary links what it tests.
	data, err := billOfMaterials(os.Args[0], "v1", map[string][]string{module: {"BSD-3-Clause", "public domain"}, goModule: {"BSD-3-Clause"}})
	if err != nil {
		t.Fatal(err)
	}
	var bom struct{ Components []component }
	if err := json.Unmarshal(data, &bom); err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(bom.Components, func(c component) bool { return c.Name == module })
	if i < 0 {
		t.Fatalf("a module is missing in:\n%s", data)
	}
	c := bom.Components[i]
	if c.PURL != "pkg:golang/"+module+"@"+c.Version || len(c.Hashes) != 1 || c.Hashes[0].Algorithm != "SHA-256" || len(c.Hashes[0].Content) != 64 {
		t.Errorf("%+v", c)
	}
	if len(c.Licences) != 2 || c.Licences[0].License.ID != "BSD-3-Clause" || c.Licences[1].License.Name != "public domain" {
		t.Errorf("licences: %+v", c.Licences)
	}
}

// Every part of the bill of materials has a licence.
func TestLicencesAreFoundByModule(t *testing.T) {
	if testing.Short() {
		t.Skip("runs hack/licences")
	}
	t.Chdir("../..")
	all, err := licencesByModule()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{goModule, "github.com/twmb/franz-go", "github.com/spf13/cobra"} {
		if len(all[name]) == 0 || all[name][0] == "" {
			t.Errorf("%s has no licence", name)
		}
	}
	if len(all) < 40 {
		t.Errorf("only %d modules", len(all))
	}
}

// The chart says where the code is; the Dockerfile repeats it.
func TestTheImageSaysWhereItsCodeIs(t *testing.T) {
	source, err := sourceURL("../../helm/sotto/Chart.yaml")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("../../deploy/Dockerfile")
	if err != nil || !strings.Contains(string(text), "org.opencontainers.image.source="+source+" ") {
		t.Errorf("deploy/Dockerfile does not name %s (%v)", source, err)
	}
}
