package callgen

// slot names a fact that a script may ask for.
type slot uint8

const (
	noSlot slot = iota
	agent
	agentFull
	agent2
	agentPhone
	cust
	custFirst
	custLast
	custMr
	custSpell
	custSpellAs
	other
	otherFirst
	otherLast
	otherMr
	otherKin
	otherSpell
	otherPhone
	kid
	kidKin
	maiden
	maidenSpell
	doctor
	doctor2
	org
	custOrg
	custOrg2
	clinic
	phone
	phoneWrong
	phoneLast4
	phoneA
	phoneB
	email
	emailWrong
	emailOther
	account
	accountA
	accountB
	order
	orderWrong
	policy
	claim
	ticket
	caseNumber
	member
	license
	tracking
	serial
	pin
	pin3
	code
	card
	card1
	card2
	card3
	card4
	cardLast4
	expiry
	ssn
	ssnLast4
	routing
	iban
	dob
	dobOther
	address
	addressOther
	addressStreet
	zip
	city
	city2
	user
	userWrong
	mrn
	vin
	imei
	ip
	domain
	product
	med
	drug
	drug2
	age
	amount
	amount2
	percent
	day
	day2
	timeOfDay
	timeOfDay2
	number
	number2
	numSlots
)

var slotByName = map[string]slot{
	"agent": agent, "agent.full": agentFull, "agent2": agent2, "agentphone": agentPhone,
	"cust": cust, "cust.first": custFirst, "cust.last": custLast, "cust.mr": custMr,
	"cust.spell": custSpell, "cust.spellas": custSpellAs,
	"other": other, "other.first": otherFirst, "other.last": otherLast, "other.mr": otherMr, "other.kin": otherKin,
	"other.spell": otherSpell, "otherphone": otherPhone,
	"kid": kid, "kid.kin": kidKin, "maiden": maiden, "maiden.spell": maidenSpell, "doctor": doctor, "doctor2": doctor2,
	"org": org, "custorg": custOrg, "custorg2": custOrg2, "clinic": clinic,
	"phone": phone, "phone.wrong": phoneWrong, "phone.last4": phoneLast4, "phone.a": phoneA, "phone.b": phoneB,
	"email": email, "email.wrong": emailWrong, "email.other": emailOther,
	"account": account, "account.a": accountA, "account.b": accountB,
	"order": order, "order.wrong": orderWrong, "policy": policy, "claim": claim, "ticket": ticket,
	"case": caseNumber, "member": member, "license": license, "tracking": tracking, "serial": serial,
	"pin": pin, "pin3": pin3, "code": code,
	"card": card, "card.1": card1, "card.2": card2, "card.3": card3, "card.4": card4,
	"card.last4": cardLast4, "expiry": expiry,
	"ssn": ssn, "ssn.last4": ssnLast4, "routing": routing, "iban": iban,
	"dob": dob, "dob.other": dobOther,
	"address": address, "address.other": addressOther, "address.street": addressStreet,
	"zip": zip, "city": city, "city2": city2,
	"user": user, "user.wrong": userWrong, "mrn": mrn, "vin": vin, "imei": imei, "ip": ip, "domain": domain,
	"product": product, "med": med, "drug": drug, "drug2": drug2, "age": age,
	"amount": amount, "amount2": amount2, "percent": percent,
	"day": day, "day2": day2, "time": timeOfDay, "time2": timeOfDay2, "n": number, "n2": number2,
}

// slotInfo says what a slot's words are: their infoType ("" for words that
// identify nobody) and the entity that they tell, one name for all the slots
// that tell the same.
var slotInfo = [numSlots]struct{ infoType, entity string }{
	agent: {"PERSON_NAME", "agent"}, agentFull: {"PERSON_NAME", "agent"}, agent2: {"PERSON_NAME", "agent2"},
	agentPhone: {"PHONE_NUMBER", "agentphone"},
	cust:       {"PERSON_NAME", "cust"}, custFirst: {"PERSON_NAME", "cust"}, custLast: {"PERSON_NAME", "cust"},
	custSpell: {"PERSON_NAME", "cust"}, custSpellAs: {"PERSON_NAME", "cust"},
	other: {"PERSON_NAME", "other"}, otherFirst: {"PERSON_NAME", "other"}, otherLast: {"PERSON_NAME", "other"},
	otherSpell: {"PERSON_NAME", "other"}, otherPhone: {"PHONE_NUMBER", "otherphone"},
	kid: {"PERSON_NAME", "kid"}, maiden: {"PERSON_NAME", "maiden"}, maidenSpell: {"PERSON_NAME", "maiden"},
	doctor: {"PERSON_NAME", "doctor"}, doctor2: {"PERSON_NAME", "doctor2"},
	org: {"ORGANIZATION_NAME", "org"}, custOrg: {"ORGANIZATION_NAME", "custorg"},
	custOrg2: {"ORGANIZATION_NAME", "custorg2"}, clinic: {"ORGANIZATION_NAME", "clinic"},
	phone: {"PHONE_NUMBER", "phone"}, phoneWrong: {"PHONE_NUMBER", "phone.wrong"},
	phoneLast4: {"PHONE_NUMBER", "phone.last4"}, phoneA: {"PHONE_NUMBER", "phone"}, phoneB: {"PHONE_NUMBER", "phone"},
	email: {"EMAIL_ADDRESS", "email"}, emailWrong: {"EMAIL_ADDRESS", "email.wrong"}, emailOther: {"EMAIL_ADDRESS", "email.other"},
	account: {"GENERIC_ID", "account"}, accountA: {"GENERIC_ID", "account"}, accountB: {"GENERIC_ID", "account"},
	order: {"GENERIC_ID", "order"}, orderWrong: {"GENERIC_ID", "order.wrong"}, policy: {"GENERIC_ID", "policy"},
	claim: {"GENERIC_ID", "claim"}, ticket: {"GENERIC_ID", "ticket"}, caseNumber: {"GENERIC_ID", "case"},
	member: {"GENERIC_ID", "member"}, license: {"GENERIC_ID", "license"}, tracking: {"GENERIC_ID", "tracking"},
	serial: {"GENERIC_ID", "serial"}, pin: {"NUMERIC", "pin"}, pin3: {"NUMERIC", "pin3"}, code: {"NUMERIC", "code"},
	card: {"CREDIT_CARD_NUMBER", "card"}, card1: {"CREDIT_CARD_NUMBER", "card"}, card2: {"CREDIT_CARD_NUMBER", "card"},
	card3: {"CREDIT_CARD_NUMBER", "card"}, card4: {"CREDIT_CARD_NUMBER", "card"}, cardLast4: {"CREDIT_CARD_NUMBER", "card.last4"},
	ssn: {"SSN", "ssn"}, ssnLast4: {"SSN", "ssn.last4"}, routing: {"ROUTING_NUMBER", "routing"}, iban: {"IBAN_CODE", "iban"},
	dob: {"DATE_OF_BIRTH", "dob"}, dobOther: {"DATE_OF_BIRTH", "dob.other"},
	address: {"STREET_ADDRESS", "address"}, addressOther: {"STREET_ADDRESS", "address.other"},
	addressStreet: {"STREET_ADDRESS", "address.street"}, zip: {"STREET_ADDRESS", "zip"},
	city: {"LOCATION", "city"}, city2: {"LOCATION", "city2"},
	user: {"USER_NAME", "user"}, userWrong: {"USER_NAME", "user.wrong"}, mrn: {"MEDICAL_RECORD_NUMBER", "mrn"},
	vin: {"VEHICLE_IDENTIFICATION_NUMBER", "vin"}, imei: {"IMEI_HARDWARE_ID", "imei"}, ip: {"IP_ADDRESS", "ip"},
	domain: {"DOMAIN_NAME", "domain"}, product: {"PRODUCT", "product"},
	med: {"MEDICAL_TERM", "med"}, drug: {"MEDICAL_TERM", "drug"}, drug2: {"MEDICAL_TERM", "drug2"}, age: {"AGE", "age"},
}
