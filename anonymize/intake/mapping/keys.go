package mapping

import (
	"errors"
	"slices"
)

// Keys says of which call a record is before it is written to a topic: its key must be the ID of its call. It is safe for
// concurrent use.
type Keys struct {
	mapping *Mapping // nil for Sotto's own events
	where   path
}

var (
	errNoKey       = errors.New("the messages of this format do not have the ID of their call where the mapping looks for it: say where it is, or in which header")
	errNeedlessKey = errors.New("the mapping says where the ID of the call is")
	errHeaders     = errors.New("the mapping reads headers, and those of a request are not written: take the ID of the call from the key, and nothing else from a header")
)

// NewKeys returns the keys of a mapping, nil for Sotto's own events. where is a path of the language of mappings to the ID of the
// call in messages whose mapping takes the key of the record for it, and "" for all others. Only that path may name a header, since
// whoever reads the record finds none.
func NewKeys(m *Mapping, where string) (*Keys, error) {
	keyed := m != nil && slices.ContainsFunc(m.rules, func(r rule) bool {
		return slices.ContainsFunc(r.call, func(r route) bool { return r.from == fromKey })
	})
	switch {
	case keyed && where == "":
		return nil, errNoKey
	case !keyed && where != "":
		return nil, errNeedlessKey
	case m != nil && m.readsHeaders():
		return nil, errHeaders
	}
	found, err := parsePath(where)
	return &Keys{m, found}, err
}

// readsHeaders reports whether a path of the mapping is a header.
func (m *Mapping) readsHeaders() bool {
	all := append([]path{m.unwrap}, m.messages...)
	for _, r := range m.rules {
		for _, c := range r.when {
			for _, t := range c {
				all = append(all, path{t.route})
			}
		}
		all = append(all, r.id...)
		all = append(all, r.call, r.seq, r.text, r.lexical, r.speaker, r.name, r.role, r.channel, r.start, r.end, r.duration, r.time, r.language, r.tenant, r.context)
		if w := r.words; w != nil {
			all = append(all, w.list, w.text, w.speaker, w.start, w.end)
		}
	}
	return slices.ContainsFunc(all, func(p path) bool { return slices.ContainsFunc(p, func(r route) bool { return r.from == fromHeader }) })
}

// Of returns the ID that whoever reads the record with this key takes for that of its call: of its first event, which may be
// Sotto's own. It is "" if it has none.
func (k *Keys) Of(rec Record) (id string) {
	defer func() {
		if recover() != nil { // whoever reads the record will say that it is damaged
			id = ""
		}
	}()
	s := &source{record: rec}
	if k.mapping != nil {
		s.form = k.mapping.file.Form
	}
	if s.decode() != "" {
		return ""
	}
	if k.mapping == nil {
		return s.own()
	}
	found := k.find(s)
	s.record.Key = []byte(found)
	messages := k.mapping.messagesOf(s)
	if i := slices.IndexFunc(messages, func(m Message) bool { return m.Event != nil }); i >= 0 {
		return messages[i].Event.CallID
	}
	if id := s.own(); id != "" && messages[0].MayBeOwn {
		return id
	}
	return found
}

// own returns the ID of a call where Sotto's own events have it.
func (s *source) own() string {
	return scope{s, s.tree, s.tree}.text(path{{steps: []string{"call_id"}}})
}

// find returns the first text to which the path to the ID leads.
func (k *Keys) find(s *source) string {
	if k.where == nil {
		return ""
	}
	for _, root := range s.roots(nil, s.tree, k.mapping.unwrap, 0) {
		for _, where := range k.mapping.messages {
			for _, message := range (scope{s, root, root}).all(where) {
				if id := (scope{s, root, message}).text(k.where); id != "" {
					return id
				}
			}
		}
	}
	return ""
}
