// Command image builds a container image without a daemon: an OCI layout
// with the binary, the certificates of public authorities, the licences, and users that are not
// root. There is no shell in it. The same source gives the same bytes: nothing
// in it comes from the machine, and every time is 1970.
//
//	go run ./hack/image -o bin/image -version v1.2.3 -commit 0123abc
//
// 'skopeo copy oci:bin/image docker://...' and 'crane push' take the layout.
package main

import (
	"bytes"
	"encoding/pem"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"golang.org/x/crypto/x509roots/fallback/bundle"
)

func main() {
	program := flag.String("program", "sotto-stream", "command to build in: sotto-stream, or sotto for all of them")
	out := flag.String("o", "bin/image", "folder of the OCI layout; what is there is replaced")
	version := flag.String("version", "unknown", "version to build in")
	commit := flag.String("commit", "unknown", "commit to build in")
	platforms := flag.String("platforms", "linux/amd64,linux/arm64", "platforms, separated by commas")
	sbom := flag.String("sbom", "", "file for a bill of materials of the first platform, in the form of CycloneDX")
	fips := flag.Bool("fips", false, "use the validated cryptographic module of Go (FIPS 140-3)")
	flag.Parse()
	b := build{program: *program, version: *version, commit: *commit, sbom: *sbom, fips: *fips}
	var err error
	if b.source, err = sourceURL("helm/sotto/Chart.yaml"); err == nil {
		err = run(*out, strings.Split(*platforms, ","), b)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "image:", err)
		os.Exit(1)
	}
}

type build struct {
	program         string // the folder in cmd
	version, commit string
	source          string // where the code is
	sbom            string // the file for it, or ""
	fips            bool
}

const sbomTool = "github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@v1.9.0"

func (b build) writeSBOM(binary string) error {
	if err := os.MkdirAll(filepath.Dir(b.sbom), 0o755); err != nil {
		return err
	}
	cmd := exec.Command("go", "run", sbomTool, "bin", "-json", "-std", "-licenses", "-version", b.version, "-output", b.sbom, binary)
	cmd.Stderr = os.Stderr
	return cmd.Run()
}

func sourceURL(chart string) (string, error) {
	text, err := os.ReadFile(chart)
	if err != nil {
		return "", err
	}
	var c struct{ Home string }
	if err := yaml.Unmarshal(text, &c); err != nil {
		return "", fmt.Errorf("%s: %w", chart, err)
	}
	if c.Home == "" {
		return "", fmt.Errorf("%s has no home", chart)
	}
	return c.Home, nil
}

func (b build) binary(platform, file string) error {
	system, arch, ok := strings.Cut(platform, "/")
	if !ok {
		return fmt.Errorf("%q is no platform such as linux/amd64", platform)
	}
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false",
		"-ldflags", fmt.Sprintf("-s -w -buildid= -X sotto/cmd/internal/cli.buildVersion=%s -X sotto/cmd/internal/cli.buildCommit=%s", b.version, b.commit),
		"-o", file, "./cmd/"+b.program)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+arch, "GOFLAGS=", "GOAMD64=v1", "GOARM64=v8.0")
	if b.fips {
		cmd.Env = append(cmd.Env, "GOFIPS140=v1.0.0")
	}
	cmd.Stderr = os.Stderr
	return cmd.Run()
}

func run(out string, platforms []string, b build) error {
	work, err := os.MkdirTemp("", "sotto-image")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	roots := certificates()
	texts, err := licences(".")
	if err != nil {
		return err
	}
	index := newIndex()
	for i, p := range platforms {
		file := filepath.Join(work, "sotto")
		if err := b.binary(p, file); err != nil {
			return fmt.Errorf("building for %s: %w", p, err)
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		files := slices.Concat(rootFiles(data, roots), texts)
		if index, err = add(index, p, files, b); err != nil {
			return err
		}
		if i == 0 && b.sbom != "" {
			if err := b.writeSBOM(file); err != nil {
				return fmt.Errorf("listing what is in the binary: %w", err)
			}
		}
	}
	digest, err := write(index, out)
	if err != nil {
		return err
	}
	fmt.Println(digest)
	return nil
}

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
