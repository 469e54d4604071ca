package detectors

import (
	_ "embed"

	"sotto/detectors/wordlist"
)

// Hotword is a kind of word or phrase that makes a value near it more likely to
// be of one infoType, or less likely to be information at all.
type Hotword uint8

// The hotwords. HotNone is the zero value.
const (
	HotNone Hotword = iota
	HotEmail
	HotPhone
	HotCard
	HotCardCode
	HotExpiry
	HotSSN
	HotLast
	HotAccount
	HotUserName
	HotSpell
	HotAddress
	HotPostal
	HotBirth
	HotAge
	HotMedicalRecord
	HotDiagnosis
	HotIBAN
	HotSwift
	HotRouting
	HotPassport
	HotVAT
	HotVIN
	HotIMEI
	HotICCID
	HotIMSI
	HotIP
	HotMAC
	HotURL
	HotCoordinates
	HotAdvertising
	HotCookie
	HotSecret
	HotPlate
	// The following make a number less likely to be information.
	HotMoney
	HotDate
	HotVersion
	// NumHotwords counts them.
	NumHotwords
)

// DefaultHotwordWindow is the HotwordWindow of a document whose caller sets
// none.
const DefaultHotwordWindow = 100

// hotwordNames are the names of the lists in hotwords.txt.
var hotwordNames = [NumHotwords]string{
	HotEmail:         "email",
	HotPhone:         "phone",
	HotCard:          "card",
	HotCardCode:      "card code",
	HotExpiry:        "card expiry",
	HotSSN:           "social security number",
	HotLast:          "part of a number",
	HotAccount:       "account",
	HotUserName:      "user name",
	HotSpell:         "spelling",
	HotAddress:       "address",
	HotPostal:        "postal code",
	HotBirth:         "birth",
	HotAge:           "age",
	HotMedicalRecord: "medical record",
	HotDiagnosis:     "diagnosis",
	HotIBAN:          "iban",
	HotSwift:         "swift",
	HotRouting:       "routing number",
	HotPassport:      "passport",
	HotVAT:           "vat",
	HotVIN:           "vin",
	HotIMEI:          "imei",
	HotICCID:         "iccid",
	HotIMSI:          "imsi",
	HotIP:            "ip address",
	HotMAC:           "mac address",
	HotURL:           "url",
	HotCoordinates:   "coordinates",
	HotAdvertising:   "advertising id",
	HotCookie:        "cookie",
	HotSecret:        "secret",
	HotPlate:         "license plate",
	HotMoney:         "money",
	HotDate:          "date",
	HotVersion:       "version",
}

//go:embed hotwords.txt
var hotwordText string

var (
	hotwordLists = wordlist.MustParse(hotwordText)
	hotwords     = buildHotwords()
)

func buildHotwords() *Phrases[Hotword] {
	var b PhraseBuilder[Hotword]
	for h := HotEmail; h < NumHotwords; h++ {
		for _, phrase := range hotwordLists.Phrases(hotwordNames[h]) {
			if !b.Add(h, phrase) {
				panic("detectors: two hotwords have the phrase " + phrase)
			}
		}
	}
	return b.Build()
}

// HotwordHit is a hotword in a text.
type HotwordHit struct {
	Hotword Hotword
	// Start and End are byte offsets into the text. In Document.Prior they are
	// negative and count characters back from the beginning of the text.
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

// HasHotword tells whether the hotword is in the text.
func (d *Document) HasHotword(h Hotword) bool {
	for i := range d.Hotwords {
		if d.Hotwords[i].Hotword == h {
			return true
		}
	}
	return false
}

// Near holds, for each hotword, how many characters stand between it and a
// value; Far where it is not near.
type Near [NumHotwords]uint16

// Far is the distance of a hotword that is not near.
const Far = 1 << 14

// afterPenalty is how much farther a hotword counts that comes after the value.
const afterPenalty = 30

// hotwordsFrom returns the position of the first hotword of this text that ends at
// or after byte offset b. Hotwords are in order and do not overlap.
func (d *Document) hotwordsFrom(b int) int {
	lo, hi := 0, len(d.Hotwords)
	for lo < hi {
		if m := (lo + hi) / 2; d.Hotwords[m].End < b {
			lo = m + 1
		} else {
			hi = m
		}
	}
	return lo
}

// Near measures how far the hotwords are from the value at start to end: at most
// window characters before it, earlier turns included, or after characters
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
	for i := range d.Prior {
		if w := &d.Prior[i]; start-w.End <= window {
			n.put(w.Hotword, start-w.End)
		}
	}
	return n
}

// HotBefore tells whether the hotword begins before byte offset b and ends at most
// window characters before it, earlier turns included.
func (d *Document) HotBefore(h Hotword, b, window int) bool {
	for i := d.hotwordsFrom(b - window); i < len(d.Hotwords) && d.Hotwords[i].Start <= b; i++ {
		if d.Hotwords[i].Hotword == h {
			return true
		}
	}
	for i := range d.Prior {
		if w := &d.Prior[i]; w.Hotword == h && b-w.End <= window {
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
