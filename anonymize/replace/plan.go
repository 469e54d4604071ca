package replace

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"sotto/state/linking"
)

// Config says how to replace. The zero value replaces all by numbered tags.
type Config struct {
	Choice Choice
	// Independent makes Entity choose afresh for each mention, as the lemma of
	// the paper needs it. Otherwise the same entity of a call has the same
	// surrogate, so that the text reads naturally, and the lemma does not apply.
	Independent bool
	// Probability is the share of findings that are replaced; the others stay
	// as they were said. 0 means 1. Less than 1 needs RiskAccepted.
	Probability  float64
	RiskAccepted bool
	// Neutral draws first names that both women and men have, and leaves out the titles that reveal
	// the sex.
	Neutral bool
	// Tables are drawn from for the infoTypes that they hold, instead of the
	// built-in lists.
	Tables *Tables
	// Key is what the draws are keyed by; at least 16 bytes where surrogates or
	// a Probability under 1 are asked for.
	Key []byte
}

// Plan replaces. It is immutable and safe for concurrent use, and what it
// writes depends on its configuration and its arguments alone.
type Plan struct {
	config Config
	// name is that of the choice.
	name  string
	draws bool
}

// Mention is one finding to replace.
type Mention struct {
	// Type is the infoType of the entity and N its number in the call, 0 if it
	// has none.
	Type string
	N    int
	// Text is the finding as it stands in the raw text, and Before is what stands there before it: a
	// title tells the part of a name.
	Text, Before string
	// Full is the longest form of a name that is known in the call, in lower
	// case, and Part what is known of Text's part in it.
	Full string
	Part linking.Part
	// First is the form of a name under which the call knew the person first, in lower case. It
	// decides the gender of the surrogate, so that it must not change.
	First string
	// Taken reports whether a word in lower case belongs to the name of somebody of the call, so that it must not
	// stand for anybody; nil if nobody is known. For an entity, it must not change.
	Taken func(word string) bool
	// Said counts the characters of the value that were given in earlier turns.
	Said int
	// Seq and Pos are the places of the event in the call and of the finding in
	// the event; a pair must not be used for two findings.
	Seq int64
	Pos int
}

// New makes a plan. The error says what is wrong with the configuration.
func New(c Config) (*Plan, error) {
	c.Probability = cmp.Or(c.Probability, 1)
	draws := c.Probability < 1 || c.Choice.surrogates()
	switch {
	case !(c.Probability > 0 && c.Probability <= 1):
		return nil, errors.New("the replacement probability must be over 0 and at most 1")
	case c.Probability < 1 && !c.RiskAccepted:
		return nil, errors.New("a replacement probability under 1 leaves personal information in the output, and that was not accepted")
	case draws && len(c.Key) < 16:
		return nil, errors.New("surrogates need a key of at least 16 bytes")
	}
	return &Plan{c, c.Choice.String(), draws}, nil
}

// With returns the plan with another choice.
func (p *Plan) With(c Choice) (*Plan, error) {
	config := p.config
	config.Choice = c
	return New(config)
}

// Name is the strategy in events.
func (p *Plan) Name() string { return p.name }

// Draws reports whether the plan needs the seed of a call.
func (p *Plan) Draws() bool { return p.draws }

// Seed is what the draws of a call are keyed by. It derives from the deployment's key.
func (p *Plan) Seed(callID string) Seed {
	m := hmac.New(sha256.New, p.config.Key)
	m.Write([]byte("sotto replace v1\x00" + callID))
	return Seed(m.Sum(nil))
}

// Numbered reports whether mentions of one entity show that they are: by their
// numbers, or by the same surrogate. Otherwise the number of an entity must not
// be shown, since it reveals what the text does not.
func (p *Plan) Numbered(infoType string) bool {
	switch p.config.Choice.Of(infoType) {
	case TypedNumbered:
		return true
	case Entity:
		return !p.config.Independent && p.renders(infoType)
	}
	return false
}

// Digest is a hash of everything that decides what is written, except the key and the built-in lists,
// which package ruledata records.
func (p *Plan) Digest() [sha256.Size]byte {
	h := sha256.New()
	fmt.Fprintf(h, "%s\n%t %v %t\n", p.config.Choice, p.config.Independent, p.config.Probability, p.config.Neutral)
	if p.config.Tables != nil {
		fmt.Fprintf(h, "%x\n", p.config.Tables.digest)
	}
	return [sha256.Size]byte(h.Sum(nil))
}

// Append appends to dst what replaces a mention. seed is that of the call; it
// may be nil if the plan does not draw.
func (p *Plan) Append(dst []byte, seed *Seed, m *Mention) []byte {
	if p.config.Probability < 1 && !p.replaces(seed, m) {
		return append(dst, m.Text...)
	}
	s := p.config.Choice.Of(m.Type)
	switch s {
	case TypedNumbered:
		return appendTag(dst, m.Type, m.N)
	case Typed:
		return appendTag(dst, m.Type, 0)
	case Redact:
		return append(dst, RedactMark...)
	}
	own := *m // what follows keeps it on the heap, which tags need not pay for
	return p.appendSurrogate(dst, s, seed, &own)
}

// appendSurrogate appends the surrogate of a mention, or a tag if there is none.
func (p *Plan) appendSurrogate(dst []byte, s Strategy, seed *Seed, m *Mention) []byte {
	c := p.chooser(s, seed, m)
	start := len(dst)
	dst, ok := p.render(s, c, dst, m)
	for ok && c.entity > 0 && !c.fixed && strings.EqualFold(string(dst[start:]), m.Text) {
		// A coherent surrogate is never the original.
		if c.again++; c.again > 8 {
			ok = false
			break
		}
		dst, ok = p.render(s, c, dst[:start], m)
	}
	if ok {
		dst, ok = withoutLostCommas(dst, start, m.Text)
	}
	if !ok {
		return appendTag(dst[:start], m.Type, 0)
	}
	return dst
}

func (p *Plan) replaces(seed *Seed, m *Mention) bool {
	var s stream
	newStream(&s, seed, mentionName(forKeeping, m))
	return s.unit() < p.config.Probability
}

func (p *Plan) chooser(s Strategy, seed *Seed, m *Mention) *chooser {
	switch {
	case s == Named:
		return &chooser{seed: &Seed{}, fixed: true, entity: 1, name: append(append([]byte{byClass}, m.Type...), 0)}
	case s == Word || p.config.Independent:
		return &chooser{seed: seed, name: mentionName(byMention, m)}
	}
	c := coherent(seed, m)
	c.taken = m.Taken
	return c
}

// render renders a surrogate. If there is none, ok is false and what was appended does not count.
func (p *Plan) render(s Strategy, c *chooser, dst []byte, m *Mention) (_ []byte, ok bool) {
	if r, ok := rules[m.Type]; ok {
		return r.render(p, c, dst, m)
	}
	pl := p.pool(m.Type)
	switch {
	case pl == nil:
		return dst, false
	case s == Word:
		return renderWords(pl.words, c, dst, m)
	case pl.values == nil:
		return renderName(p, c, dst, m)
	}
	return renderValue(pl, c, dst, m)
}

func (p *Plan) renders(infoType string) bool { return byRule(infoType) || p.pool(infoType) != nil }

// pool returns what the surrogates of an infoType are drawn from, nil for
// nothing.
func (p *Plan) pool(infoType string) *pool {
	if p.config.Tables != nil {
		if pl := p.config.Tables.pools[infoType]; pl != nil {
			return pl
		}
	}
	if infoType == "PERSON_NAME" && p.config.Neutral {
		return builtIn().neutral
	}
	return builtIn().pools[infoType]
}

func (p *Plan) names() *pool { return p.pool("PERSON_NAME") }

// appendTag appends [TYPE_n], or [TYPE] when n is 0.
func appendTag(dst []byte, infoType string, n int) []byte {
	dst = append(append(dst, '['), infoType...)
	if n > 0 {
		dst = strconv.AppendInt(append(dst, '_'), int64(n), 10)
	}
	return append(dst, ']')
}
