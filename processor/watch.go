package processor

import (
	"errors"

	"sotto/internal/boundedfile"
	"sotto/state"
)

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

// watched are the files that are loaded again when they change. If they cannot be loaded, the old ones stay in
// force.
func (p *Processor) watched() []boundedfile.Watched {
	return []boundedfile.Watched{
		{Name: "dictionaries", Paths: []string{p.settings.DictionaryDir}, Load: p.loadEngine},
		{Name: "keys", Paths: []string{p.settings.StateKeyFile}, Load: p.loadKeys},
	}
}

func (p *Processor) reloaded(name string, err error) {
	p.metrics.Reloaded(name, err)
	switch {
	case err != nil:
		p.log.Error("cannot reload the "+name+"; the old ones stay in force", "err", err)
	case name == "keys":
		p.log.Info("state keys reloaded", "key_versions", p.keys.Load().Versions())
		p.resumeStopped()
	}
}
