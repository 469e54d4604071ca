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
	forms  [numSlots]form
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
	*f = facts{r: r, domain: domain, plain: plain}
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
func (f *facts) say(s slot) string {
	v := f.form(s)
	if v.spoken == "" {
		return v.written
	}
	if f.plain || f.r.IntN(3) == 0 {
		return v.spoken
	}
	return v.written
}

// form gives both forms of a fact, as this call's recogniser writes them.
func (f *facts) form(s slot) form {
	if f.forms[s].written == "" {
		v := f.make(s)
		if f.plain {
			if v.spoken != "" {
				v.spoken = plain(v.spoken)
			} else {
				v.written = plain(v.written)
			}
		}
		f.forms[s] = v
	}
	return f.forms[s]
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

func (f *facts) make(s slot) form {
	switch s {
	case agent:
		return written(f.cast[roleAgent].first)
	case agentFull:
		return written(f.cast[roleAgent].full())
	case agent2:
		return written(f.cast[roleAgent2].first)
	case cust:
		return written(f.cast[roleCustomer].full())
	case custFirst:
		return written(f.cast[roleCustomer].first)
	case custLast:
		return written(f.cast[roleCustomer].last)
	case custMr:
		return written(f.cast[roleCustomer].title())
	case custSpell:
		return written(spell(f.cast[roleCustomer].last, f.plain))
	case custSpellAs:
		return written(spellAs(f.r, f.cast[roleCustomer].last))
	case other:
		return written(f.cast[roleOther].full())
	case otherFirst:
		return written(f.cast[roleOther].first)
	case otherLast:
		return written(f.cast[roleOther].last)
	case otherMr:
		return written(f.cast[roleOther].title())
	case otherSpell:
		return written(spell(f.cast[roleOther].last, f.plain))
	case otherKin:
		if f.cast[roleOther].she {
			return written(pick(f.r, []string{"wife", "sister"}))
		}
		return written(pick(f.r, []string{"husband", "brother"}))
	case kid:
		return written(f.cast[roleKid].first)
	case kidKin:
		if f.cast[roleKid].she {
			return written("daughter")
		}
		return written("son")
	case maiden:
		return written(f.cast[roleMaiden].last)
	case maidenSpell:
		return written(spell(f.cast[roleMaiden].last, f.plain))
	case doctor:
		return written(f.cast[roleDoctor].last)
	case doctor2:
		return written(f.cast[roleDoctor2].last)
	case org:
		tails, ok := orgTails[f.domain]
		if !ok {
			tails = orgTails[""]
		}
		return written(pick(f.r, orgHeads) + " " + pick(f.r, tails))
	case custOrg, custOrg2:
		return written(pick(f.r, orgHeads) + " " + pick(f.r, orgTails[""]))
	case clinic:
		return written(pick(f.r, orgHeads) + " " + pick(f.r, clinicTails))
	case city:
		return written(f.place(0).city)
	case city2:
		return written(f.place(1).city)
	case addressStreet:
		return written(pick(f.r, streets))
	case product:
		list, ok := products[f.domain]
		if !ok {
			list = products[""]
		}
		return written(pick(f.r, list))
	case med:
		return written(pick(f.r, medTerms))
	case drug, drug2:
		return written(pick(f.r, drugs))
	case day, day2:
		return written(pick(f.r, days))
	default:
		return f.makeNumber(s)
	}
}

func (p *person) full() string { return p.first + " " + p.last }

func (p *person) title() string {
	if p.she {
		return "Ms."
	}
	return "Mr."
}

// place is where things happen in this call: the same for the same n.
func (f *facts) place(n int) place {
	i := 0
	for _, c := range []byte(f.cast[roleCustomer].last) {
		i = i*31 + int(c)
	}
	return places[(i&0xffff+7*n)%len(places)]
}

func (f *facts) makeNumber(s slot) form {
	switch s {
	case phone, phoneWrong, otherPhone, agentPhone:
		// 555-01xx is set aside for fiction.
		area := string(f.digits(3))
		if area[1] == '9' || area[0] == '1' {
			area = "604"
		}
		line := fmt.Sprintf("01%02d", f.r.IntN(100))
		spoken := sayCode(f.r, area+" 555 "+line)
		switch f.r.IntN(4) {
		case 0:
			return form{"(" + area + ") 555-" + line, spoken}
		case 1:
			return form{area + " 555 " + line, spoken}
		default:
			return form{area + "-555-" + line, spoken}
		}
	case phoneA:
		return f.coded(f.phoneDigits()[:3])
	case phoneB:
		d := f.phoneDigits()
		return f.coded(d[3:6] + " " + d[6:])
	case phoneLast4:
		return f.coded(f.phoneDigits()[6:])
	case email, emailWrong:
		return f.mail(&f.cast[roleCustomer])
	case emailOther:
		return f.mail(&f.cast[roleOther])
	case domain:
		host, _, _ := strings.Cut(f.form(custOrg).written, " ")
		host = fold(host) + "." + pick(f.r, mailHosts)
		return form{host, sayAddress(host)}
	case account:
		return f.coded(string(f.digits(9)))
	case accountA:
		return f.coded(f.form(account).written[:5])
	case accountB:
		return f.coded(f.form(account).written[5:])
	case order, orderWrong:
		d := f.digits(5)
		return f.coded(fmt.Sprintf("%c%s%c%c%c%c", f.letter(), d[:3], f.letter(), d[3], f.letter(), d[4]))
	case policy:
		return f.coded(fmt.Sprintf("%c%c-%s-%c", f.letter(), f.letter(), f.digits(6), f.letter()))
	case claim, caseNumber, ticket:
		return f.coded(string(f.digits(8)))
	case member:
		return f.coded(fmt.Sprintf("%c%c%c%s", f.letter(), f.letter(), f.letter(), f.digits(7)))
	case license:
		return f.coded(fmt.Sprintf("%c%s", f.letter(), f.digits(7)))
	case tracking:
		return f.coded(fmt.Sprintf("1Z%s", f.digits(12)))
	case serial:
		return f.coded(fmt.Sprintf("%c%c%s", f.letter(), f.letter(), f.digits(6)))
	case mrn:
		return f.coded(string(f.digits(7)))
	case pin:
		return f.coded(string(f.digits(4)))
	case pin3:
		return f.coded(string(f.digits(3)))
	case code:
		return f.coded(string(f.digits(6)))
	case card:
		d := luhn(append([]byte("4000"), f.digits(11)...))
		return f.coded(fmt.Sprintf("%s %s %s %s", d[:4], d[4:8], d[8:12], d[12:]))
	case card1, card2, card3, card4:
		i := 5 * int(s-card1)
		return f.coded(f.form(card).written[i : i+4])
	case cardLast4:
		return f.coded(f.form(card).written[15:])
	case ssn:
		// Areas 734 to 749 were never given out by region.
		d := f.digits(6)
		d[1] = '1' + d[1]%9
		return f.coded(fmt.Sprintf("%d-%s-%s", 734+f.r.IntN(16), d[:2], d[2:]))
	case ssnLast4:
		return f.coded(f.form(ssn).written[7:])
	case routing:
		return f.coded(string(f.aba()))
	case iban:
		return f.coded(f.german())
	case vin:
		return f.coded(string(f.vehicle()))
	case imei:
		return f.coded(string(luhn(append([]byte("35"), f.digits(12)...))))
	case ip:
		a := fmt.Sprintf("192.168.%d.%d", f.r.IntN(9), 2+f.r.IntN(250))
		return form{a, sayNumbers(a)}
	case zip:
		a := f.form(address).written
		return f.coded(a[len(a)-5:])
	case address, addressOther:
		p := f.place(int(s - address))
		n, street := 11+f.r.IntN(980), pick(f.r, streets)
		z := p.zip + fmt.Sprintf("%02d", 10+f.r.IntN(80))
		return form{
			fmt.Sprintf("%d %s, %s, %s %s", n, street, p.city, p.state, z),
			fmt.Sprintf("%s %s, %s, %s, %s", cardinal(n), street, p.city, p.state, sayCode(f.r, z)),
		}
	case dob, dobOther:
		y, m, d := 1941+f.r.IntN(58), f.r.IntN(12), 1+f.r.IntN(28)
		spoken := fmt.Sprintf("%s %s, %s", months[m], ordinal(d), year(y))
		if f.r.IntN(2) == 0 {
			return form{fmt.Sprintf("%02d/%02d/%d", m+1, d, y), spoken}
		}
		return form{fmt.Sprintf("%s %d, %d", months[m], d, y), spoken}
	case user, userWrong:
		w, n := pick(f.r, userWords), f.digits(2)
		return form{w + string(n), w + " " + sayCode(f.r, string(n))}
	default:
		return f.makeQuantity(s)
	}
}

// makeQuantity makes the facts that identify nobody, and ages.
func (f *facts) makeQuantity(s slot) form {
	switch s {
	case expiry:
		m, y := 1+f.r.IntN(12), 27+f.r.IntN(5)
		return form{fmt.Sprintf("%02d/%d", m, y), cardinal(m) + " " + cardinal(y)}
	case age:
		n := 4 + f.r.IntN(14)
		return form{fmt.Sprintf("%d years old", n), cardinal(n) + " years old"}
	case amount, amount2:
		d, c := 12+f.r.IntN(400), f.r.IntN(100)
		return form{fmt.Sprintf("$%d.%02d", d, c), cardinal(d) + " dollars and " + cardinal(c) + " cents"}
	case percent:
		n := 5 * (1 + f.r.IntN(8))
		return form{fmt.Sprintf("%d%%", n), cardinal(n) + " percent"}
	case timeOfDay, timeOfDay2:
		h := 8 + f.r.IntN(4)
		if f.r.IntN(2) == 0 {
			return form{fmt.Sprintf("%d:30 a.m.", h), cardinal(h) + " thirty in the morning"}
		}
		return form{fmt.Sprintf("%d a.m.", h), cardinal(h) + " in the morning"}
	default: // number, number2
		n := 2 + f.r.IntN(20)
		return form{fmt.Sprint(n), cardinal(n)}
	}
}

// letter is one that is not taken for a digit.
func (f *facts) letter() byte { return "ABCDEFGHJKLMNPRTUVWXY"[f.r.IntN(21)] }

func (f *facts) phoneDigits() string {
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, f.form(phone).written)
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
