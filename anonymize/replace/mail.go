package replace

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// mailHosts are reserved for examples (RFC 2606).
var mailHosts = []string{"example.com", "example.org", "example.net"}

// speech says how a written value is said.
type speech struct {
	// spoken: words for signs. spelled: the letters one by one.
	spoken, spelled bool
}

func speechOf(text string) speech {
	f := strings.Fields(toLower(text))
	var s speech
	single := 0
	for _, w := range f {
		switch w {
		case "at", "dot", "dash", "underscore", "hyphen", "slash", "point":
			s.spoken = true
		}
		if len(strings.Trim(w, ",.")) == 1 {
			single++
		}
		if _, ok := sayings[w]; ok {
			s.spoken = true
		}
	}
	_, end := spelledFrom(text, 0)
	s.spelled = single >= 2 || end > 0
	s.spoken = s.spoken || s.spelled && len(f) > 1
	return s
}

// saidSigns are the words for the signs of an address.
var saidSigns = [256]string{'@': "at", '.': "dot", '-': "dash", '_': "underscore", '/': "slash", ':': "colon"}

// appendValue writes a value in small letters as it is said. Letters of its
// part before spellTo are spelled when like is.
func (s speech) appendValue(dst []byte, like, value string, spellTo int) []byte {
	if !s.spoken && !s.spelled {
		return appendCased(dst, like, value)
	}
	sep := byte(' ')
	if !s.spoken {
		sep = '-'
	}
	if s.spelled && len(like) > 1 && like[0] <= 'Z' && strings.Trim(like[1:2], " -.,") == "" {
		value = strings.ToUpper(value[:spellTo]) + value[spellTo:]
	}
	wrote, boundary := false, true
	word := func(w string) {
		if wrote {
			dst = append(dst, sep)
		}
		dst = append(dst, w...)
		wrote, boundary = true, true
	}
	for i := 0; i < len(value); i++ {
		switch b := value[i]; {
		case saidSigns[b] != "":
			word(saidSigns[b])
		case '0' <= b && b <= '9':
			word(units[b-'0'])
		case s.spelled && i < spellTo && isLetter(b):
			word(string(b))
		case boundary:
			word(string(b))
			boundary = false
		default:
			dst = append(dst, b)
		}
	}
	return dst
}

// renderMail makes an address at a host that is reserved for examples, with the parts that
// the original has: before the sign, after it, or both.
func renderMail(p *Plan, c *chooser, dst []byte, m *Mention) ([]byte, bool) {
	like := m.Text
	before, _, whole := strings.Cut(like, "@")
	if !whole {
		if i := strings.LastIndex(toLower(like), " at "); i >= 0 {
			before, whole = like[:i], true
		}
	}
	host := mailHosts[c.number("host", uint64(len(mailHosts)))]
	if !whole {
		low := toLower(like)
		if strings.Contains(low, ".") || strings.Contains(low, " dot ") {
			return speechOf(like).appendValue(dst, like, host, 0), true
		}
		return renderUser(p, c, dst, m)
	}
	local := p.local(c, before)
	value := local + "@" + host
	sp := speechOf(like)
	sp.spelled = speechOf(before).spelled
	return sp.appendValue(dst, like, value, len(local)), true
}

func renderUser(p *Plan, c *chooser, dst []byte, m *Mention) ([]byte, bool) {
	if m.Text == "" {
		return dst, false
	}
	if m.Text[0] == '@' {
		dst = append(dst, '@')
	}
	value := p.local(c, m.Text)
	return speechOf(m.Text).appendValue(dst, strings.TrimPrefix(m.Text, "@"), value, len(value)), true
}

// local makes the part before the @: names that are separated as in like, and as many
// digits, at most four.
func (p *Plan) local(c *chooser, like string) string {
	names := p.names()
	given := nameLetters(c.pick(names.given, "given", ""))
	low := toLower(like)
	value := given
	for _, sep := range []struct{ sign, word string }{{".", " dot "}, {"_", " underscore "}, {"-", " dash "}} {
		if strings.Contains(low, sep.word) || strings.Contains(strings.Trim(low, ".- "), sep.sign) && !speechOf(like).spelled {
			value = given + sep.sign + nameLetters(c.pick(names.surname, "surname", ""))
			break
		}
	}
	if digits := min(bytes.Count(classes(shape(like)), []byte{digit}), 4); digits > 0 {
		n := strconv.FormatUint(10000+c.number("digits", 10000), 10)
		value += n[len(n)-digits:]
	}
	return value
}

// nameLetters are the letters of a name as an address has them.
func nameLetters(s string) string {
	return string(slices.DeleteFunc(appendLetters(nil, s), func(b byte) bool { return b >= 0x80 }))
}

func renderSpelled(p *Plan, c *chooser, dst []byte, m *Mention) ([]byte, bool) {
	us := unitsOf(m.Text)
	if len(us) == 0 {
		return dst, false
	}
	for _, u := range us {
		if u.kind == unitSpelled {
			dst = appendSpelled(dst, m.Text[u.start:u.end], c.pick(p.names().words, "word", u.letters))
			return append(dst, safeEnd(m.Text[us[len(us)-1].end:])...), true
		}
	}
	// Letters by the names of their words, or something else that is spelled.
	return renderCode("code", plain, c, dst, m.Text)
}

// renderURL makes an address under .example with the scheme, the "www" and the
// path that the original has.
func renderURL(_ *Plan, c *chooser, dst []byte, m *Mention) ([]byte, bool) {
	low := toLower(m.Text)
	value := ""
	for _, scheme := range []string{"https://", "http://", "ftp://"} {
		if strings.HasPrefix(low, scheme) {
			value = scheme
			low = low[len(scheme):]
		}
	}
	if strings.HasPrefix(low, "www") {
		value += "www."
	}
	value += hostWords[c.number("host", uint64(len(hostWords)))] + ".example"
	if i := strings.IndexByte(low, '/'); i >= 0 && i+1 < len(low) || strings.Contains(low, " slash ") {
		value += "/" + string(characters(c, "path", []byte("llllll")))
	}
	return speechOf(m.Text).appendValue(dst, m.Text, value, 0), true
}

// renderIP makes an address of the ranges for documentation (RFC 5737, RFC
// 3849).
func renderIP(_ *Plan, c *chooser, dst []byte, m *Mention) ([]byte, bool) {
	host := 1 + c.number("host", 254)
	var value string
	if strings.Count(m.Text, ":") > 1 {
		value = "2001:db8::" + strconv.FormatUint(host, 16)
	} else {
		nets := []string{"192.0.2.", "198.51.100.", "203.0.113."}
		value = nets[c.number("net", 3)] + strconv.FormatUint(host, 10)
	}
	return speechOf(m.Text).appendValue(dst, m.Text, value, 0), true
}

// renderMAC makes an address of the range for documentation (RFC 9542).
func renderMAC(_ *Plan, c *chooser, dst []byte, m *Mention) ([]byte, bool) {
	value := fmt.Sprintf("00005e0053%02x", c.number("mac", 256))
	atoms := shape(m.Text)
	isSpoken := slices.ContainsFunc(atoms, func(a atom) bool { return a.style == said || a.style == coded })
	if isSpoken || len(classes(atoms)) != len(value) {
		return renderCode("code", plain, c, dst, m.Text)
	}
	upper := strings.ContainsAny(m.Text, "ABCDEF")
	for _, a := range atoms {
		if a.style == keep {
			dst = append(dst, a.text...)
			continue
		}
		b := value[0]
		value = value[1:]
		if upper && isLetter(b) {
			b &^= 0x20
		}
		dst = append(dst, b)
	}
	return dst, true
}
