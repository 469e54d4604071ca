package noise

import "strings"

var symbolOf = map[string]string{
	"at": "@", "dot": ".", "point": ".", "underscore": "_", "dash": "-", "hyphen": "-", "slash": "/",
}

// addresses writes addresses that are said with their symbols: "tom at example dot com" becomes
// "tom@example.com". Some symbols stay words or get a space.
func (n *noiser) addresses(t *turn) {
	var address *label
	written := false
	for i := 1; i+1 < len(t.words); i++ {
		w := &t.words[i]
		if !w.is("EMAIL_ADDRESS", "URL", "DOMAIN_NAME", "USER_NAME") || !t.free(i) || !t.free(i+1) ||
			t.words[i-1].label != w.label || t.words[i+1].label != w.label {
			continue
		}
		if w.label != address {
			address, written = w.label, n.chance(n.Addresses)
		}
		symbol := symbolOf[strings.ToLower(w.text)]
		if symbol == "" || isSymbol(t.words[i-1].text) || !written || n.mistake(0.05) {
			continue
		}
		before, after := t.words[i-1].text, t.words[i+1].text
		if symbol == "." && n.mistake(0.1) {
			t.replace(i-1, i+2, before+symbol, after)
			continue
		}
		t.replace(i-1, i+2, before+symbol+after)
		i--
	}
}

func isSymbol(text string) bool {
	return symbolOf[strings.ToLower(text)] != "" || strings.HasSuffix(text, ".") || strings.HasSuffix(text, ",")
}
