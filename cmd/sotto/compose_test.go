package main

import (
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"sotto/cmd/internal/cli"
	"sotto/config"
)

const composeFolder = "../../helm/deploy/compose"

// composeFile is the part of the compose file that the tests look at. They need no Docker.
type composeFile struct {
	Services map[string]composeService
	Volumes  map[string]any
}

type composeService struct {
	Image       string
	Command     []string
	Environment map[string]string
	Volumes     []string
	Ports       []string
	DependsOn   any `yaml:"depends_on"`
	Healthcheck struct{ Test []string }
}

func readCompose(t *testing.T) (c composeFile) {
	t.Helper()
	readYAML(t, filepath.Join(composeFolder, "compose.yaml"), &c)
	return c
}

func readYAML(t *testing.T, file string, into any) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err == nil {
		err = yaml.Unmarshal(data, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// mounts are the files and folders of the repository in the service's container, by their paths
// there.
func (s composeService) mounts() map[string]string {
	files := map[string]string{}
	for _, v := range s.Volumes {
		if parts := strings.Split(v, ":"); strings.HasPrefix(parts[0], ".") {
			files[parts[1]] = filepath.Join(composeFolder, parts[0])
		}
	}
	return files
}

// listens are the ports on which a service listens.
func (s composeService) listens(t *testing.T) (ports []string) {
	t.Helper()
	if s.Image == "sotto-stream" {
		set, err := config.Load(nil)
		if err != nil {
			t.Fatal(err)
		}
		return []string{strings.TrimPrefix(set.HTTPAddr, ":")}
	}
	name, _, _ := strings.Cut(s.Image, ":")
	switch path.Base(name) {
	case "kafka":
		for _, l := range regexp.MustCompile(`:(\d+)`).FindAllStringSubmatch(s.Environment["KAFKA_LISTENERS"], -1) {
			ports = append(ports, l[1])
		}
	case "karapace":
		ports = []string{s.Environment["KARAPACE_PORT"]}
	case "prometheus":
		ports = []string{"9090"}
	case "grafana":
		ports = []string{"3000"}
	}
	return ports
}

func TestComposeRunsCommandsThatExist(t *testing.T) {
	ours := 0
	for name, s := range readCompose(t).Services {
		if s.Image != "sotto-stream" {
			continue
		}
		ours++
		environ := map[string]string{}
		for k, v := range s.Environment {
			environ[k] = v
		}
		environ["SOTTO_STATE_KEY_FILE"] = keyFile(t)
		if o := sotto(t, environ, "", "config", "--check"); o.code != cli.Done {
			t.Errorf("%s: %s", name, o.errors)
		}
		commands := [][]string{s.Command}
		if test := s.Healthcheck.Test; len(test) > 0 {
			if !slices.Equal(test[:2], []string{"CMD", "/sotto"}) {
				t.Fatalf("%s: the image has no shell, and the check is %v", name, test)
			}
			commands = append(commands, test[2:])
		}
		for _, c := range commands {
			if o := sotto(t, nil, "", append(slices.Clone(c), "--help")...); o.code != cli.Done {
				t.Errorf("%s: %v: %s", name, c, o.errors)
			}
		}
	}
	if ours != 3 {
		t.Errorf("%d services run the image", ours)
	}
}

func TestComposeServicesFindEachOther(t *testing.T) {
	file := readCompose(t)
	address := regexp.MustCompile(`(?:^|[/@,])([a-z][a-z-]*):(\d+)`)
	reach := func(from, host, port string) {
		t.Helper()
		if to, ok := file.Services[host]; !ok || !slices.Contains(to.listens(t), port) {
			t.Errorf("%s connects to %s:%s, where nothing listens", from, host, port)
		}
	}
	for name, s := range file.Services {
		if image, tag, _ := strings.Cut(s.Image, ":"); image != "sotto-stream" && (tag == "" || tag == "latest") {
			t.Errorf("%s: %s has no version", name, s.Image)
		}
		for _, value := range s.Environment {
			for _, m := range address.FindAllStringSubmatch(value, -1) {
				if m[1] != "localhost" {
					reach(name, m[1], m[2])
				}
			}
		}
		for _, p := range s.Ports {
			parts := strings.Split(p, ":")
			if parts[0] != "127.0.0.1" || !slices.Contains(s.listens(t), parts[2]) {
				t.Errorf("%s publishes %s", name, p)
			}
		}
		switch on := s.DependsOn.(type) {
		case []any:
			for _, to := range on {
				if _, ok := file.Services[to.(string)]; !ok {
					t.Errorf("%s depends on %s", name, to)
				}
			}
		case map[string]any:
			for to, how := range on {
				other, ok := file.Services[to]
				if healthy := how.(map[string]any)["condition"] == "service_healthy"; !ok || healthy && len(other.Healthcheck.Test) == 0 {
					t.Errorf("%s depends on %s: %v", name, to, how)
				}
			}
		}
		for _, v := range s.Volumes {
			from, _, _ := strings.Cut(v, ":")
			if _, named := file.Volumes[from]; !named && !strings.HasPrefix(from, ".") {
				t.Errorf("%s: volume %s is not declared", name, from)
			}
		}
		for _, from := range s.mounts() {
			if _, err := os.Stat(from); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// Grafana finds Prometheus and the dashboard, and Prometheus the alerts and our processes.
func TestComposeShowsTheDashboardWithData(t *testing.T) {
	file := readCompose(t)
	grafana, prometheus := file.Services["grafana"].mounts(), file.Services["prometheus"].mounts()

	var sources struct {
		Datasources []struct{ Type, URL string }
	}
	readYAML(t, grafana["/etc/grafana/provisioning/datasources/sotto.yaml"], &sources)
	if len(sources.Datasources) != 1 || sources.Datasources[0].Type != "prometheus" {
		t.Fatalf("%+v", sources)
	}
	to, err := url.Parse(sources.Datasources[0].URL)
	if err != nil || !slices.Contains(file.Services[to.Hostname()].listens(t), to.Port()) {
		t.Errorf("Grafana asks %s", to)
	}

	var dashboards struct {
		Providers []struct{ Options struct{ Path string } }
	}
	readYAML(t, grafana["/etc/grafana/provisioning/dashboards/sotto.yaml"], &dashboards)
	home := file.Services["grafana"].Environment["GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH"]
	if len(dashboards.Providers) != 1 || path.Dir(home) != dashboards.Providers[0].Options.Path || !strings.HasSuffix(grafana[home], "dashboard.json") {
		t.Errorf("the first page is %s, which is %q; dashboards are in %+v", home, grafana[home], dashboards)
	}

	const conf = "/etc/prometheus/prometheus.yml"
	var scrape struct {
		RuleFiles     []string `yaml:"rule_files"`
		ScrapeConfigs []struct {
			StaticConfigs []struct {
				Targets []string
				Labels  map[string]string
			} `yaml:"static_configs"`
		} `yaml:"scrape_configs"`
	}
	readYAML(t, prometheus[conf], &scrape)
	for _, rules := range scrape.RuleFiles {
		if _, ok := prometheus[path.Join(path.Dir(conf), rules)]; !ok {
			t.Errorf("%s is not mounted", rules)
		}
	}
	var scraped []string
	for _, s := range scrape.ScrapeConfigs[0].StaticConfigs {
		for _, target := range s.Targets {
			host, port, _ := strings.Cut(target, ":")
			if !slices.Contains(file.Services[host].listens(t), port) || s.Labels["namespace"] == "" {
				t.Errorf("Prometheus scrapes %s with the labels %v", target, s.Labels)
			}
			scraped = append(scraped, host)
		}
	}
	slices.Sort(scraped)
	if !slices.Equal(scraped, []string{"canary", "sotto"}) {
		t.Errorf("Prometheus scrapes %v", scraped)
	}
}
