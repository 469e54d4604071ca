package kubetest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// errMissing means that a Secret, a ConfigMap or a key does not exist (yet).
var errMissing = errors.New("is missing")

// source reads Secrets and ConfigMaps of one namespace.
type source struct {
	ctx       context.Context
	client    *client
	namespace string
}

// read returns the content of an object, nothing if the object is optional and missing.
func (s source) read(kind, name string, optional bool) (map[string][]byte, error) {
	values := map[string][]byte{}
	var err error
	switch kind {
	case "secrets":
		var secret struct{ Data map[string][]byte }
		err = s.client.Get(s.ctx, "/api/v1/namespaces/"+s.namespace+"/secrets/"+name, &secret)
		maps.Copy(values, secret.Data)
	default:
		var config struct {
			Data       map[string]string
			BinaryData map[string][]byte
		}
		err = s.client.Get(s.ctx, "/api/v1/namespaces/"+s.namespace+"/configmaps/"+name, &config)
		maps.Copy(values, config.BinaryData)
		for k, v := range config.Data {
			values[k] = []byte(v)
		}
	}
	switch {
	case isNotFound(err) && optional:
		return nil, nil
	case isNotFound(err):
		return nil, fmt.Errorf("%s/%s %w", kind, name, errMissing)
	}
	return values, err
}

func (s source) key(kind string, ref *keyRef) (string, bool, error) {
	values, err := s.read(kind, ref.Name, ref.Optional)
	if err != nil {
		return "", false, err
	}
	v, ok := values[ref.Key]
	if !ok && !ref.Optional {
		return "", false, fmt.Errorf("key %s of %s/%s %w", ref.Key, kind, ref.Name, errMissing)
	}
	return string(v), ok, nil
}

// environment returns the environment of a container as Kubernetes builds it: later entries take
// precedence, and $(NAME) stands for an earlier variable.
func environment(p *pod, c *container, ip string, s source) ([]string, error) {
	env := map[string]string{"HOSTNAME": p.Metadata.Name, "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}
	for _, from := range c.EnvFrom {
		for kind, ref := range map[string]*objectRef{"configmaps": from.ConfigMap, "secrets": from.Secret} {
			if ref == nil {
				continue
			}
			values, err := s.read(kind, ref.Name, ref.Optional)
			if err != nil {
				return nil, err
			}
			for k, v := range values {
				env[from.Prefix+k] = string(v)
			}
		}
	}
	for _, v := range c.Env {
		value, ok := expand(v.Value, env), true
		var err error
		switch f := v.ValueFrom; {
		case f == nil:
		case f.Field != nil:
			value, err = field(p, f.Field.Path, ip)
		case f.Resource != nil:
			value, err = resource(c, f.Resource.Resource, f.Resource.Divisor)
		case f.ConfigMap != nil:
			value, ok, err = s.key("configmaps", f.ConfigMap)
		case f.Secret != nil:
			value, ok, err = s.key("secrets", f.Secret)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", v.Name, err)
		}
		if ok {
			env[v.Name] = value
		}
	}
	var all []string
	for _, name := range slices.Sorted(maps.Keys(env)) {
		all = append(all, name+"="+env[name])
	}
	return all, nil
}

// expand replaces $(NAME) by the variable if it is known and keeps it otherwise; $$ is one $.
func expand(s string, env map[string]string) string {
	var b strings.Builder
	for {
		i := strings.IndexByte(s, '$')
		if i < 0 || i+1 == len(s) {
			b.WriteString(s)
			return b.String()
		}
		b.WriteString(s[:i])
		s = s[i:]
		name, rest, closed := strings.Cut(s[2:], ")")
		value, known := env[name]
		switch {
		case s[1] == '$':
			b.WriteByte('$')
			s = s[2:]
		case s[1] == '(' && closed && known:
			b.WriteString(value)
			s = rest
		default:
			b.WriteString(s[:2])
			s = s[2:]
		}
	}
}

// field returns a field of the downward API.
func field(p *pod, path, ip string) (string, error) {
	m := &p.Metadata
	switch path {
	case "metadata.name":
		return m.Name, nil
	case "metadata.namespace":
		return m.Namespace, nil
	case "metadata.uid":
		return m.UID, nil
	case "spec.nodeName":
		return p.Spec.NodeName, nil
	case "spec.serviceAccountName":
		return p.Spec.ServiceAccount, nil
	case "status.podIP":
		return ip, nil
	case "status.hostIP":
		return nodeIP, nil
	}
	for prefix, values := range map[string]map[string]string{"metadata.labels['": m.Labels, "metadata.annotations['": m.Annotations} {
		if key, ok := strings.CutPrefix(path, prefix); ok {
			return values[strings.TrimSuffix(key, "']")], nil
		}
	}
	return "", fmt.Errorf("the test kubelet has no field %s", path)
}

// resource returns a limit or request, divided and rounded up. In Kubernetes, a limit that is not
// set is that of the machine; the chart does not use that.
func resource(c *container, name, divisor string) (string, error) {
	kind, what, _ := strings.Cut(name, ".")
	given := map[string]map[string]string{"limits": c.Resources.Limits, "requests": c.Resources.Requests}[kind][what]
	if given == "" {
		return "", fmt.Errorf("%s is not set", name)
	}
	of, err := quantity(given)
	if err != nil {
		return "", err
	}
	by := 1.0
	if divisor != "" && divisor != "0" {
		if by, err = quantity(divisor); err != nil {
			return "", err
		}
	}
	return strconv.FormatInt(int64(math.Ceil(of/by)), 10), nil
}

var suffixes = map[string]float64{"": 1, "m": 1e-3, "k": 1e3, "M": 1e6, "G": 1e9, "Ki": 1 << 10, "Mi": 1 << 20, "Gi": 1 << 30}

func quantity(s string) (float64, error) {
	number := strings.TrimRight(s, "mkMGKi")
	factor, ok := suffixes[s[len(number):]]
	v, err := strconv.ParseFloat(number, 64)
	if !ok || err != nil {
		return 0, fmt.Errorf("%q is not a quantity", s)
	}
	return v * factor, nil
}
