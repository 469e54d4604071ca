package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

var epoch = time.Unix(0, 0).UTC()

func image(platform v1.Platform, files []file, b build) (v1.Image, error) {
	archive, err := layer(files)
	if err != nil {
		return nil, err
	}
	open := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(archive)), nil }
	content, err := tarball.LayerFromOpener(open, tarball.WithCompressionLevel(gzip.BestCompression), tarball.WithMediaType(types.OCILayer))
	if err != nil {
		return nil, err
	}
	img := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	img, err = mutate.Append(img, mutate.Addendum{Layer: content, History: v1.History{Created: v1.Time{Time: epoch}, CreatedBy: "hack/image"}})
	if err != nil {
		return nil, err
	}
	config, err := img.ConfigFile()
	if err != nil {
		return nil, err
	}
	config = config.DeepCopy()
	config.OS, config.Architecture = platform.OS, platform.Architecture
	config.Created = v1.Time{Time: epoch}
	config.Config = v1.Config{
		User: nonroot + ":" + nonroot, Entrypoint: []string{"/sotto"}, Cmd: []string{"run"}, WorkingDir: "/",
		Env:          []string{"SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt"},
		ExposedPorts: map[string]struct{}{"9100/tcp": {}}, Labels: b.labels(),
	}
	img, err = mutate.ConfigFile(img, config)
	if err != nil {
		return nil, err
	}
	return mutate.Annotations(img, b.labels()).(v1.Image), nil
}

func (b build) labels() map[string]string {
	return map[string]string{
		"org.opencontainers.image.title":         b.program,
		"org.opencontainers.image.description":   "Anonymizes call transcripts as they stream through Kafka",
		"org.opencontainers.image.version":       b.version,
		"org.opencontainers.image.revision":      b.commit,
		"org.opencontainers.image.licenses":      "Apache-2.0",
		"org.opencontainers.image.source":        b.source,
		"org.opencontainers.image.documentation": b.source + "/tree/main/docs",
	}
}

func layer(files []file) ([]byte, error) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, f := range files {
		h := &tar.Header{Name: f.path, Mode: f.mode, Size: int64(len(f.data)), ModTime: epoch, Typeflag: tar.TypeReg, Format: tar.FormatUSTAR}
		if strings.HasSuffix(f.path, "/") {
			h.Typeflag = tar.TypeDir
		}
		if err := w.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.data); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return b.Bytes(), err
}

func add(index v1.ImageIndex, platform string, files []file, b build) (v1.ImageIndex, error) {
	p, err := v1.ParsePlatform(platform)
	if err != nil {
		return nil, err
	}
	img, err := image(*p, files, b)
	if err != nil {
		return nil, err
	}
	return mutate.AppendManifests(index, mutate.IndexAddendum{Add: img, Descriptor: v1.Descriptor{Platform: p}}), nil
}

func newIndex() v1.ImageIndex { return mutate.IndexMediaType(empty.Index, types.OCIImageIndex) }

// write puts the image into a folder as an OCI layout and returns the digest under which a registry
// will have it.
func write(index v1.ImageIndex, folder string) (string, error) {
	if err := os.RemoveAll(folder); err != nil {
		return "", err
	}
	path, err := layout.Write(folder, empty.Index)
	if err != nil {
		return "", err
	}
	if err := path.AppendIndex(index); err != nil {
		return "", err
	}
	digest, err := index.Digest()
	return digest.String(), err
}
