package state

// Phonetic is a key that is equal for words that sound alike in English, such
// as Mark and Marc, Kathryn and Catherine, Steven and Stephen. It keeps what
// Double Metaphone (L. Philips, C/C++ Users Journal, June 2000) keeps of the
// consonants, but does not merge voiced with voiceless ones, and it adds a
// class for the first vowel and for an open end, so that Dan and Don, Eric and
// Erica, Carl and Carla stay apart.
//
// The word must be lower case. Bytes other than a-z are skipped. The key is
// empty for a word without letters.
func Phonetic(word string) string {
	var buf [32]byte
	return string(AppendPhonetic(buf[:0], word))
}

// AppendPhonetic appends the key of Phonetic to dst.
func AppendPhonetic(dst []byte, word string) []byte {
	var letters [48]byte
	w := letters[:0]
	for i := 0; i < len(word) && len(w) < cap(w); i++ {
		if b := word[i]; 'a' <= b && b <= 'z' {
			w = append(w, b)
		}
	}
	start := len(dst)
	i := 0
	if len(w) >= 2 {
		switch string(w[:2]) {
		case "kn", "gn", "pn", "wr", "ps":
			i = 1
		}
	}
	put := func(b byte) {
		if len(dst) == start || dst[len(dst)-1] != b {
			dst = append(dst, b)
		}
	}
	at := func(j int) byte {
		if j >= 0 && j < len(w) {
			return w[j]
		}
		return 0
	}
	vowelSeen := false
	for i < len(w) {
		b := w[i]
		if isVowel(b) || b == 'y' && i > 0 {
			j := i
			for j < len(w) && (isVowel(w[j]) || w[j] == 'y') {
				j++
			}
			end := j
			if at(j) == 'h' && !isVowel(at(j+1)) {
				j++ // Sarah, Hannah
			}
			silent := j == len(w) && vowelSeen && end-i == 1 && b == 'e'
			if !vowelSeen || j == len(w) && !silent {
				put(vowelClass(w[i:end], at(j)))
			}
			vowelSeen = true
			i = j
			continue
		}
		i += consonant(w, i, at, put)
	}
	return dst
}

// consonant puts the class of the consonant at i and returns how many letters
// it took.
func consonant(w []byte, i int, at func(int) byte, put func(byte)) int {
	next := at(i + 1)
	soft := next == 'e' || next == 'i' || next == 'y'
	switch b := w[i]; b {
	case 'c':
		switch {
		case next == 'h' && (at(i+2) == 'r' || at(i+2) == 'l'):
			put('K')
			return 2
		case next == 'h':
			put('X')
			return 2
		case next == 'k', next == 'q':
			put('K')
			return 2
		case soft:
			put('S')
		default:
			put('K')
		}
	case 'd':
		if next == 'g' && (at(i+2) == 'e' || at(i+2) == 'i') {
			put('J')
			return 2
		}
		put('D')
	case 'g':
		switch {
		case next == 'h' && isVowel(at(i+2)):
			put('G')
			return 2
		case next == 'h':
			return 2
		case next == 'n' && i+2 == len(w):
			return 1
		case soft && at(i-1) != 'g' && at(i+1) != 'i':
			put('J')
		default:
			put('G')
		}
	case 'h':
		if isVowel(next) && !isVowel(at(i-1)) && i == 0 {
			put('H')
		}
	case 'j':
		put('J')
	case 'k', 'q':
		put('K')
	case 'p':
		if next == 'h' {
			put('F')
			return 2
		}
		put('P')
	case 's':
		switch {
		case next == 'h':
			put('X')
			return 2
		case next == 'c' && at(i+2) == 'h':
			put('X')
			return 3
		default:
			put('S')
		}
	case 't':
		switch {
		case next == 'h':
			put('0')
			return 2
		case next == 'c' && at(i+2) == 'h':
			put('X')
			return 3
		case next == 'i' && (at(i+2) == 'o' || at(i+2) == 'a'):
			put('X')
		default:
			put('T')
		}
	case 'v':
		put('F') // Steven, Stephen
	case 'w':
		if isVowel(next) {
			put('W')
		}
	case 'x':
		if i == 0 {
			put('S')
		} else {
			put('K')
			put('S')
		}
	case 'y':
		put('Y')
	case 'z':
		put('S')
	default: // b f l m n r
		put(b - 'a' + 'A')
	}
	return 1
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

// soundAlike tells whether two lower-case words are likely one word heard in
// two ways: their keys are equal and their letters not too far apart, or they
// are long and differ in one letter.
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
	var ka, kb [32]byte
	if string(AppendPhonetic(ka[:0], a)) == string(AppendPhonetic(kb[:0], b)) {
		return distance(a, b) <= max(1, n*45/100)
	}
	return min(la, lb) >= 6 && distance(a, b) == 1
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
