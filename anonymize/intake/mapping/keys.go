package mapping

import (
	"errors"
	"slices"
)

// Keys says of which call a record is before it is written to a topic: its key must be the ID of its call. It is safe for
// concurrent use.
type Keys struct {
	mapping *Mapping
	where   path
}

var (
	errNoKey       = errors.New("the messages of this format do not have the ID of their call where the mapping looks for it: say where it is, or in which header")
	errNeedlessKey = errors.New("the mapping says where the ID of the call is")
)

// NewKeys returns the keys of a mapping, nil for Sotto's own events. where is a path of the language of mappings to the ID of the
// call in messages whose mapping takes the key of the record for it, and "" for all others.
func NewKeys(m *Mapping, where string) (*Keys, error) {
	k := &Keys{mapping: m}
	if m == nil {
		k.mapping, k.where = &Mapping{messages: []path{{route{}}}}, path{{steps: []string{"call_id"}}}
		if where != "" {
			return nil, errNeedlessKey
		}
		return k, nil
	}
	keyed := slices.ContainsFunc(m.rules, func(r rule) bool {
		return slices.ContainsFunc(r.call, func(r route) bool { return r.from == fromKey })
	})
	switch {
	case keyed && where == "":
		return nil, errNoKey
	case !keyed && where != "":
		return nil, errNeedlessKey
	}
	var err error
	k.where, err = parsePath(where)
	return k, err
}

// Of returns the ID of the call of the first message that has one, "" if none has.
func (k *Keys) Of(rec Record) (id string) {
	defer func() {
		if recover() != nil { // whoever reads the record will say that it is damaged
			id = ""
		}
	}()
	if k.where == nil {
		for _, m := range k.mapping.Read(rec) {
			if m.Event != nil {
				return m.Event.CallID
			}
		}
		return ""
	}
	s := &source{record: rec, form: k.mapping.file.Form}
	if s.decode() != "" {
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
