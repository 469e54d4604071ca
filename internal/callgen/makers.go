package callgen

import (
	"fmt"
	"strings"
)

// makers make up the fact of each slot. init fills it, since some facts are parts of others.
var makers [numSlots]func(*facts) form

func init() {
	for _, group := range []map[slot]func(*facts) form{people, things, contacts, codes, quantities} {
		for s, maker := range group {
			makers[s] = maker
		}
	}
}

// people are names and how they are spelled.
var people = map[slot]func(*facts) form{
	agent:       func(f *facts) form { return written(f.cast[roleAgent].first) },
	agentFull:   func(f *facts) form { return written(f.cast[roleAgent].full()) },
	agent2:      func(f *facts) form { return written(f.cast[roleAgent2].first) },
	cust:        func(f *facts) form { return written(f.cast[roleCustomer].full()) },
	custFirst:   func(f *facts) form { return written(f.cast[roleCustomer].first) },
	custLast:    func(f *facts) form { return written(f.cast[roleCustomer].last) },
	custMr:      func(f *facts) form { return written(f.cast[roleCustomer].title()) },
	custSpell:   func(f *facts) form { return written(spell(f.cast[roleCustomer].last, f.plain)) },
	custSpellAs: func(f *facts) form { return written(spellAs(f.r, f.cast[roleCustomer].last)) },
	other:       func(f *facts) form { return written(f.cast[roleOther].full()) },
	otherFirst:  func(f *facts) form { return written(f.cast[roleOther].first) },
	otherLast:   func(f *facts) form { return written(f.cast[roleOther].last) },
	otherMr:     func(f *facts) form { return written(f.cast[roleOther].title()) },
	otherSpell:  func(f *facts) form { return written(spell(f.cast[roleOther].last, f.plain)) },
	otherKin: func(f *facts) form {
		p := &f.cast[roleOther]
		return written(pick(f.r, []string{p.kin("wife", "husband"), p.kin("sister", "brother")}))
	},
	kid:         func(f *facts) form { return written(f.cast[roleKid].first) },
	kidKin:      func(f *facts) form { return written(f.cast[roleKid].kin("daughter", "son")) },
	maiden:      func(f *facts) form { return written(f.cast[roleMaiden].last) },
	maidenSpell: func(f *facts) form { return written(spell(f.cast[roleMaiden].last, f.plain)) },
	doctor:      func(f *facts) form { return written(f.cast[roleDoctor].last) },
	doctor2:     func(f *facts) form { return written(f.cast[roleDoctor2].last) },
}

// things are companies, places, products and medical terms.
var things = map[slot]func(*facts) form{
	org: func(f *facts) form {
		return written(pick(f.r, orgHeads) + " " + pick(f.r, ofDomain(orgTails, f.domain)))
	},
	custOrg:       anyCompany,
	custOrg2:      anyCompany,
	clinic:        func(f *facts) form { return written(pick(f.r, orgHeads) + " " + pick(f.r, clinicTails)) },
	city:          func(f *facts) form { return written(f.place(0).city) },
	city2:         func(f *facts) form { return written(f.place(1).city) },
	addressStreet: func(f *facts) form { return written(pick(f.r, streets)) },
	product:       func(f *facts) form { return written(pick(f.r, ofDomain(products, f.domain))) },
	med:           func(f *facts) form { return written(pick(f.r, medTerms)) },
	drug:          anyDrug,
	drug2:         anyDrug,
	day:           anyDay,
	day2:          anyDay,
}

func anyCompany(f *facts) form { return written(pick(f.r, orgHeads) + " " + pick(f.r, orgTails[""])) }
func anyDrug(f *facts) form    { return written(pick(f.r, drugs)) }
func anyDay(f *facts) form     { return written(pick(f.r, days)) }

// ofDomain are the words of a domain of calls, or those of all if it has none of its own.
func ofDomain(lists map[string][]string, domain string) []string {
	if list, ok := lists[domain]; ok {
		return list
	}
	return lists[""]
}

// contacts are ways to reach somebody, and dates of birth.
var contacts = map[slot]func(*facts) form{
	phone:      anyPhone,
	phoneWrong: anyPhone,
	otherPhone: anyPhone,
	agentPhone: anyPhone,
	phoneA:     func(f *facts) form { return f.coded(f.phoneDigits()[:3]) },
	phoneB: func(f *facts) form {
		d := f.phoneDigits()
		return f.coded(d[3:6] + " " + d[6:])
	},
	phoneLast4: func(f *facts) form { return f.coded(f.phoneDigits()[6:]) },
	email:      func(f *facts) form { return f.mail(&f.cast[roleCustomer]) },
	emailWrong: func(f *facts) form { return f.mail(&f.cast[roleCustomer]) },
	emailOther: func(f *facts) form { return f.mail(&f.cast[roleOther]) },
	domain: func(f *facts) form {
		host, _, _ := strings.Cut(f.form(custOrg).written, " ")
		host = fold(host) + "." + pick(f.r, mailHosts)
		return form{host, sayAddress(host)}
	},
	address:      func(f *facts) form { return f.address(0) },
	addressOther: func(f *facts) form { return f.address(1) },
	zip: func(f *facts) form {
		a := f.form(address).written
		return f.coded(a[len(a)-5:])
	},
	user:      anyUser,
	userWrong: anyUser,
	dob:       anyBirthday,
	dobOther:  anyBirthday,
}

func anyPhone(f *facts) form {
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
}

// address is one in the n-th place of the call.
func (f *facts) address(n int) form {
	p := f.place(n)
	house, street := 11+f.r.IntN(980), pick(f.r, streets)
	z := p.zip + fmt.Sprintf("%02d", 10+f.r.IntN(80))
	return form{
		fmt.Sprintf("%d %s, %s, %s %s", house, street, p.city, p.state, z),
		fmt.Sprintf("%s %s, %s, %s, %s", cardinal(house), street, p.city, p.state, sayCode(f.r, z)),
	}
}

func anyUser(f *facts) form {
	w, n := pick(f.r, userWords), f.digits(2)
	return form{w + string(n), w + " " + sayCode(f.r, string(n))}
}

func anyBirthday(f *facts) form {
	y, m, d := 1941+f.r.IntN(58), f.r.IntN(12), 1+f.r.IntN(28)
	spoken := fmt.Sprintf("%s %s, %s", months[m], ordinal(d), year(y))
	if f.r.IntN(2) == 0 {
		return form{fmt.Sprintf("%02d/%02d/%d", m+1, d, y), spoken}
	}
	return form{fmt.Sprintf("%s %d, %d", months[m], d, y), spoken}
}

// codes are numbers and codes that are said symbol by symbol.
var codes = map[slot]func(*facts) form{
	account:    func(f *facts) form { return f.coded(string(f.digits(9))) },
	accountA:   func(f *facts) form { return f.coded(f.form(account).written[:5]) },
	accountB:   func(f *facts) form { return f.coded(f.form(account).written[5:]) },
	order:      anyOrder,
	orderWrong: anyOrder,
	policy: func(f *facts) form {
		return f.coded(fmt.Sprintf("%c%c-%s-%c", f.letter(), f.letter(), f.digits(6), f.letter()))
	},
	claim:      digits8,
	caseNumber: digits8,
	ticket:     digits8,
	member: func(f *facts) form {
		return f.coded(fmt.Sprintf("%c%c%c%s", f.letter(), f.letter(), f.letter(), f.digits(7)))
	},
	license:  func(f *facts) form { return f.coded(fmt.Sprintf("%c%s", f.letter(), f.digits(7))) },
	tracking: func(f *facts) form { return f.coded(fmt.Sprintf("1Z%s", f.digits(12))) },
	serial:   func(f *facts) form { return f.coded(fmt.Sprintf("%c%c%s", f.letter(), f.letter(), f.digits(6))) },
	mrn:      func(f *facts) form { return f.coded(string(f.digits(7))) },
	pin:      func(f *facts) form { return f.coded(string(f.digits(4))) },
	pin3:     func(f *facts) form { return f.coded(string(f.digits(3))) },
	code:     func(f *facts) form { return f.coded(string(f.digits(6))) },
	card: func(f *facts) form {
		d := luhn(append([]byte("4000"), f.digits(11)...))
		return f.coded(fmt.Sprintf("%s %s %s %s", d[:4], d[4:8], d[8:12], d[12:]))
	},
	card1:     func(f *facts) form { return f.coded(f.form(card).written[:4]) },
	card2:     func(f *facts) form { return f.coded(f.form(card).written[5:9]) },
	card3:     func(f *facts) form { return f.coded(f.form(card).written[10:14]) },
	card4:     func(f *facts) form { return f.coded(f.form(card).written[15:]) },
	cardLast4: func(f *facts) form { return f.coded(f.form(card).written[15:]) },
	ssn: func(f *facts) form {
		// Areas 734 to 749 were never given out by region.
		d := f.digits(6)
		d[1] = '1' + d[1]%9
		return f.coded(fmt.Sprintf("%d-%s-%s", 734+f.r.IntN(16), d[:2], d[2:]))
	},
	ssnLast4: func(f *facts) form { return f.coded(f.form(ssn).written[7:]) },
	routing:  func(f *facts) form { return f.coded(string(f.aba())) },
	iban:     func(f *facts) form { return f.coded(f.german()) },
	vin:      func(f *facts) form { return f.coded(string(f.vehicle())) },
	imei:     func(f *facts) form { return f.coded(string(luhn(append([]byte("35"), f.digits(12)...)))) },
	ip: func(f *facts) form {
		a := fmt.Sprintf("192.168.%d.%d", f.r.IntN(9), 2+f.r.IntN(250))
		return form{a, sayNumbers(a)}
	},
}

func anyOrder(f *facts) form {
	d := f.digits(5)
	return f.coded(fmt.Sprintf("%c%s%c%c%c%c", f.letter(), d[:3], f.letter(), d[3], f.letter(), d[4]))
}

func digits8(f *facts) form { return f.coded(string(f.digits(8))) }

// quantities identify nobody, except for ages.
var quantities = map[slot]func(*facts) form{
	expiry: func(f *facts) form {
		m, y := 1+f.r.IntN(12), 27+f.r.IntN(5)
		return form{fmt.Sprintf("%02d/%d", m, y), cardinal(m) + " " + cardinal(y)}
	},
	age: func(f *facts) form {
		n := 4 + f.r.IntN(14)
		return form{fmt.Sprintf("%d years old", n), cardinal(n) + " years old"}
	},
	amount:  anyAmount,
	amount2: anyAmount,
	percent: func(f *facts) form {
		n := 5 * (1 + f.r.IntN(8))
		return form{fmt.Sprintf("%d%%", n), cardinal(n) + " percent"}
	},
	timeOfDay:  anyTime,
	timeOfDay2: anyTime,
	number:     anyNumber,
	number2:    anyNumber,
}

func anyAmount(f *facts) form {
	d, c := 12+f.r.IntN(400), f.r.IntN(100)
	return form{fmt.Sprintf("$%d.%02d", d, c), cardinal(d) + " dollars and " + cardinal(c) + " cents"}
}

func anyTime(f *facts) form {
	h := 8 + f.r.IntN(4)
	if f.r.IntN(2) == 0 {
		return form{fmt.Sprintf("%d:30 a.m.", h), cardinal(h) + " thirty in the morning"}
	}
	return form{fmt.Sprintf("%d a.m.", h), cardinal(h) + " in the morning"}
}

func anyNumber(f *facts) form {
	n := 2 + f.r.IntN(20)
	return form{fmt.Sprint(n), cardinal(n)}
}
