package demo

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"github.com/twmb/franz-go/pkg/kfake"

	"sotto/config"
	"sotto/config/kafka"
	"sotto/processor"
)

const partitions = 4

// world is everything that the demo creates for the processor: a broker in this
// process, its topics and a state key.
type world struct {
	cluster  *kfake.Cluster
	dir      string
	settings config.Settings
}

// newWorld uses the settings in environ, except for those of Kafka and the state
// key.
func newWorld(ctx context.Context, environ map[string]string) (w *world, err error) {
	w = &world{}
	if w.cluster, err = kfake.NewCluster(kfake.NumBrokers(1)); err != nil {
		return nil, fmt.Errorf("the embedded broker does not start: %w", err)
	}
	defer func() {
		if err != nil {
			w.close()
		}
	}()
	if w.dir, err = os.MkdirTemp("", "sotto-demo-"); err != nil {
		return w, err
	}
	keyFile := filepath.Join(w.dir, "state.key")
	secret := make([]byte, 32)
	rand.Read(secret)
	if err := os.WriteFile(keyFile, []byte(base64.StdEncoding.EncodeToString(secret)+"\n"), 0o600); err != nil {
		return w, err
	}
	if w.settings, err = config.Load(demoEnviron(environ, w.cluster.ListenAddrs(), keyFile)); err == nil {
		err = kafka.CheckFiles(&w.settings)
	}
	if err != nil {
		return w, &SettingsError{err}
	}
	plan := processor.TopicPlan{Partitions: partitions, Replication: 1}
	return w, processor.EnsureTopics(ctx, w.settings, plan, processor.CreateTopics, func(string) {})
}

// SettingsError is an error in the settings that the demo was given.
type SettingsError struct{ error }

// demoEnviron overrides the settings of a real deployment. It requests raw
// offsets, because the demo shows what was masked in the raw text.
func demoEnviron(environ map[string]string, brokers []string, keyFile string) map[string]string {
	env := map[string]string{}
	maps.Copy(env, environ)
	maps.DeleteFunc(env, func(name, _ string) bool {
		return strings.HasPrefix(name, config.EnvPrefix+"KAFKA_") || strings.HasPrefix(name, config.EnvPrefix+"SCHEMA_REGISTRY_")
	})
	env[config.EnvPrefix+"KAFKA_BROKERS"], env[config.EnvPrefix+"STATE_KEY_FILE"] = strings.Join(brokers, ","), keyFile
	env[config.EnvPrefix+"CALL_ID"], env[config.EnvPrefix+"RAW_OFFSETS"] = "keep", "true"
	// The view is updated once per transaction.
	if env[config.EnvPrefix+"COMMIT_INTERVAL"] == "" {
		env[config.EnvPrefix+"COMMIT_INTERVAL"] = "100ms"
	}
	return env
}

func (w *world) close() {
	w.cluster.Close()
	if w.dir != "" {
		_ = os.RemoveAll(w.dir)
	}
}
