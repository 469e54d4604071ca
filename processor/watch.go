package processor

import (
	"context"
	"crypto/sha256"
	"errors"
	"time"

	"sotto/internal/boundedfile"
	"sotto/state"
)

// fingerprints identify the contents of the files that watch reloads.
type fingerprints struct{ dictionaries, keys [sha256.Size]byte }

// fingerprints must be called before the files are loaded, so that a change during the load is
// noticed.
func (p *Processor) fingerprints() fingerprints {
	return fingerprints{boundedfile.Fingerprint(p.settings.DictionaryDir), boundedfile.Fingerprint(p.settings.StateKeyFile)}
}

// loadEngine builds the engine with the current dictionaries and puts it in force.
func (p *Processor) loadEngine() error {
	e, err := p.settings.NewEngine()
	if err != nil {
		return err
	}
	box := &engineBox{e}
	if p.wrap != nil {
		box.engine = p.wrap(e)
	}
	if old := p.engine.Swap(box); old != nil && old.Policy() != e.Policy() {
		p.log.Info("policy changed", "policy", e.Policy(), "before", old.Policy())
	}
	p.metrics.SetPolicy(e.Policy())
	return nil
}

// loadKeys reads the state keys and puts them in force.
func (p *Processor) loadKeys() error {
	k, err := p.settings.StateKeys()
	if err != nil {
		return err
	}
	p.keys.Store(k)
	return nil
}

// errKeysRead ends a session so that the next one restores its partitions with the keys that were read
// again.
var errKeysRead = errors.New("the state keys were read again")

// resumeStopped starts the sessions again that have stopped a partition because its key was missing.
func (p *Processor) resumeStopped() {
	for _, s := range p.running() {
		if s.health.StoppedBy(state.ErrUnknownKey, state.ErrNotAuthentic) {
			s.fail(errKeysRead)
		}
	}
}

// watch reloads dictionaries and keys when their files change. If they cannot be
// loaded, it reports that and the old ones stay in force.
func (p *Processor) watch(ctx context.Context) {
	tick := time.NewTicker(p.settings.Reload)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		before := p.watched
		p.watched = p.fingerprints()
		if p.watched.dictionaries != before.dictionaries {
			err := p.loadEngine()
			p.metrics.Reloaded("dictionaries", err)
			if err != nil {
				p.log.Error("cannot reload the dictionaries; the old ones stay in force", "err", err)
			}
		}
		if p.watched.keys != before.keys {
			err := p.loadKeys()
			p.metrics.Reloaded("keys", err)
			if err != nil {
				p.log.Error("cannot reload the state keys; the old ones stay in force", "err", err)
			} else {
				p.log.Info("state keys reloaded", "key_versions", p.keys.Load().Versions())
				p.resumeStopped()
			}
		}
	}
}
