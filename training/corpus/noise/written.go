package noise

import (
	"strconv"
	"strings"
)

func (n *noiser) wordsToDigits(t *turn) {
	t.rewrite(func(i int) (int, []string) {
		run := numberRun(t, i)
		if run.words == 0 || !n.chance(n.writingRate(t, i, run)) {
			return run.words, nil
		}
		before, _, _ := affixes(t.words[i].text)
		_, _, after := affixes(t.words[i+run.words-1].text)
		return run.words, between(before, n.write(run.numbers(), &t.words[i]), after)
	})
}

// writingRate is the rate for one run. Outside of labels, single small numbers often stay words, and
// "one" and "oh" always do.
func (n *noiser) writingRate(t *turn, at int, run numberWords) float64 {
	if t.words[at].label != nil || len(run.atoms) > 1 {
		return n.WordsToDigits
	}
	switch a := run.atoms[0]; {
	case a.kind != digitAtom:
		return n.WordsToDigits / 2
	case a.value < 2:
		return 0
	}
	return n.WordsToDigits / 5
}

type numberWords struct {
	words int
	atoms []atom
}

type atom struct {
	kind  atomKind
	value int
}

type atomKind int

const (
	digitAtom   atomKind = iota // 0 to 9
	teenAtom                    // 10 to 19
	tensAtom                    // 20, 30, ... 90
	ordinalAtom                 // first to thirtieth
	hundredAtom
	thousandAtom
	repeatAtom // double (2) or triple (3)
)

// numberRun finds the number words from word i on. The run ends before a word with another label,
// at a mark after a word without label, and before "double" without a digit.
func numberRun(t *turn, i int) (run numberWords) {
	if t.words[i].label == nil && plain(t.words[i].text) == "oh" {
		return numberWords{} // an exclamation, unless it is within a number
	}
	for k := i; k < len(t.words) && t.words[k].label == t.words[i].label; k++ {
		before, core, after := affixes(t.words[k].text)
		atoms := atomsOf(strings.ToLower(core), t.words[k].label)
		if atoms == nil || k > i && (before != "" || t.words[k].glued) {
			break
		}
		run.atoms = append(run.atoms, atoms...)
		run.words++
		if after != "" && (after != "," || t.words[k].label == nil) {
			break
		}
	}
	// "double" needs a digit. Each one is a word of its own.
	for last := len(run.atoms) - 1; last >= 0 && run.atoms[last].kind == repeatAtom; last-- {
		run.words--
		run.atoms = run.atoms[:last]
	}
	if len(run.atoms) == 0 || run.atoms[0].kind == hundredAtom || run.atoms[0].kind == thousandAtom {
		return numberWords{}
	}
	return run
}

// atomsOf reads a number word, also one with a hyphen. Ordinals count in dates only.
func atomsOf(core string, l *label) (atoms []atom) {
	for part := range strings.SplitSeq(core, "-") {
		a, ok := atomOf(part, l)
		if !ok {
			return nil
		}
		atoms = append(atoms, a)
	}
	if len(atoms) > 1 && atoms[len(atoms)-1].kind == repeatAtom {
		return nil
	}
	return atoms
}

func atomOf(core string, l *label) (atom, bool) {
	if v, ok := cardinalOf[core]; ok {
		switch {
		case v < 10:
			return atom{digitAtom, v}, true
		case v < 20:
			return atom{teenAtom, v}, true
		}
		return atom{tensAtom, v}, true
	}
	switch core {
	case "hundred":
		return atom{hundredAtom, 100}, true
	case "thousand":
		return atom{thousandAtom, 1000}, true
	case "double":
		return atom{repeatAtom, 2}, true
	case "triple":
		return atom{repeatAtom, 3}, true
	}
	v, ok := ordinalOf[core]
	return atom{ordinalAtom, v}, ok && l != nil && (l.infoType == "DATE" || l.infoType == "DATE_OF_BIRTH")
}

// numbers writes each number of the run on its own: "forty two oh six" is 42, 0, 6.
func (run numberWords) numbers() (out []string) {
	atoms := run.atoms
	for i := 0; i < len(atoms); {
		switch atoms[i].kind {
		case repeatAtom:
			if i+1 < len(atoms) && atoms[i+1].kind == digitAtom { // "double five"
				out = append(out, strings.Repeat(strconv.Itoa(atoms[i+1].value), atoms[i].value))
				i++
			}
			i++
		case hundredAtom, thousandAtom: // after a number that ends with it, as in "two hundred hundred"
			out = append(out, strings.TrimPrefix(strconv.Itoa(atoms[i].value), "1"))
			i++
		case ordinalAtom:
			out = append(out, strconv.Itoa(atoms[i].value)+suffix(atoms[i].value))
			i++
		default:
			text, used := cardinalNumber(atoms[i:])
			out = append(out, text)
			i += used
		}
	}
	return out
}

// cardinalNumber reads one number: tens and digit, hundreds, thousands. "twenty first" gets its
// suffix.
func cardinalNumber(atoms []atom) (text string, used int) {
	value, used := below100(atoms)
	next := func(k atomKind) bool { return used < len(atoms) && atoms[used].kind == k }
	if next(ordinalAtom) && atoms[0].kind == tensAtom && used == 1 && atoms[1].value < 10 {
		value += atoms[1].value
		return strconv.Itoa(value) + suffix(value), 2
	}
	if value > 0 && next(hundredAtom) {
		value *= 100
		used++
		if rest, n := below100(atoms[used:]); n > 0 && !(used+n < len(atoms) && atoms[used+n].kind == hundredAtom) {
			value, used = value+rest, used+n
		}
	}
	if value > 0 && next(thousandAtom) {
		value *= 1000
		used++
		if rest, n := below100(atoms[used:]); n > 0 {
			if used+n < len(atoms) && atoms[used+n].kind == hundredAtom {
				rest, n = rest*100, n+1
				if more, k := below100(atoms[used+n:]); k > 0 {
					rest, n = rest+more, n+k
				}
			}
			value, used = value+rest, used+n
		}
	}
	return strconv.Itoa(value), used
}

func below100(atoms []atom) (value, used int) {
	switch {
	case len(atoms) == 0 || atoms[0].kind > tensAtom:
		return 0, 0
	case atoms[0].kind == tensAtom && len(atoms) > 1 && atoms[1].kind == digitAtom && atoms[1].value > 0:
		return atoms[0].value + atoms[1].value, 2
	}
	return atoms[0].value, 1
}

func suffix(v int) string {
	switch {
	case v/10 == 1:
	case v%10 == 1:
		return "st"
	case v%10 == 2:
		return "nd"
	case v%10 == 3:
		return "rd"
	}
	return "th"
}

func (n *noiser) write(numbers []string, w *word) []string {
	joined := strings.Join(numbers, "")
	two := len(numbers) == 2 && len(numbers[0]) <= 2 && len(numbers[1]) == 2
	switch {
	case len(numbers) == 1 && len(joined) <= 4:
		return numbers
	case w.is("TIME") && two:
		return []string{numbers[0] + n.pick([]string{":", ":", ":", " ", ". "}) + numbers[1]}
	case w.is("MONEY") && two:
		return []string{numbers[0] + "." + numbers[1]}
	case w.is("DATE", "DATE_OF_BIRTH"):
		return n.writeDate(numbers)
	case w.label == nil && two && (numbers[0] == "19" || numbers[0] == "20"):
		return []string{joined}
	case w.label == nil || w.is("AGE", "MONEY", "TIME", "LOCATION_COORDINATES"):
		return numbers
	case w.is("STREET_ADDRESS") && n.chance(0.7):
		return []string{joined}
	}
	return n.writeCode(numbers, joined)
}

// writeDate joins the halves of a year, and sometimes writes day, month and year as one word.
func (n *noiser) writeDate(numbers []string) []string {
	if k := len(numbers); k > 1 && (numbers[k-2] == "19" || numbers[k-2] == "20") && len(numbers[k-1]) == 2 {
		numbers = append(numbers[:k-2:k-2], numbers[k-2]+numbers[k-1])
	}
	if len(numbers) == 3 && n.chance(0.6) {
		return []string{strings.Join(numbers, n.pick([]string{"/", "-", "/"}))}
	}
	if len(numbers) > 1 && n.chance(0.3) {
		for i := range numbers[:len(numbers)-1] {
			numbers[i] += ","
		}
	}
	return numbers
}

// writeCode writes the digits of an identifier: all in one, in the groups that were said, or in
// groups of its own.
func (n *noiser) writeCode(numbers []string, joined string) []string {
	switch style := n.rng.IntN(10); {
	case style < 3:
		return []string{joined}
	case style < 5:
		return numbers
	case style < 6:
		return []string{strings.Join(numbers, "-")}
	case style < 8 && (len(joined) == 7 || len(joined) == 10):
		return n.writePhone(joined)
	}
	mark := n.pick([]string{"", "", "", ",", "."})
	var out []string
	for at := 0; at < len(joined); {
		end := min(at+1+n.rng.IntN(4), len(joined))
		group := joined[at:end]
		if end < len(joined) {
			group += mark
		}
		out = append(out, group)
		at = end
	}
	if mark == "" && n.chance(0.4) {
		return []string{strings.Join(out, "-")}
	}
	return out
}

func (n *noiser) writePhone(digits string) []string {
	line := digits[len(digits)-7:len(digits)-4] + "-" + digits[len(digits)-4:]
	switch area := digits[:len(digits)-7]; {
	case area == "":
		return []string{line}
	case n.chance(0.5):
		return []string{area + "-" + line}
	default:
		return []string{"(" + area + ")", line}
	}
}
