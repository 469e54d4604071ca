package callgen

import (
	"fmt"
	"strings"
)

// slot is a fact that a script may ask for: {name}. Its words have an infoType, "" for words that
// identify nobody, and tell an entity, which has one name for all the slots that tell the same.
type slot struct {
	name, infoType, entity string
	make                   func(*facts) form
}

// slots are all slots by name. init fills it, since some facts are parts of others.
var slots = map[string]*slot{}

func init() {
	for _, group := range [][]slot{people, things, contacts, codes, quantities} {
		for i := range group {
			slots[group[i].name] = &group[i]
		}
	}
}

// people are names and how they are spelled.
var people = []slot{
	{"agent", "PERSON_NAME", "agent", func(f *facts) form { return written(f.cast[roleAgent].first) }},
	{"agent.full", "PERSON_NAME", "agent", func(f *facts) form { return written(f.cast[roleAgent].full()) }},
	{"agent2", "PERSON_NAME", "agent2", func(f *facts) form { return written(f.cast[roleAgent2].first) }},
	{"cust", "PERSON_NAME", "cust", func(f *facts) form { return written(f.cast[roleCustomer].full()) }},
	{"cust.first", "PERSON_NAME", "cust", func(f *facts) form { return written(f.cast[roleCustomer].first) }},
	{"cust.last", "PERSON_NAME", "cust", func(f *facts) form { return written(f.cast[roleCustomer].last) }},
	{"cust.mr", "", "", func(f *facts) form { return written(f.cast[roleCustomer].title()) }},
	{"cust.spell", "PERSON_NAME", "cust", func(f *facts) form { return written(spell(f.cast[roleCustomer].last, f.plain)) }},
	{"cust.spellas", "PERSON_NAME", "cust", func(f *facts) form { return written(spellAs(f.r, f.cast[roleCustomer].last)) }},
	{"other", "PERSON_NAME", "other", func(f *facts) form { return written(f.cast[roleOther].full()) }},
	{"other.first", "PERSON_NAME", "other", func(f *facts) form { return written(f.cast[roleOther].first) }},
	{"other.last", "PERSON_NAME", "other", func(f *facts) form { return written(f.cast[roleOther].last) }},
	{"other.mr", "", "", func(f *facts) form { return written(f.cast[roleOther].title()) }},
	{"other.spell", "PERSON_NAME", "other", func(f *facts) form { return written(spell(f.cast[roleOther].last, f.plain)) }},
	{"other.kin", "", "", func(f *facts) form {
		p := &f.cast[roleOther]
		return written(pick(f.r, []string{p.kin("wife", "husband"), p.kin("sister", "brother")}))
	}},
	{"kid", "PERSON_NAME", "kid", func(f *facts) form { return written(f.cast[roleKid].first) }},
	{"kid.kin", "", "", func(f *facts) form { return written(f.cast[roleKid].kin("daughter", "son")) }},
	{"maiden", "PERSON_NAME", "maiden", func(f *facts) form { return written(f.cast[roleMaiden].last) }},
	{"maiden.spell", "PERSON_NAME", "maiden", func(f *facts) form { return written(spell(f.cast[roleMaiden].last, f.plain)) }},
	{"doctor", "PERSON_NAME", "doctor", func(f *facts) form { return written(f.cast[roleDoctor].last) }},
	{"doctor2", "PERSON_NAME", "doctor2", func(f *facts) form { return written(f.cast[roleDoctor2].last) }},
}

// things are companies, places, products and medical terms.
var things = []slot{
	{"org", "ORGANIZATION_NAME", "org", func(f *facts) form {
		return written(pick(f.r, orgHeads) + " " + pick(f.r, ofDomain(orgTails, f.domain)))
	}},
	{"custorg", "ORGANIZATION_NAME", "custorg", anyCompany},
	{"custorg2", "ORGANIZATION_NAME", "custorg2", anyCompany},
	{"clinic", "ORGANIZATION_NAME", "clinic", func(f *facts) form { return written(pick(f.r, orgHeads) + " " + pick(f.r, clinicTails)) }},
	{"city", "LOCATION", "city", func(f *facts) form { return written(f.place(0).city) }},
	{"city2", "LOCATION", "city2", func(f *facts) form { return written(f.place(1).city) }},
	{"address.street", "STREET_ADDRESS", "address.street", func(f *facts) form { return written(pick(f.r, streets)) }},
	{"product", "PRODUCT", "product", func(f *facts) form { return written(pick(f.r, ofDomain(products, f.domain))) }},
	{"med", "MEDICAL_TERM", "med", func(f *facts) form { return written(pick(f.r, medTerms)) }},
	{"drug", "MEDICAL_TERM", "drug", anyDrug},
	{"drug2", "MEDICAL_TERM", "drug2", anyDrug},
	{"day", "", "", anyDay},
	{"day2", "", "", anyDay},
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
var contacts = []slot{
	{"phone", "PHONE_NUMBER", "phone", anyPhone},
	{"phone.wrong", "PHONE_NUMBER", "phone.wrong", anyPhone},
	{"otherphone", "PHONE_NUMBER", "otherphone", anyPhone},
	{"agentphone", "PHONE_NUMBER", "agentphone", anyPhone},
	{"phone.a", "PHONE_NUMBER", "phone", func(f *facts) form { return f.coded(f.phoneDigits()[:3]) }},
	{"phone.b", "PHONE_NUMBER", "phone", func(f *facts) form {
		d := f.phoneDigits()
		return f.coded(d[3:6] + " " + d[6:])
	}},
	{"phone.last4", "PHONE_NUMBER", "phone.last4", func(f *facts) form { return f.coded(f.phoneDigits()[6:]) }},
	{"email", "EMAIL_ADDRESS", "email", func(f *facts) form { return f.mail(&f.cast[roleCustomer]) }},
	{"email.wrong", "EMAIL_ADDRESS", "email.wrong", func(f *facts) form { return f.mail(&f.cast[roleCustomer]) }},
	{"email.other", "EMAIL_ADDRESS", "email.other", func(f *facts) form { return f.mail(&f.cast[roleOther]) }},
	{"domain", "DOMAIN_NAME", "domain", func(f *facts) form {
		host, _, _ := strings.Cut(f.form("custorg").written, " ")
		host = fold(host) + "." + pick(f.r, mailHosts)
		return form{host, sayAddress(host)}
	}},
	{"address", "STREET_ADDRESS", "address", func(f *facts) form { return f.address(0) }},
	{"address.other", "STREET_ADDRESS", "address.other", func(f *facts) form { return f.address(1) }},
	{"zip", "STREET_ADDRESS", "zip", func(f *facts) form {
		a := f.form("address").written
		return f.coded(a[len(a)-5:])
	}},
	{"user", "USER_NAME", "user", anyUser},
	{"user.wrong", "USER_NAME", "user.wrong", anyUser},
	{"dob", "DATE_OF_BIRTH", "dob", anyBirthday},
	{"dob.other", "DATE_OF_BIRTH", "dob.other", anyBirthday},
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
var codes = []slot{
	{"account", "GENERIC_ID", "account", func(f *facts) form { return f.coded(string(f.digits(9))) }},
	{"account.a", "GENERIC_ID", "account", func(f *facts) form { return f.coded(f.form("account").written[:5]) }},
	{"account.b", "GENERIC_ID", "account", func(f *facts) form { return f.coded(f.form("account").written[5:]) }},
	{"order", "GENERIC_ID", "order", anyOrder},
	{"order.wrong", "GENERIC_ID", "order.wrong", anyOrder},
	{"policy", "GENERIC_ID", "policy", func(f *facts) form {
		return f.coded(fmt.Sprintf("%c%c-%s-%c", f.letter(), f.letter(), f.digits(6), f.letter()))
	}},
	{"claim", "GENERIC_ID", "claim", digits8},
	{"case", "GENERIC_ID", "case", digits8},
	{"ticket", "GENERIC_ID", "ticket", digits8},
	{"member", "GENERIC_ID", "member", func(f *facts) form {
		return f.coded(fmt.Sprintf("%c%c%c%s", f.letter(), f.letter(), f.letter(), f.digits(7)))
	}},
	{"license", "GENERIC_ID", "license", func(f *facts) form { return f.coded(fmt.Sprintf("%c%s", f.letter(), f.digits(7))) }},
	{"tracking", "GENERIC_ID", "tracking", func(f *facts) form { return f.coded(fmt.Sprintf("1Z%s", f.digits(12))) }},
	{"serial", "GENERIC_ID", "serial", func(f *facts) form { return f.coded(fmt.Sprintf("%c%c%s", f.letter(), f.letter(), f.digits(6))) }},
	{"mrn", "MEDICAL_RECORD_NUMBER", "mrn", func(f *facts) form { return f.coded(string(f.digits(7))) }},
	{"pin", "NUMERIC", "pin", func(f *facts) form { return f.coded(string(f.digits(4))) }},
	{"pin3", "NUMERIC", "pin3", func(f *facts) form { return f.coded(string(f.digits(3))) }},
	{"code", "NUMERIC", "code", func(f *facts) form { return f.coded(string(f.digits(6))) }},
	{"card", "CREDIT_CARD_NUMBER", "card", func(f *facts) form {
		d := luhn(append([]byte("4000"), f.digits(11)...))
		return f.coded(fmt.Sprintf("%s %s %s %s", d[:4], d[4:8], d[8:12], d[12:]))
	}},
	{"card.1", "CREDIT_CARD_NUMBER", "card", func(f *facts) form { return f.coded(f.form("card").written[:4]) }},
	{"card.2", "CREDIT_CARD_NUMBER", "card", func(f *facts) form { return f.coded(f.form("card").written[5:9]) }},
	{"card.3", "CREDIT_CARD_NUMBER", "card", func(f *facts) form { return f.coded(f.form("card").written[10:14]) }},
	{"card.4", "CREDIT_CARD_NUMBER", "card", func(f *facts) form { return f.coded(f.form("card").written[15:]) }},
	{"card.last4", "CREDIT_CARD_NUMBER", "card.last4", func(f *facts) form { return f.coded(f.form("card").written[15:]) }},
	{"ssn", "SSN", "ssn", func(f *facts) form {
		// Areas 734 to 749 were never given out by region.
		d := f.digits(6)
		d[1] = '1' + d[1]%9
		return f.coded(fmt.Sprintf("%d-%s-%s", 734+f.r.IntN(16), d[:2], d[2:]))
	}},
	{"ssn.last4", "SSN", "ssn.last4", func(f *facts) form { return f.coded(f.form("ssn").written[7:]) }},
	{"routing", "ROUTING_NUMBER", "routing", func(f *facts) form { return f.coded(string(f.aba())) }},
	{"iban", "IBAN_CODE", "iban", func(f *facts) form { return f.coded(f.german()) }},
	{"vin", "VEHICLE_IDENTIFICATION_NUMBER", "vin", func(f *facts) form { return f.coded(string(f.vehicle())) }},
	{"imei", "IMEI_HARDWARE_ID", "imei", func(f *facts) form { return f.coded(string(luhn(append([]byte("35"), f.digits(12)...)))) }},
	{"ip", "IP_ADDRESS", "ip", func(f *facts) form {
		a := fmt.Sprintf("192.168.%d.%d", f.r.IntN(9), 2+f.r.IntN(250))
		return form{a, sayNumbers(a)}
	}},
}

func anyOrder(f *facts) form {
	d := f.digits(5)
	return f.coded(fmt.Sprintf("%c%s%c%c%c%c", f.letter(), d[:3], f.letter(), d[3], f.letter(), d[4]))
}

func digits8(f *facts) form { return f.coded(string(f.digits(8))) }

// quantities identify nobody, except for ages.
var quantities = []slot{
	{"expiry", "", "", func(f *facts) form {
		m, y := 1+f.r.IntN(12), 27+f.r.IntN(5)
		return form{fmt.Sprintf("%02d/%d", m, y), cardinal(m) + " " + cardinal(y)}
	}},
	{"age", "AGE", "age", func(f *facts) form {
		n := 4 + f.r.IntN(14)
		return form{fmt.Sprintf("%d years old", n), cardinal(n) + " years old"}
	}},
	{"amount", "", "", anyAmount},
	{"amount2", "", "", anyAmount},
	{"percent", "", "", func(f *facts) form {
		n := 5 * (1 + f.r.IntN(8))
		return form{fmt.Sprintf("%d%%", n), cardinal(n) + " percent"}
	}},
	{"time", "", "", anyTime},
	{"time2", "", "", anyTime},
	{"n", "", "", anyNumber},
	{"n2", "", "", anyNumber},
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
