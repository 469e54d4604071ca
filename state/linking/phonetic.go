package linking

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
func AppendPhonetic[T string | []byte](dst []byte, word T) []byte {
	var buf [48]byte
	w := letters(buf[:0])
	for i := 0; i < len(word) && len(w) < cap(w); i++ {
		if b := word[i]; 'a' <= b && b <= 'z' {
			w = append(w, b)
		}
	}
	start := len(dst)
	vowelSeen := false
	i := 0
	if len(w) >= 2 && slices.Contains(silentStarts, string(w[:2])) {
		i = 1
	}
	for i < len(w) {
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

// silentStarts are beginnings of which the first letter is not heard.
var silentStarts = []string{"kn", "gn", "pn", "wr", "ps"}

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

// sound is the classes of the consonant that some letters begin with, and how many of the letters they
// take; the others are what decides how it sounds.
type sound struct {
	letters, classes string
	n                int
}

// sounds are the consonants by their first letter; the first sound whose letters are there counts. F
// and v are one class: Steven, Stephen.
var sounds = [26][]sound{
	'b' - 'a': {{"b", "B", 1}},
	'c' - 'a': {{"chr", "K", 2}, {"chl", "K", 2}, {"ch", "X", 2}, {"ck", "K", 2}, {"cq", "K", 2},
		{"ce", "S", 1}, {"ci", "S", 1}, {"cy", "S", 1}, {"c", "K", 1}},
	'd' - 'a': {{"dge", "J", 2}, {"dgi", "J", 2}, {"d", "D", 1}},
	'f' - 'a': {{"f", "F", 1}},
	'g' - 'a': {{"gha", "G", 2}, {"ghe", "G", 2}, {"ghi", "G", 2}, {"gho", "G", 2}, {"ghu", "G", 2}, {"gh", "", 2},
		{"gge", "G", 2}, {"ggy", "G", 2}, {"ge", "J", 1}, {"gy", "J", 1}, {"g", "G", 1}},
	'j' - 'a': {{"j", "J", 1}},
	'k' - 'a': {{"k", "K", 1}},
	'l' - 'a': {{"l", "L", 1}},
	'm' - 'a': {{"m", "M", 1}},
	'n' - 'a': {{"n", "N", 1}},
	'p' - 'a': {{"ph", "F", 2}, {"p", "P", 1}},
	'q' - 'a': {{"q", "K", 1}},
	'r' - 'a': {{"r", "R", 1}},
	's' - 'a': {{"sh", "X", 2}, {"sch", "X", 3}, {"s", "S", 1}},
	't' - 'a': {{"th", "0", 2}, {"tch", "X", 3}, {"tio", "X", 1}, {"tia", "X", 1}, {"t", "T", 1}},
	'v' - 'a': {{"v", "F", 1}},
	'w' - 'a': {{"wa", "W", 1}, {"we", "W", 1}, {"wi", "W", 1}, {"wo", "W", 1}, {"wu", "W", 1}},
	'x' - 'a': {{"x", "KS", 1}},
	'y' - 'a': {{"y", "Y", 1}},
	'z' - 'a': {{"z", "S", 1}},
}

// consonant returns the classes of the consonant at i and how many letters it takes.
func (w letters) consonant(i int) (classes string, n int) {
	switch {
	case i == 0 && w[i] == 'x':
		return "S", 1
	case i == 0 && w[i] == 'h' && isVowel(w.at(1)):
		return "H", 1
	case string(w[i:]) == "gn":
		return "", 1
	}
	for _, s := range sounds[w[i]-'a'] {
		if string(w[i:min(i+len(s.letters), len(w))]) == s.letters {
			return s.classes, s.n
		}
	}
	return "", 1
}

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
	switch {
	case group[0] == 'y':
		return 'i'
	case group[0] == 'a' && next == 'w':
		return 'o'
	}
	return group[0]
}

// SoundAlike reports whether two lower-case words are likely one word, heard in two ways:
// their keys are equal and their letters similar, or they are long and differ in one
// letter.
func SoundAlike(a, b string) bool {
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

func letterSet(word string) (set uint32) {
	for i := range len(word) {
		set |= 1 << (word[i] & 31)
	}
	return set
}

// distance is the number of insertions, deletions, substitutions and swaps of
// neighbours (optimal string alignment) between two words of at most 40 bytes.
func distance[A, B string | []byte](a A, b B) int {
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
