package callgen

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// person is somebody of a call's cast.
type person struct {
	first, last string
	she         bool
}

// form is how a fact is said. When spoken is empty the fact has one form only.
type form struct{ written, spoken string }

// facts holds what is true in one call. A fact is made up when a script first
// asks for it and stays the same for the call.
type facts struct {
	r      *rand.Rand
	domain string
	plain  bool
	cast   [int(lastRole) + 1]person
	forms  map[*slot]form
}

type role int

const (
	roleAgent role = iota
	roleAgent2
	roleCustomer
	roleOther
	roleKid
	roleMaiden
	roleDoctor
	roleDoctor2
	lastRole = roleDoctor2
)

// reset prepares f for another call. The cast has different first names and
// different surnames, so that a name belongs to one person of the call.
func (f *facts) reset(r *rand.Rand, domain string, plain bool) {
	*f = facts{r: r, domain: domain, plain: plain, forms: map[*slot]form{}}
	// A random start and a step that shares no factor with the list's length
	// visit each name at most once.
	fi, li := r.IntN(len(firstNames)), r.IntN(len(surnames))
	fs, ls := coprimeStep(r, len(firstNames)), coprimeStep(r, len(surnames))
	for i := range f.cast {
		n := firstNames[(fi+i*fs)%len(firstNames)]
		f.cast[i] = person{first: n.name, she: n.she, last: surnames[(li+i*ls)%len(surnames)]}
	}
}

func coprimeStep(r *rand.Rand, n int) int {
	for {
		s := 1 + r.IntN(n-1)
		a, b := n, s
		for b != 0 {
			a, b = b, a%b
		}
		if a == 1 {
			return s
		}
	}
}

// say gives a fact in one of its forms.
func (f *facts) say(s *slot) string {
	v := f.fact(s)
	if v.spoken == "" {
		return v.written
	}
	if f.plain || f.r.IntN(3) == 0 {
		return v.spoken
	}
	return v.written
}

// form is fact by the name of the slot.
func (f *facts) form(name string) form { return f.fact(slots[name]) }

// fact gives both forms of a fact, as this call's recognizer writes them.
func (f *facts) fact(s *slot) form {
	v, ok := f.forms[s]
	if !ok {
		v = s.make(f)
		if f.plain {
			if v.spoken != "" {
				v.spoken = plain(v.spoken)
			} else {
				v.written = plain(v.written)
			}
		}
		f.forms[s] = v
	}
	return v
}

func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

// written is a fact with one form only.
func written(s string) form { return form{written: s} }

// digits gives n random digits of which the first is not 0.
func (f *facts) digits(n int) []byte {
	b := make([]byte, n, n+8)
	for i := range b {
		b[i] = byte('0' + f.r.IntN(10))
	}
	if b[0] == '0' {
		b[0] = '7'
	}
	return b
}

// coded is a number or code that is said symbol by symbol.
func (f *facts) coded(code string) form { return form{code, sayCode(f.r, code)} }

func (p *person) full() string { return p.first + " " + p.last }

func (p *person) title() string {
	if p.she {
		return "Ms."
	}
	return "Mr."
}

// kin is what a member of the family is to the customer.
func (p *person) kin(she, he string) string {
	if p.she {
		return she
	}
	return he
}

// place is where things happen in this call: the same for the same n.
func (f *facts) place(n int) place {
	i := 0
	for _, c := range []byte(f.cast[roleCustomer].last) {
		i = i*31 + int(c)
	}
	return places[(i&0xffff+7*n)%len(places)]
}

// letter is one that is not taken for a digit.
func (f *facts) letter() byte { return "ABCDEFGHJKLMNPRTUVWXY"[f.r.IntN(21)] }

func (f *facts) phoneDigits() string {
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, f.form("phone").written)
}

func (f *facts) mail(p *person) form {
	first, last := fold(p.first), fold(p.last)
	var a string
	switch f.r.IntN(4) {
	case 0:
		a = first + "." + last
	case 1:
		a = first[:1] + last + string(f.digits(2))
	case 2:
		a = first + "_" + last
	default:
		a = first + last
	}
	a += "@" + pick(f.r, mailHosts)
	return form{a, sayAddress(a)}
}

// aba is a routing number with its check digit (weights 3, 7, 1).
func (f *facts) aba() []byte {
	d := append([]byte("0"), f.digits(7)...)
	d[1] = '1' + byte(f.r.IntN(9))
	sum := 0
	for i, w := range []int{3, 7, 1, 3, 7, 1, 3, 7} {
		sum += w * int(d[i]-'0')
	}
	return append(d, byte('0'+(10-sum%10)%10))
}

// german is an IBAN of Germany with its check digits (ISO 7064, mod 97).
func (f *facts) german() string {
	bban := f.digits(18)
	rest := 0
	for _, c := range append(append([]byte{}, bban...), "131400"...) { // D = 13, E = 14
		rest = (rest*10 + int(c-'0')) % 97
	}
	s := fmt.Sprintf("DE%02d%s", 98-rest, bban)
	return s[:4] + " " + s[4:8] + " " + s[8:12] + " " + s[12:16] + " " + s[16:20] + " " + s[20:]
}

// vehicle is a VIN with its check digit (ISO 3779, 49 CFR 565).
func (f *facts) vehicle() []byte {
	const value = "0123456789.ABCDEFGH..JKLMN.P.R..STUVWXYZ"
	weights := [17]int{8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2}
	v := make([]byte, 17)
	v[0] = '1'
	for i := 1; i < 17; i++ {
		if i < 8 || i == 10 {
			v[i] = f.letter()
		} else {
			v[i] = byte('0' + f.r.IntN(10))
		}
	}
	sum := 0
	for i, c := range v {
		sum += weights[i] * (strings.IndexByte(value, c) % 10)
	}
	v[8] = "0123456789X"[sum%11]
	return v
}

// sayNumbers says the numbers of an IP address group by group.
func sayNumbers(a string) string {
	groups := strings.Split(a, ".")
	for i, g := range groups {
		n := 0
		for _, c := range g {
			n = n*10 + int(c-'0')
		}
		groups[i] = cardinal(n)
	}
	return strings.Join(groups, " dot ")
}
