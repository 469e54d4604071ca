package state

import (
	"math/bits"
	"slices"
	"strings"
)

// AppendPhonetic appends a key to dst that is equal for words that sound alike in
// English, such as Mark and Marc, Kathryn and Catherine, Steven and Stephen. It keeps what
// Double Metaphone (L. Philips, C/C++ Users Journal, June 2000) keeps of the
// consonants, but does not merge voiced with voiceless ones, and it adds a
// class for the first vowel and for an open end, so that Dan and Don, Eric and
// Erica, Carl and Carla stay apart.
//
// The word must be lower case. Bytes other than a-z are skipped. The key is
// empty for a word without letters.
func AppendPhonetic(dst []byte, word string) []byte {
	var buf [48]byte
	w := letters(buf[:0])
	for i := 0; i < len(word) && len(w) < cap(w); i++ {
		if b := word[i]; 'a' <= b && b <= 'z' {
			w = append(w, b)
		}
	}
	start := len(dst)
	vowelSeen := false
	for i := w.silentStart(); i < len(w); {
		if isVowel(w[i]) || w[i] == 'y' && i > 0 {
			class, n := w.vowels(i, vowelSeen)
			if class != 0 {
				dst = appendClass(dst, start, class)
			}
			i, vowelSeen = i+n, true
			continue
		}
		classes, n := w.consonant(i)
		for c := range len(classes) {
			dst = appendClass(dst, start, classes[c])
		}
		i += n
	}
	return dst
}

// appendClass appends a class to a key that begins at start, unless it is the last one already.
func appendClass(key []byte, start int, class byte) []byte {
	if n := len(key); n == start || key[n-1] != class {
		key = append(key, class)
	}
	return key
}

// letters are the letters of a word.
type letters []byte

// at returns a letter, 0 beyond the ends.
func (w letters) at(i int) byte {
	if i >= 0 && i < len(w) {
		return w[i]
	}
	return 0
}

// silentStart returns the position of the first letter that is heard.
func (w letters) silentStart() int {
	if len(w) >= 2 {
		switch string(w[:2]) {
		case "kn", "gn", "pn", "wr", "ps":
			return 1
		}
	}
	return 0
}

// vowels returns the class of the vowels at i and how many letters they take. Only the
// first vowel of a word and an open end have a class; 0 stands for none.
func (w letters) vowels(i int, vowelSeen bool) (class byte, n int) {
	j := i
	for j < len(w) && (isVowel(w[j]) || w[j] == 'y') {
		j++
	}
	end := j
	if w.at(j) == 'h' && !isVowel(w.at(j+1)) {
		j++ // Sarah, Hannah
	}
	silent := j == len(w) && vowelSeen && end-i == 1 && w[i] == 'e'
	if !vowelSeen || j == len(w) && !silent {
		class = vowelClass(w[i:end], w.at(j))
	}
	return class, j - i
}

// plainConsonants are the classes of the consonants where the letters beside them do not
// matter. F and v are one class: Steven, Stephen.
var plainConsonants = [26]string{
	'b' - 'a': "B", 'd' - 'a': "D", 'f' - 'a': "F", 'j' - 'a': "J", 'k' - 'a': "K", 'l' - 'a': "L", 'm' - 'a': "M",
	'n' - 'a': "N", 'p' - 'a': "P", 'q' - 'a': "K", 'r' - 'a': "R", 'v' - 'a': "F", 'y' - 'a': "Y", 'z' - 'a': "S",
}

// consonant returns the classes of the consonant at i and how many letters it takes.
func (w letters) consonant(i int) (classes string, n int) {
	next := w.at(i + 1)
	switch w[i] {
	case 'c':
		return w.letterC(i)
	case 'd':
		if next == 'g' && (w.at(i+2) == 'e' || w.at(i+2) == 'i') {
			return "J", 2
		}
	case 'g':
		return w.letterG(i)
	case 'h':
		if i == 0 && isVowel(next) {
			return "H", 1
		}
	case 'p':
		if next == 'h' {
			return "F", 2
		}
	case 's':
		return w.letterS(i)
	case 't':
		return w.letterT(i)
	case 'w':
		if isVowel(next) {
			return "W", 1
		}
	case 'x':
		if i == 0 {
			return "S", 1
		}
		return "KS", 1
	}
	return plainConsonants[w[i]-'a'], 1
}

func (w letters) letterC(i int) (classes string, n int) {
	switch next := w.at(i + 1); {
	case next == 'h' && (w.at(i+2) == 'r' || w.at(i+2) == 'l'):
		return "K", 2
	case next == 'h':
		return "X", 2
	case next == 'k', next == 'q':
		return "K", 2
	case isSoftening(next):
		return "S", 1
	}
	return "K", 1
}

func (w letters) letterG(i int) (classes string, n int) {
	switch next := w.at(i + 1); {
	case next == 'h' && isVowel(w.at(i+2)):
		return "G", 2
	case next == 'h':
		return "", 2
	case next == 'n' && i+2 == len(w):
		return "", 1
	case isSoftening(next) && next != 'i' && w.at(i-1) != 'g':
		return "J", 1
	}
	return "G", 1
}

func (w letters) letterS(i int) (classes string, n int) {
	switch next := w.at(i + 1); {
	case next == 'h':
		return "X", 2
	case next == 'c' && w.at(i+2) == 'h':
		return "X", 3
	}
	return "S", 1
}

func (w letters) letterT(i int) (classes string, n int) {
	switch next := w.at(i + 1); {
	case next == 'h':
		return "0", 2
	case next == 'c' && w.at(i+2) == 'h':
		return "X", 3
	case next == 'i' && (w.at(i+2) == 'o' || w.at(i+2) == 'a'):
		return "X", 1
	}
	return "T", 1
}

// isSoftening reports whether a letter softens a c or a g before it.
func isSoftening(b byte) bool { return b == 'e' || b == 'i' || b == 'y' }

func isVowel(b byte) bool {
	return b == 'a' || b == 'e' || b == 'i' || b == 'o' || b == 'u'
}

// vowelClass is the class of a group of vowel letters before the letter next
// (0 at the end). The classes are lower case, so that they meet no consonant.
func vowelClass(group []byte, next byte) byte {
	switch string(group) {
	case "au", "eau", "oa", "ou", "oo":
		return 'o'
	case "ay", "ai", "ei", "ey", "ae":
		if next == 0 && string(group) == "ey" {
			return 'i'
		}
		return 'a'
	case "ea", "eo":
		return 'e'
	case "ee", "ie", "ye":
		return 'i'
	}
	switch group[0] {
	case 'y', 'i':
		return 'i'
	default:
		if group[0] == 'a' && next == 'w' {
			return 'o'
		}
		return group[0]
	}
}

// soundAlike reports whether two lower-case words are likely one word, heard in two ways:
// their keys are equal and their letters similar, or they are long and differ in one
// letter.
func soundAlike(a, b string) bool {
	if a == b {
		return true
	}
	la, lb := len(a), len(b)
	if la < 2 || lb < 2 || la > 40 || lb > 40 {
		return false
	}
	n := max(la, lb)
	if d := la - lb; d > n/2 || -d > n/2 {
		return false
	}
	most := max(1, n*45/100)
	if atLeastApart(a, b) > most {
		return false // of most words that are compared
	}
	var ka, kb [32]byte
	if string(AppendPhonetic(ka[:0], a)) == string(AppendPhonetic(kb[:0], b)) {
		return distance(a, b) <= most
	}
	return min(la, lb) >= 6 && distance(a, b) == 1
}

// soundsDivided reports whether a few short words are likely what a recognizer heard for a longer one:
// "add a bio" for "adebayo". The consonants agree; the vowels between words are not to be trusted.
func soundsDivided(words, name string) bool {
	const leastName, mostWord, mostWords = 5, 5, 4
	if len(name) < leastName || len(name) > 40 || len(words) > 40 || strings.Contains(name, " ") {
		return false
	}
	var buf [40]byte
	joined, n, length := buf[:0], 1, 0
	for i := range len(words) {
		if words[i] == ' ' {
			n, length = n+1, 0
			continue
		}
		if length++; length > mostWord {
			return false
		}
		joined = append(joined, words[i])
	}
	if n < 2 || n > mostWords {
		return false
	}
	var kj, kn [32]byte
	a, b := consonants(AppendPhonetic(kj[:0], string(joined))), consonants(AppendPhonetic(kn[:0], name))
	return len(a) > 1 && string(a) == string(b) && distance(string(joined), name) <= max(len(joined), len(name))*45/100
}

// consonants removes the classes of vowels from a key, which it changes.
func consonants(key []byte) []byte {
	return slices.DeleteFunc(key, func(class byte) bool { return class >= 'a' })
}

// atLeastApart is not more than the distance of two words: how many different letters one has that the
// other does not have.
func atLeastApart(a, b string) int {
	inA, inB := letterSet(a), letterSet(b)
	return max(bits.OnesCount32(inA&^inB), bits.OnesCount32(inB&^inA))
}

// letterSet has a bit for each letter of a word.
func letterSet(word string) (set uint32) {
	for i := range len(word) {
		set |= 1 << (word[i] & 31)
	}
	return set
}

// distance is the number of insertions, deletions, substitutions and swaps of
// neighbours (optimal string alignment) between two words of at most 40 bytes.
func distance(a, b string) int {
	var rows [3][41]int
	for j := 0; j <= len(b); j++ {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur, prev, prev2 := &rows[i%3], &rows[(i+2)%3], &rows[(i+1)%3]
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			d := min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d = min(d, prev2[j-2]+1)
			}
			cur[j] = d
		}
	}
	return rows[len(a)%3][len(b)]
}
