package kubetest

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestExpansionIsThatOfKubernetes(t *testing.T) {
	env := map[string]string{"POD_NAME": "sotto-0", "EMPTY": ""}
	for in, want := range map[string]string{
		"plain":              "plain",
		"sotto-$(POD_NAME)":  "sotto-sotto-0",
		"$(POD_NAME):9100":   "sotto-0:9100",
		"[$(EMPTY)]":         "[]",
		"$(UNKNOWN)":         "$(UNKNOWN)",
		"$$(POD_NAME)":       "$(POD_NAME)",
		"$(POD_NAME":         "$(POD_NAME",
		"$POD_NAME costs 5$": "$POD_NAME costs 5$",
		"$(A$(POD_NAME)":     "$(Asotto-0",
	} {
		if got := expand(in, env); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
}

func TestResourcesAreDividedAndRoundedUp(t *testing.T) {
	c := &container{}
	c.Resources.Limits = map[string]string{"cpu": "1500m", "memory": "1Gi"}
	for _, x := range []struct{ name, divisor, want string }{
		{"limits.cpu", "1", "2"}, {"limits.cpu", "1m", "1500"}, {"limits.cpu", "0", "2"},
		{"limits.memory", "1Mi", "1024"}, {"limits.memory", "", "1073741824"},
	} {
		if got, err := resource(c, x.name, x.divisor); err != nil || got != x.want {
			t.Errorf("%s by %q is %q (%v), want %s", x.name, x.divisor, got, err, x.want)
		}
	}
	if _, err := resource(c, "requests.cpu", "1"); err == nil {
		t.Error("there is a request that the pod does not make")
	}
}

// api is an API server that has a few objects.
func api(t *testing.T, objects map[string]string) source {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		object, ok := objects[strings.TrimPrefix(r.URL.Path, "/api/v1/namespaces/calls/")]
		if !ok {
			http.Error(w, `{"message": "no such object"}`, http.StatusNotFound)
			return
		}
		_, _ = w.Write([]byte(object))
	}))
	t.Cleanup(s.Close)
	return source{t.Context(), &client{base: s.URL, http: s.Client()}, "calls"}
}

func TestEnvironment(t *testing.T) {
	s := api(t, map[string]string{
		"secrets/key":     `{"data": {"state.key": "bGluZQ=="}}`,
		"configmaps/more": `{"data": {"TZ": "UTC", "LEVEL": "low"}}`,
	})
	var p pod
	if err := json.Unmarshal([]byte(`{"metadata": {"name": "sotto-0", "labels": {"a/b": "c"}}, "spec": {"nodeName": "node-1", "containers": [{
		"envFrom": [{"configMapRef": {"name": "more"}}, {"secretRef": {"name": "none", "optional": true}}],
		"env": [
			{"name": "POD_NAME", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
			{"name": "ID", "value": "$(POD_NAME)-$(LATER)"},
			{"name": "LATER", "value": "x"},
			{"name": "LEVEL", "value": "high"},
			{"name": "IP", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}},
			{"name": "LABEL", "valueFrom": {"fieldRef": {"fieldPath": "metadata.labels['a/b']"}}},
			{"name": "KEY", "valueFrom": {"secretKeyRef": {"name": "key", "key": "state.key"}}},
			{"name": "NONE", "valueFrom": {"secretKeyRef": {"name": "key", "key": "other", "optional": true}}}
		]}]}}`), &p); err != nil {
		t.Fatal(err)
	}
	got, err := environment(&p, &p.Spec.Containers[0], "127.77.0.2", s)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"HOSTNAME=sotto-0", "ID=sotto-0-$(LATER)", "LEVEL=high", "TZ=UTC", "IP=127.77.0.2", "LABEL=c", "KEY=line"} {
		if !slices.Contains(got, want) {
			t.Errorf("there is no %s in %q", want, got)
		}
	}
	if strings.Contains(strings.Join(got, " "), "NONE") {
		t.Errorf("an optional variable that is missing is set: %q", got)
	}
	p.Spec.Containers[0].Env[7].ValueFrom.Secret.Optional = false
	if _, err := environment(&p, &p.Spec.Containers[0], "", s); err == nil {
		t.Error("a missing key is not an error")
	}
}

func TestVolumesFollowTheirSources(t *testing.T) {
	objects := map[string]string{
		"configmaps/words": `{"data": {"policy.yaml": "a", "old.txt": "b"}}`,
		"secrets/key":      `{"data": {"state.key": "bGluZQ=="}}`,
	}
	s := api(t, objects)
	var v volume
	if err := json.Unmarshal([]byte(`{"name": "v", "projected": {"sources": [{"configMap": {"name": "words"}}, {"secret": {"name": "key"}}]}}`), &v); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "v")
	mount := func() {
		t.Helper()
		files, err := s.contents(&v)
		if err != nil {
			t.Fatal(err)
		}
		if err := project(dir, files); err != nil {
			t.Fatal(err)
		}
	}
	check := func(name, want string) {
		t.Helper()
		if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != want {
			t.Errorf("%s holds %q (%v), want %q", name, got, err, want)
		}
	}
	mount()
	check("policy.yaml", "a")
	check("old.txt", "b")
	check("state.key", "line")
	before, _ := os.Readlink(filepath.Join(dir, dataLink))
	mount()
	if after, _ := os.Readlink(filepath.Join(dir, dataLink)); after != before {
		t.Error("files that have not changed were written again")
	}

	objects["configmaps/words"] = `{"data": {"policy.yaml": "changed", "new.txt": "c"}}`
	mount()
	check("policy.yaml", "changed")
	check("new.txt", "c")
	check("state.key", "line")
	if names := userVisible(dir); len(names) != 3 {
		t.Errorf("the volume holds %q", names)
	}
	delete(objects, "secrets/key")
	if _, err := s.contents(&v); err == nil {
		t.Error("a missing secret is not an error")
	}
}

func TestProbesDecideByTheirThresholds(t *testing.T) {
	healthy := true
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if !healthy {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	defer s.Close()
	u, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	number, _ := strconv.Atoi(u.Port())
	var spec probe
	if err := json.Unmarshal([]byte(`{"httpGet": {"path": "/readyz", "port": "http"}, "periodSeconds": 5, "timeoutSeconds": 1,
		"successThreshold": 1, "failureThreshold": 2}`), &spec); err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	p, err := newProber(&spec, &container{Ports: []port{{"http", number}}}, u.Hostname(), now)
	if err != nil {
		t.Fatal(err)
	}
	ask := func(after time.Duration, want verdict) {
		t.Helper()
		if got := p.ask(context.Background(), now.Add(after)); got != want {
			t.Errorf("after %v: %v, want %v", after, got, want)
		}
	}
	ask(0, passes)
	healthy = false
	ask(2*time.Second, undecided) // too soon
	ask(5*time.Second, undecided) // once is not enough
	ask(10*time.Second, fails)
	healthy = true
	ask(15*time.Second, passes)
	if _, err := newProber(&spec, &container{}, "", now); err == nil {
		t.Error("a port without a name is found")
	}
}

func TestPodsThatCannotBeRunFaithfullyAreRefused(t *testing.T) {
	good := `{"spec": {"securityContext": {"runAsUser": 1}, "containers": [{"securityContext": {"readOnlyRootFilesystem": true}}]}}`
	for name, spec := range map[string]string{
		"two containers":   strings.Replace(good, `"containers": [`, `"containers": [{}, `, 1),
		"init containers":  strings.Replace(good, `"containers"`, `"initContainers": [{}], "containers"`, 1),
		"a writable root":  strings.Replace(good, "true", "false", 1),
		"no user":          strings.Replace(good, `"runAsUser": 1`, "", 1),
		"a host path":      strings.Replace(good, `"containers"`, `"volumes": [{"name": "v", "hostPath": {"path": "/"}}], "containers"`, 1),
		"a sub path":       strings.Replace(good, `[{"sec`, `[{"volumeMounts": [{"name": "v", "subPath": "x"}], "sec`, 1),
		"a probe by shell": strings.Replace(good, `[{"sec`, `[{"livenessProbe": {"exec": {}}, "sec`, 1),
	} {
		var p pod
		if err := json.Unmarshal([]byte(spec), &p); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if p.unsupported() == nil {
			t.Errorf("%s: the pod is accepted", name)
		}
	}
	var p pod
	if err := json.Unmarshal([]byte(good), &p); err != nil {
		t.Fatal(err)
	}
	if err := p.unsupported(); err != nil {
		t.Error(err)
	}
}
