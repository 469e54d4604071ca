package kubetest

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// dataLink is the link through which the files of a volume are read. When the source changes, it is
// pointed to a new folder, so that all files change at once.
const dataLink = "..data"

// contents are the files of a volume.
func (s source) contents(v *volume) (map[string][]byte, error) {
	files := map[string][]byte{}
	add := func(kind string, ref *objectRef) error {
		if ref == nil {
			return nil
		}
		name := ref.Name
		if name == "" {
			name = ref.SecretName
		}
		values, err := s.read(kind, name, ref.Optional)
		if err != nil {
			return err
		}
		if len(ref.Items) == 0 {
			maps.Copy(files, values)
		}
		for _, item := range ref.Items {
			value, ok := values[item.Key]
			if !ok {
				return fmt.Errorf("key %s of %s/%s %w", item.Key, kind, name, errMissing)
			}
			files[item.Path] = value
		}
		return nil
	}
	errs := []error{add("configmaps", v.ConfigMap), add("secrets", v.Secret)}
	if v.Projected != nil {
		for _, from := range v.Projected.Sources {
			errs = append(errs, add("configmaps", from.ConfigMap), add("secrets", from.Secret))
		}
	}
	return files, errors.Join(errs...)
}

// project writes the files of a volume into dir, as the kubelet does, unless they are already
// there.
func project(dir string, files map[string][]byte) error {
	if holds(dir, files) {
		return nil
	}
	// In a real pod, other users read it by its group.
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	fresh, err := os.MkdirTemp(dir, "..")
	if err != nil {
		return err
	}
	if err := os.Chmod(fresh, 0o755); err != nil {
		return err
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(fresh, name), data, 0o440); err != nil {
			return err
		}
		link := filepath.Join(dir, name)
		if _, err := os.Lstat(link); err == nil {
			continue
		}
		if err := os.Symlink(filepath.Join(dataLink, name), link); err != nil {
			return err
		}
	}
	old, _ := os.Readlink(filepath.Join(dir, dataLink))
	next := filepath.Join(dir, "..data_tmp")
	if err := os.Symlink(filepath.Base(fresh), next); err != nil {
		return err
	}
	if err := os.Rename(next, filepath.Join(dir, dataLink)); err != nil {
		return err
	}
	for _, link := range userVisible(dir) {
		if _, still := files[link]; !still {
			if err := os.Remove(filepath.Join(dir, link)); err != nil {
				return err
			}
		}
	}
	if old != "" {
		return os.RemoveAll(filepath.Join(dir, old))
	}
	return nil
}

func userVisible(dir string) (names []string) {
	links, _ := filepath.Glob(filepath.Join(dir, "*"))
	for _, l := range links {
		if name := filepath.Base(l); len(name) < 2 || name[:2] != ".." {
			names = append(names, name)
		}
	}
	return names
}

func holds(dir string, files map[string][]byte) bool {
	if _, err := os.Lstat(filepath.Join(dir, dataLink)); err != nil {
		return false
	}
	names := userVisible(dir)
	if len(names) != len(files) {
		return false
	}
	return !slices.ContainsFunc(names, func(name string) bool {
		got, err := os.ReadFile(filepath.Join(dir, name))
		want, ok := files[name]
		return err != nil || !ok || !bytes.Equal(got, want)
	})
}
