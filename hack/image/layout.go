package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Media types of the OCI image specification 1.1.
const (
	typeLayer    = "application/vnd.oci.image.layer.v1.tar+gzip"
	typeConfig   = "application/vnd.oci.image.config.v1+json"
	typeManifest = "application/vnd.oci.image.manifest.v1+json"
	typeIndex    = "application/vnd.oci.image.index.v1+json"
)

type descriptor struct {
	MediaType string    `json:"mediaType"`
	Digest    string    `json:"digest"`
	Size      int       `json:"size"`
	Platform  *platform `json:"platform,omitempty"`
}

type platform struct {
	Architecture string `json:"architecture"`
	OS           string `json:"os"`
}

// layout is an OCI image layout in the making.
type layout struct {
	blobs     map[string][]byte // by digest
	manifests []descriptor
}

func newLayout() *layout { return &layout{blobs: map[string][]byte{}} }

func digestOf(data []byte) string {
	sum := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(sum[:])
}

func (l *layout) blob(mediaType string, data []byte) descriptor {
	d := digestOf(data)
	l.blobs[d] = data
	return descriptor{MediaType: mediaType, Digest: d, Size: len(data)}
}

func (l *layout) json(mediaType string, v any) (descriptor, error) {
	data, err := json.Marshal(v)
	return l.blob(mediaType, data), err
}

// add makes the image of one platform.
func (l *layout) add(name string, files []file, b build) error {
	system, arch, _ := strings.Cut(name, "/")
	archive, err := layer(files)
	if err != nil {
		return err
	}
	var packed bytes.Buffer
	z, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := z.Write(archive); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	labels := map[string]string{
		"org.opencontainers.image.title":    "sotto",
		"org.opencontainers.image.version":  b.version,
		"org.opencontainers.image.revision": b.commit,
	}
	config, err := l.json(typeConfig, map[string]any{
		"architecture": arch, "os": system, "created": "1970-01-01T00:00:00Z",
		"config": map[string]any{
			"User": nonroot + ":" + nonroot, "Entrypoint": []string{"/sotto"}, "Cmd": []string{"run"},
			"Env":          []string{"SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt"},
			"ExposedPorts": map[string]any{"9100/tcp": map[string]any{}}, "WorkingDir": "/", "Labels": labels,
		},
		"rootfs":  map[string]any{"type": "layers", "diff_ids": []string{digestOf(archive)}},
		"history": []any{map[string]any{"created": "1970-01-01T00:00:00Z", "created_by": "hack/image"}},
	})
	if err != nil {
		return err
	}
	manifest, err := l.json(typeManifest, map[string]any{
		"schemaVersion": 2, "mediaType": typeManifest, "config": config,
		"layers": []descriptor{l.blob(typeLayer, packed.Bytes())}, "annotations": labels,
	})
	manifest.Platform = &platform{arch, system}
	l.manifests = append(l.manifests, manifest)
	return err
}

func layer(files []file) ([]byte, error) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, f := range files {
		h := &tar.Header{Name: f.path, Mode: f.mode, Size: int64(len(f.data)), ModTime: time.Unix(0, 0), Typeflag: tar.TypeReg, Format: tar.FormatUSTAR}
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

// write puts the layout into a folder and returns the digest under which a
// registry will have the image.
func (l *layout) write(folder string) (string, error) {
	index, err := l.json(typeIndex, map[string]any{"schemaVersion": 2, "mediaType": typeIndex, "manifests": l.manifests})
	if err != nil {
		return "", err
	}
	top, err := json.Marshal(map[string]any{"schemaVersion": 2, "mediaType": typeIndex, "manifests": []descriptor{index}})
	if err != nil {
		return "", err
	}
	if err := os.RemoveAll(folder); err != nil {
		return "", err
	}
	blobs := filepath.Join(folder, "blobs", "sha256")
	if err := os.MkdirAll(blobs, 0o755); err != nil {
		return "", err
	}
	for d, data := range l.blobs {
		if err := os.WriteFile(filepath.Join(blobs, strings.TrimPrefix(d, "sha256:")), data, 0o644); err != nil {
			return "", err
		}
	}
	if err := os.WriteFile(filepath.Join(folder, "index.json"), top, 0o644); err != nil {
		return "", err
	}
	return index.Digest, os.WriteFile(filepath.Join(folder, "oci-layout"), []byte(`{"imageLayoutVersion":"1.0.0"}`), 0o644)
}
