package detectors

import (
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"sort"
	"strings"

	"sotto/detectors/wordlist"
	"sotto/internal/ruledata"
)

// Hotwords are words or phrases, separated by commas, that make a value near them more likely to be of
// one infoType, or less likely to be information at all. Those of an infoType stand in its row; two rows
// may have the same. Those of no infoType are a list of hotwords.txt. Hyphens and dots between the words
// do not count. Where one phrase is the beginning of another, the longer one counts.
type Hotwords struct{ Name, Phrases string }

// phrases returns the phrases, with one space between the words.
func (h *Hotwords) phrases() []string {
	var all []string
	for phrase := range strings.SplitSeq(h.Phrases, ",") {
		all = append(all, strings.Join(strings.Fields(phrase), " "))
	}
	return all
}

// Hotword is the number of Hotwords. HotNone is the zero value.
type Hotword uint8

// HotNone is no hotword.
const HotNone Hotword = 0

// The hotwords that detectors ask for by name.
var (
	HotEmail       = hotwordOf("email")
	HotLast        = hotwordOf("part of a number")
	HotSpell       = hotwordOf("spelling")
	HotBirth       = hotwordOf("birth")
	HotDiagnosis   = hotwordOf("diagnosis")
	HotIP          = hotwordOf("ip address")
	HotMAC         = hotwordOf("mac address")
	HotURL         = hotwordOf("url")
	HotCoordinates = hotwordOf("coordinates")
	HotAdvertising = hotwordOf("advertising id")
	HotCookie      = hotwordOf("cookie")
	// The following make a number less likely to be information.
	HotMoney   = hotwordOf("money")
	HotVersion = hotwordOf("version")
)

// DefaultHotwordWindow is the HotwordWindow of a document whose caller does not set
// it.
const DefaultHotwordWindow = 100

//go:embed hotwords.txt
var hotwordText string

var (
	hotwordLists = wordlist.MustParse(ruledata.Text("detectors/hotwords.txt", hotwordText))
	// allHotwords has the Hotwords by their number.
	allHotwords = listHotwords()
	hotwords    = mustPhrases(allHotwords)
)

// maxHotwords bounds the hotwords, HotNone included.
const maxHotwords = 48

// listHotwords numbers the hotwords of the catalog in its order, those of a row that announce a value
// first, and then those of hotwords.txt.
func listHotwords() []Hotwords {
	all := []Hotwords{HotNone: {}}
	add := func(h Hotwords) {
		switch i := slices.IndexFunc(all, func(x Hotwords) bool { return x.Name == h.Name }); {
		case i < 0:
			all = append(all, h)
		case all[i] != h:
			panic(fmt.Sprintf("detectors: there are two lists of hotwords %q, of %s", h.Name, homesOf(h.Name)))
		}
	}
	for i := range rows {
		for _, h := range slices.Concat(rows[i].AnnouncedBy, rows[i].NamedBy, rows[i].SupportedBy) {
			add(h)
		}
	}
	for _, name := range hotwordLists.Names() {
		add(Hotwords{name, strings.Join(hotwordLists.Phrases(name), ",")})
	}
	if len(all) > maxHotwords {
		panic(fmt.Sprintf("detectors: there are more than %d lists of hotwords", maxHotwords-1))
	}
	return all
}

// mustPhrases returns the phrases of all hotwords, whose value is the position of their hotwords. It panics if two hotwords have
// the same phrase, and says where both stand.
func mustPhrases(all []Hotwords) *Phrases[Hotword] {
	var b PhraseBuilder[Hotword]
	for i := 1; i < len(all); i++ {
		h := &all[i]
		for _, phrase := range h.phrases() {
			if b.Add(Hotword(i), phrase) {
				continue
			}
			other := slices.IndexFunc(all, func(x Hotwords) bool { return slices.Contains(x.phrases(), phrase) })
			panic(fmt.Sprintf("detectors: the phrase %q is one of the hotwords %q of %s, and one of %q of %s as well",
				phrase, all[other].Name, homesOf(all[other].Name), h.Name, homesOf(h.Name)))
		}
	}
	return b.Build()
}

// homesOf says in which rows of the catalog hotwords stand, or that they are a list.
func homesOf(name string) string {
	var types []string
	for i := range rows {
		if slices.ContainsFunc(slices.Concat(rows[i].AnnouncedBy, rows[i].NamedBy, rows[i].SupportedBy), func(h Hotwords) bool { return h.Name == name }) {
			types = append(types, string(rows[i].Type))
		}
	}
	if types == nil {
		return "hotwords.txt"
	}
	return "the row of " + strings.Join(types, " and ")
}

// hotwordOf returns the number of hotwords by their name.
func hotwordOf(name string) Hotword {
	i := slices.IndexFunc(allHotwords, func(h Hotwords) bool { return h.Name == name && name != "" })
	if i < 0 {
		panic(fmt.Sprintf("detectors: there are no hotwords %q", name))
	}
	return Hotword(i)
}

// NamedCode is a hotword that names a value of an infoType.
type NamedCode struct {
	Hotword Hotword
	Row     *Row
}

var (
	// namedCodes and announced say of which infoType each hotword speaks.
	namedCodes = listNamedCodes()
	announced  = listAnnounced()
)

func listNamedCodes() []NamedCode {
	var all []NamedCode
	for i := range rows {
		for _, h := range rows[i].NamedBy {
			all = append(all, NamedCode{hotwordOf(h.Name), &rows[i]})
		}
	}
	slices.SortFunc(all, func(a, b NamedCode) int { return cmp.Compare(a.Hotword, b.Hotword) })
	return all
}

func listAnnounced() (types [maxHotwords]InfoType) {
	for i := range rows {
		for _, list := range slices.Concat(rows[i].NamedBy, rows[i].AnnouncedBy) {
			if h := hotwordOf(list.Name); types[h] == "" {
				types[h] = rows[i].Type
			} else {
				panic(fmt.Sprintf("detectors: the hotwords %q belong to two infoTypes", list.Name))
			}
		}
	}
	return types
}

// NamedCodes returns the hotwords that name a code, in their order. The slice must not be changed.
func NamedCodes() []NamedCode { return namedCodes }

// InfoType returns the infoType that a hotword names or announces, "" for one that does neither.
func (h Hotword) InfoType() InfoType { return announced[h] }

// Hotword returns the first hotword that names or announces a value of the infoType, HotNone when
// there is none.
func (t InfoType) Hotword() Hotword {
	for h, x := range announced {
		if x == t && x != "" {
			return Hotword(h)
		}
	}
	return HotNone
}

// HotwordHit is a hotword in a text.
type HotwordHit struct {
	Hotword Hotword
	// Start and End are byte offsets into the text.
	Start, End int
}

// findHotwords fills d.Hotwords from the tokens that tokenize marked.
func (d *Document) findHotwords() {
	end := 0
	for _, at := range d.hotTokens {
		i := int(at)
		if i < end {
			continue
		}
		hot, n := hotwords.Longest(d, i, HyphensAndDots)
		if n == 0 {
			continue
		}
		end = i + n
		d.Hotwords = append(d.Hotwords, HotwordHit{hot, int(d.Tokens[i].Start), int(d.Tokens[end-1].End)})
	}
}

// HasHotword reports whether the hotword is in the text.
func (d *Document) HasHotword(h Hotword) bool {
	return slices.ContainsFunc(d.Hotwords, func(hit HotwordHit) bool { return hit.Hotword == h })
}

// Near holds, for each hotword, how many characters stand between it and a
// value; Far where it is not near.
type Near [maxHotwords]uint16

// Far is the distance of a hotword that is not near.
const Far = 1 << 14

// afterPenalty is added to the distance of a hotword that comes after the value.
const afterPenalty = 30

// hotwordsFrom returns the position of the first hotword of this text that ends at
// or after byte offset b. Hotwords are in order and do not overlap.
func (d *Document) hotwordsFrom(b int) int {
	return sort.Search(len(d.Hotwords), func(i int) bool { return d.Hotwords[i].End >= b })
}

// Near measures how far the hotwords are from the value at start to end: at most
// window characters before it, or after characters
// behind it.
func (d *Document) Near(start, end, window, after int) (n Near) {
	for i := range n {
		n[i] = Far
	}
	for i := d.hotwordsFrom(start - window); i < len(d.Hotwords); i++ {
		w := &d.Hotwords[i]
		if w.Start-end > after {
			break
		}
		if w.Start >= end {
			n.put(w.Hotword, w.Start-end+afterPenalty)
		} else if w.End <= start {
			n.put(w.Hotword, start-w.End)
		}
	}
	return n
}

// HotBefore reports whether the hotword begins before token k and ends at most window characters
// before it.
func (d *Document) HotBefore(h Hotword, k, window int) bool {
	b := int(d.Tokens[k].Start)
	for i := d.hotwordsFrom(b - window); i < len(d.Hotwords) && d.Hotwords[i].Start <= b; i++ {
		if d.Hotwords[i].Hotword == h {
			return true
		}
	}
	return false
}

func (n *Near) put(h Hotword, distance int) {
	if distance < int(n[h]) {
		n[h] = uint16(max(distance, 0))
	}
}
