package noise

import (
	"regexp"
	"strconv"
	"strings"
)

// digitsToWords says numbers, codes and addresses that are written.
func (n *noiser) digitsToWords(t *turn) {
	t.rewrite(func(i int) (int, []string) {
		w := &t.words[i]
		before, core, after := affixes(w.text)
		isAddress := saysSymbols(w) && strings.ContainsAny(core, "@._/:-") || strings.Contains(core, "@")
		if !hasDigit(core) && !isAddress || !n.chance(n.DigitsToWords) {
			return 1, nil
		}
		said := n.say(core, w)
		w.glued = w.glued && len(said) == 0
		return 1, between(before, said, after)
	})
}

// saysSymbols reports whether the symbols of a word are part of its value.
func saysSymbols(w *word) bool {
	return w.is("EMAIL_ADDRESS", "URL", "DOMAIN_NAME", "USER_NAME", "IP_ADDRESS", "HTTP_COOKIE",
		"STORAGE_SIGNED_URL")
}

var (
	moneyForm   = regexp.MustCompile(`^\$(\d[\d,]*)(?:\.(\d\d))?$`)
	percentForm = regexp.MustCompile(`^(\d{1,3})(?:\.(\d+))?%$`)
	ordinalForm = regexp.MustCompile(`(?i)^(\d{1,2})(?:st|nd|rd|th)$`)
	clockForm   = regexp.MustCompile(`^(\d{1,2})[:.](\d\d)$`)
	dateForm    = regexp.MustCompile(`^(\d{1,2})[/-](\d{1,2})[/-](\d{4}|\d{2})$`)
	decimalForm = regexp.MustCompile(`^-?(\d{1,4})\.(\d+)$`)
	groupedForm = regexp.MustCompile(`^\d{1,3}(?:,\d{3})+$`)
)

func (n *noiser) say(core string, w *word) []string {
	if m := moneyForm.FindStringSubmatch(core); m != nil {
		return n.sayMoney(m[1], m[2])
	}
	if m := percentForm.FindStringSubmatch(core); m != nil {
		return append(n.sayDecimal(m[1], m[2]), "percent")
	}
	if m := ordinalForm.FindStringSubmatch(core); m != nil {
		if said := n.ordinal(number(m[1])); said != nil {
			return said
		}
	}
	if m := clockForm.FindStringSubmatch(core); m != nil && (w.is("TIME") || w.label == nil && strings.Contains(core, ":")) {
		return n.sayClock(number(m[1]), number(m[2]))
	}
	if m := dateForm.FindStringSubmatch(core); m != nil && w.is("DATE", "DATE_OF_BIRTH") {
		return append(append(n.cardinal(number(m[1])), n.cardinal(number(m[2]))...), n.year(m[3])...)
	}
	if m := decimalForm.FindStringSubmatch(core); m != nil && !saysSymbols(w) {
		said := n.sayDecimal(m[1], m[2])
		if core[0] == '-' {
			said = append([]string{"minus"}, said...)
		}
		return said
	}
	if groupedForm.MatchString(core) {
		return n.quantity(strings.ReplaceAll(core, ",", ""))
	}
	return n.sayRuns(core, w)
}

// number is -1 for more digits than anybody says as one number.
func number(digits string) int {
	v, err := strconv.Atoi(digits)
	if err != nil || v > maxCardinal {
		return -1
	}
	return v
}

func (n *noiser) quantity(digits string) []string {
	if v := number(digits); v >= 0 {
		return n.cardinal(v)
	}
	return n.digitByDigit(digits)
}

func (n *noiser) sayMoney(dollars, cents string) []string {
	said := n.quantity(strings.ReplaceAll(dollars, ",", ""))
	switch {
	case cents == "" || cents == "00":
		return append(said, "dollars")
	case n.chance(0.5):
		return append(said, n.cardinal(number(cents))...)
	}
	said = append(said, "dollars")
	if n.chance(0.5) {
		said = append(said, "and")
	}
	return append(append(said, n.cardinal(number(cents))...), "cents")
}

func (n *noiser) sayDecimal(whole, fraction string) []string {
	said := n.cardinal(number(whole))
	if fraction == "" {
		return said
	}
	return append(append(said, "point"), n.digitByDigit(fraction)...)
}

func (n *noiser) sayClock(hour, minute int) []string {
	said := n.cardinal(hour)
	switch {
	case minute == 0 && n.chance(0.5):
		return append(said, "o'clock")
	case minute == 0:
		return said
	case minute < 10:
		return append(said, "oh", cardinals[minute])
	}
	return append(said, n.cardinal(minute)...)
}

var symbolWords = map[rune]string{
	'@': "at", '.': "dot", '_': "underscore", '-': "dash", '/': "slash", ':': "colon", '+': "plus", '#': "pound",
	'*': "star", '=': "equals", '?': "question mark", '&': "and", '%': "percent",
}

// sayRuns says runs of digits and letters. Symbols are said in addresses; elsewhere they only
// separate.
func (n *noiser) sayRuns(core string, w *word) (said []string) {
	symbols := saysSymbols(w) || strings.Contains(core, "@")
	runes := []rune(core)
	for i := 0; i < len(runes); {
		if end := runEnd(runes, i, isDigit); end > i {
			said = append(said, n.sayDigits(string(runes[i:end]), w)...)
			i = end
			continue
		}
		if end := runEnd(runes, i, inWord); end > i {
			said = append(said, n.sayLetters(string(runes[i:end]), w)...)
			i = end
			continue
		}
		if point := runes[i] == '.' && i > 0 && i+1 < len(runes) && isDigit(runes[i-1]) && isDigit(runes[i+1]); point && !symbols {
			said = append(said, "point")
		} else if symbols || strings.ContainsRune("&%+", runes[i]) {
			said = append(said, strings.Fields(symbolWords[runes[i]])...)
		}
		i++
	}
	return said
}

func runEnd(runes []rune, i int, belongs func(rune) bool) int {
	for i < len(runes) && belongs(runes[i]) {
		i++
	}
	return i
}

// sayLetters says the letters of a code one by one, and those of words and addresses as words.
func (n *noiser) sayLetters(run string, w *word) []string {
	vowels := strings.ContainsAny(strings.ToLower(run), "aeiouy")
	asWord := len(run) > 3 && vowels || len(run) > 2 && saysSymbols(w) && vowels ||
		w.is("PRODUCT", "ORGANIZATION_NAME", "STREET_ADDRESS") && len(run) > 2 || w.label == nil && len(run) > 1
	if asWord || !onlyLetters(run) {
		return []string{run}
	}
	return strings.Split(run, "")
}

func (n *noiser) sayDigits(run string, w *word) []string {
	short := len(run) <= 4 && (run[0] != '0' || len(run) == 1)
	switch {
	case w.is("DATE", "DATE_OF_BIRTH") && len(run) == 4:
		return n.year(run)
	case w.is("DATE", "DATE_OF_BIRTH") && short:
		if d := n.ordinal(number(run)); d != nil && n.chance(0.4) {
			return d
		}
		return n.cardinal(number(run))
	case w.is("STREET_ADDRESS") && short && n.chance(0.7):
		return n.houseNumber(run)
	case w.label == nil || w.is("AGE", "MONEY", "TIME", "OTHER", "PRODUCT", "ORGANIZATION_NAME", "LOCATION", "MEDICAL_TERM"):
		if !short {
			return n.dictate(run)
		}
		if year := len(run) == 4 && (run[0] == '1' || run[0] == '2'); year && n.chance(0.6) {
			return n.year(run)
		}
		return n.cardinal(number(run))
	}
	return n.dictate(run)
}

// houseNumber says up to four digits: "one nineteen", "forty two oh six", "three hundred".
func (n *noiser) houseNumber(run string) []string {
	v := number(run)
	switch {
	case len(run) <= 2 || v%100 == 0 || n.chance(0.2):
		return n.cardinal(v)
	case len(run) == 3:
		return append(n.cardinal(v/100), n.pair(run[1:])...)
	}
	return append(n.pair(run[:2]), n.pair(run[2:])...)
}

func (n *noiser) year(run string) []string {
	v := number(run)
	switch {
	case len(run) != 4 || v%1000 == 0:
		return n.cardinal(v)
	case v >= 2000 && v < 2010 || v >= 2010 && n.chance(0.3):
		return n.cardinal(v)
	case v%100 == 0:
		return append(n.cardinal(v/100), "hundred")
	}
	return append(n.cardinal(v/100), n.pair(run[2:])...)
}

// dictate says digits in one of the ways in which people give numbers. A number is never ambiguous:
// 205 is not "twenty five".
func (n *noiser) dictate(run string) (said []string) {
	style := n.rng.IntN(10)
	for i := 0; i < len(run); {
		rest := run[i:]
		same := 1
		for same < len(rest) && same < 3 && rest[same] == rest[0] {
			same++
		}
		pairs := style >= 8 || style == 7 && n.chance(0.4)
		switch {
		case style >= 5 && style <= 6 && same > 1:
			said = append(said, []string{"double", "triple"}[same-2], n.digit(rest[0]))
			i += same
		case pairs && len(said) > 0 && rest == "00" && run[i-1] != '0':
			said = append(said, "hundred")
			i += 2
		case pairs && len(rest) >= 2 && (rest[1] != '0' || rest[0] == '1' || len(rest) == 2):
			said = append(said, n.pair(rest[:2])...)
			i += 2
		default:
			said = append(said, n.digit(rest[0]))
			i++
		}
	}
	return said
}

// pair says two digits: "forty two", "oh six", "oh oh".
func (n *noiser) pair(run string) []string {
	if run[0] == '0' {
		return n.digitByDigit(run)
	}
	return n.cardinal(number(run))
}

func (n *noiser) digitByDigit(run string) (said []string) {
	for i := range len(run) {
		said = append(said, n.digit(run[i]))
	}
	return said
}

func (n *noiser) digit(d byte) string {
	if d == '0' {
		return n.zero
	}
	return cardinals[int(d-'0')]
}

const maxCardinal = 999_999_999

// cardinal says a number from 0 to maxCardinal.
func (n *noiser) cardinal(v int) (said []string) {
	switch {
	case v >= 1100 && v < 10000 && v%100 == 0 && v%1000 != 0 && n.chance(0.5):
		return append(n.cardinal(v/100), "hundred")
	case v >= 1_000_000:
		said = append(n.cardinal(v/1_000_000), "million")
		v %= 1_000_000
	case v >= 1000:
		said = append(n.cardinal(v/1000), "thousand")
		if v %= 1000; v > 0 && v < 100 && n.chance(0.2) {
			said = append(said, "and")
		}
	case v >= 100:
		said = []string{cardinals[v/100], "hundred"}
		if v %= 100; v > 0 && n.chance(0.2) {
			said = append(said, "and")
		}
	case v > 20 && v%10 != 0:
		if n.Form != Unformatted && n.chance(0.5) {
			return []string{cardinals[v-v%10] + "-" + cardinals[v%10]}
		}
		return []string{cardinals[v-v%10], cardinals[v%10]}
	default:
		return []string{cardinals[v]}
	}
	if v > 0 {
		said = append(said, n.cardinal(v)...)
	}
	return said
}

// ordinal says a day of the month, nothing for other numbers.
func (n *noiser) ordinal(v int) []string {
	switch {
	case v < 1 || v > 39:
		return nil
	case ordinals[v] != "":
		return []string{ordinals[v]}
	}
	return []string{cardinals[v-v%10], ordinals[v%10]}
}
