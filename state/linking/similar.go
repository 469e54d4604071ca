package linking

// maxCompared bounds the bytes of words that are compared letter by letter.
const maxCompared = 40

// similarity is the Jaro-Winkler similarity of two words in hundredths (W. E. Winkler, String Comparator Metrics and Enhanced
// Decision Rules in the Fellegi-Sunter Model of Record Linkage, 1990), of which each part is rounded down.
func similarity[A, B string | []byte](a A, b B) int {
	if string(a) == string(b) {
		if len(a) == 0 {
			return 0
		}
		return 100
	}
	a, b = a[:min(len(a), maxCompared)], b[:min(len(b), maxCompared)]
	if len(a) == 0 || len(b) == 0 {
		return 0
	}
	var inA, inB [maxCompared]bool
	reach, n := max(max(len(a), len(b))/2-1, 0), 0
	for i := range len(a) {
		for j := max(0, i-reach); j < min(len(b), i+reach+1); j++ {
			if !inB[j] && a[i] == b[j] {
				inA[i], inB[j] = true, true
				n++
				break
			}
		}
	}
	if n == 0 {
		return 0
	}
	swaps, j := 0, 0
	for i := range len(a) {
		if !inA[i] {
			continue
		}
		for !inB[j] {
			j++
		}
		if a[i] != b[j] {
			swaps++
		}
		j++
	}
	prefix := 0
	for prefix < min(len(a), len(b), 4) && a[prefix] == b[prefix] {
		prefix++
	}
	s := (100*n/len(a) + 100*n/len(b) + 100*(n-swaps/2)/n) / 3
	return s + prefix*(100-s)/10
}

// sounding is how a word sounds.
type sounding struct {
	key [48]byte
	n   int
}

func soundOf[T string | []byte](word T) (s sounding) {
	s.n = copy(s.key[:], AppendPhonetic(s.key[:0], word)) // AppendPhonetic may return more for a long word
	return s
}

// like is how alike two words sound, in hundredths.
func (s *sounding) like(o *sounding) int { return similarity(s.key[:s.n], o.key[:o.n]) }

// appendJoined appends an alias as one word.
func appendJoined(dst []byte, alias string) []byte {
	for i := range len(alias) {
		if alias[i] != ' ' {
			dst = append(dst, alias[i])
		}
	}
	return dst
}

// coarse returns the consonants of a word that are heard through noise, voiced and voiceless ones as one.
func (s *sounding) coarse() (c sounding) {
	for _, class := range s.key[:s.n] {
		switch class {
		case 'B':
			class = 'P'
		case 'D', '0':
			class = 'T'
		case 'G':
			class = 'K'
		case 'J':
			class = 'X'
		case 'H', 'W', 'Y':
			continue
		}
		if class < 'a' && (c.n == 0 || c.key[c.n-1] != class) {
			c.key[c.n] = class
			c.n++
		}
	}
	return c
}
