package pattern

import (
	"strings"
	"testing"
	"time"

	d "sotto/detectors"
	"sotto/detectors/spoken"
)

// hostile are texts, each as a piece that is repeated.
var hostile = map[string]string{
	"digits": "7", "dots": ".", "dots and spaces": ". ", "at signs": "@", "at signs and letters": "a@", "host": "a.", "host of words": "some.", "hyphens": "a-", "spelled": "A-",
	"letters": "k ", "weak letters": "a ", "hex colons": "a1:", "hyphened numbers": "12-", "slashes": "1/", "spoken digits": "five ", "spoken dots": "dot ", "at words": "at gmail dot ",
	"homophones": "five for ", "doubles": "double ", "hundreds": "hundred thousand ", "hesitations": "five uh um ", "months": "may 4 ", "streets": "5 street ", "street types": "road ",
	"units": "apt 5 ", "states": "ny ", "hotwords": "phone card ssn 4471 ", "user names": "username is ", "addresses": "address is ", "emails": "a@b.com ", "filler": "you know ",
	"brackets": "(604) ", "angle": "a<", "percent": "%B4", "semicolons": ";4", "equals": "cookie a=", "base64": "aB3dE5fG7h", "plus": "a1+", "degrees": "49°", "percents": "5 % ",
	"capitals": "capital ", "as in": "a as in ", "nul": "\x00", "invalid": "\xff", "marks": "e\u0301\u0301", "invisible": "4\u200b", "right to left": "\u202e5", "wide": "５", "emoji": "👍🏽 ",
	"cyrillic": "мary ", "quotes": "'", "clitics": "a's ", "apostrophes": "a'", "underscores": "a_", "commas": "1,", "thousands": "1,000,", "commas and words": "one, ", "ordinals": "5th ",
	"corrections": "12 no wait ", "block": "12 Rua Abcd ", "words": "supercalifragilisticexpialidocious ", "glued words": "gmailcom",
	"corners": "the corner of a and ", "codes in capitals": "account is QWXKFJ ", "groups": "number is ab 12 ", "or": "or a1 ", "one word": "one word ", "flats": "flat B, ",
	"street numbers": "street number 5 ", "glued streets": "5 elm streetdayton ", "directions": "555 East El ", "extensions": "604 555 0134 extension ", "boxes": "rr 2 box ",
}

// Detection in ten times the text takes at most about ten times as long. With quadratic time, a
// text of 200,000 bytes would take minutes.
func TestHostileTextsTakeLinearTime(t *testing.T) {
	var doc d.Document
	var r d.Resolver
	for name, piece := range hostile {
		text := strings.Repeat(piece, 200_000/len(piece))
		begin := time.Now()
		doc.Reset(text)
		spoken.Scan(&doc)
		Find(&doc)
		r.Resolve(&doc)
		if took := time.Since(begin); took > 10*time.Second {
			t.Errorf("%s: %v", name, took)
		}
	}
}

func TestHostileTextsDoNotSlipThrough(t *testing.T) {
	checkTypes(t, []typeCase{
		// Invisible characters inside a number, an address, a host name.
		{"card 4111\u200b1111\u200d1111\u20601111", "CREDIT_CARD_NUMBER=4111111111111111<4111\u200b1111\u200d1111\u20601111>"},
		{"call 604\u00ad555\u00ad0134", "PHONE_NUMBER=6045550134<604\u00ad555\u00ad0134>"},
		{"jo\u200bhn@exam\u200bple.com", "EMAIL_ADDRESS=john@example.com<jo\u200bhn@exam\u200bple.com>"},
		// Direction marks.
		{"card \u202e4111 1111 1111 1111\u202c", "CREDIT_CARD_NUMBER=4111111111111111<4111 1111 1111 1111>"},
		{"4\u202d111 1111\u202c 1111 1111", "CREDIT_CARD_NUMBER=4111111111111111<4\u202d111 1111\u202c 1111 1111>"},
		// Digits of other scripts and widths, styled letters, look-alikes.
		{"card ４１１１ １１１１ １１１１ １１１１", "CREDIT_CARD_NUMBER=4111111111111111<４１１１ １１１１ １１１１ １１１１>"},
		{"card ٤١١١ ١١١١ ١١١١ ١١١١", "CREDIT_CARD_NUMBER=4111111111111111<٤١١١ ١١١١ ١١١١ ١١١١>"},
		{"card 𝟒𝟏𝟏𝟏 𝟏𝟏𝟏𝟏 𝟏𝟏𝟏𝟏 𝟏𝟏𝟏𝟏", "CREDIT_CARD_NUMBER=4111111111111111<𝟒𝟏𝟏𝟏 𝟏𝟏𝟏𝟏 𝟏𝟏𝟏𝟏 𝟏𝟏𝟏𝟏>"},
		{"jоhn@exаmple.com", "EMAIL_ADDRESS=john@example.com<jоhn@exаmple.com>"},
		{"ｊｏｈｎ＠ｅｘａｍｐｌｅ．ｃｏｍ", "EMAIL_ADDRESS=john@example.com<ｊｏｈｎ＠ｅｘａｍｐｌｅ．ｃｏｍ>"},
		{"card 4111–1111–1111–1111", "CREDIT_CARD_NUMBER=4111111111111111<4111–1111–1111–1111>"},
		{"card 4111\u00a01111\u202f1111\u30001111", "CREDIT_CARD_NUMBER=4111111111111111<4111\u00a01111\u202f1111\u30001111>"},
		{"⑤⑤⑤ ⓪①③④", "PHONE_NUMBER=5550134<⑤⑤⑤ ⓪①③④>"},
		{"K\u200b-O\u200b-W", "SPELLED_WORD=kow<K\u200b-O\u200b-W>"},
	})
}

// A number of any length is covered completely.
func TestLongNumberIsCovered(t *testing.T) {
	text := "it is " + strings.Repeat("7", 100_000) + " okay"
	var doc d.Document
	masked := 0
	for _, f := range analyse(&doc, text) {
		masked += f.End - f.Start
	}
	if masked != 100_000 {
		t.Errorf("%d of 100000 digits", masked)
	}
}
