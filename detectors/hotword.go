package detectors

import "sotto/internal/wordhash"

// Hotword is a kind of word or phrase that makes a value near it more likely to
// be of one infoType, or less likely to be information at all.
type Hotword uint8

// The hotwords. HotNone is the zero value.
const (
	HotNone Hotword = iota
	HotEmail
	HotPhone
	HotCard
	HotCardCode
	HotExpiry
	HotSSN
	HotLast
	HotAccount
	HotUserName
	HotSpell
	HotAddress
	HotPostal
	HotBirth
	HotAge
	HotMedicalRecord
	HotDiagnosis
	HotIBAN
	HotSwift
	HotRouting
	HotPassport
	HotVAT
	HotVIN
	HotIMEI
	HotICCID
	HotIMSI
	HotIP
	HotMAC
	HotURL
	HotCoordinates
	HotAdvertising
	HotCookie
	HotSecret
	HotPlate
	// The following make a number less likely to be information.
	HotMoney
	HotDate
	HotVersion
	// NumHotwords counts them.
	NumHotwords
)

// DefaultHotwordWindow is the HotwordWindow of a document whose caller sets
// none.
const DefaultHotwordWindow = 100

// hotwordText lists the words and phrases of each hotword, parted by commas.
// Where one is the beginning of another, the longer wins.
var hotwordText = [NumHotwords]string{
	HotEmail: "email, emails, mail id, email address, e mail, e mail address, e mail id, email id, mailing id, mail address, emailed",
	HotPhone: "phone, cell, mobile, telephone, cellphone, callback, fax, landline, phone number, cell number, mobile number, " +
		"contact number, call back, callback number, reach, reached, extension, ext, area code, text, call me, call him, call her, " +
		"call us, phone no, contact no, mobile no, whatsapp, dial, phones, home number, work number, best number, contact, ph",
	HotCard: "card, visa, mastercard, amex, debit, credit card, card number, discover, american express, debit card, cc, cards, " +
		"master card, creditcard, card no, credit",
	HotCardCode: "cvv, cvc, cvv2, cid, security code, verification code, card verification, code on the back, digits on the back, numbers on the back, number on the back, three digit code, " +
		"four digit code, 3 digit code, 4 digit code",
	HotExpiry: "expires, expiry, expiration, exp, expiration date, expiry date, valid through, valid thru, good through",
	HotSSN: "ssn, social, sin, social security, social security number, social insurance, social insurance number, taxpayer, itin, " +
		"tin, social number, ss number, soc",
	HotLast: "last four, last 4, ending in, ends in, ending with, ends with, last four digits, last 4 digits, last three, last six, last 6, " +
		"last eight, last five, last 3, last two, last digits, starts with, starting with, first six, first four, last for",
	HotAccount: "account, acct, member, membership, policy, confirmation, reference, order, case, ticket, tracking, booking, claim, invoice, " +
		"serial, reservation, customer id, account number, order number, policy number, member id, membership number, membership id, " +
		"case number, ticket number, reference number, confirmation number, confirmation code, tracking number, booking reference, " +
		"claim number, serial number, order id, account id, account no, policy no, invoice number, customer number, employee id, " +
		"employee number, student id, student number, id number, ref, id, record locator, pnr, loyalty number, rewards number, " +
		"frequent flyer, account holder number, bank account, group number, subscriber id, contract number, registration number, " +
		"license number, licence number, license, licence, drivers license, driver 's license, driver license, badge number, file number, " +
		"transaction number, transaction id, purchase order, po number, item number, work order, meter number, quote number, identification, " +
		"id card, case id, ticket id, claim id, shipping number, agent id, service tag, asset tag, device id, subscription number",
	HotUserName: "username, usernames, user name, user id, userid, login, log in, log in name, login name, login id, handle, gamertag, " +
		"gamer tag, screen name, screenname, skype id, skype, twitter, instagram, user, nickname, logging in as, signed in as, sign in",
	HotSpell: "spell, spelled, spelling, spelt, spells",
	HotAddress: "address, addresses, live at, lives at, living at, mailing, ship to, shipped to, located at, deliver to, delivered to, " +
		"address is, residence, reside at, billing address, mailing address, shipping address, moved to, street address, home address, " +
		"delivery address, live on, street",
	HotPostal: "zip, zipcode, zip code, postal, postal code, postcode, post code, postalcode, pin code, pincode, area pin",
	HotBirth:  "birth, dob, birthday, birthdate, born, date of birth, birth date, birthdays, d o b, birth day, year of birth",
	HotAge:    "age, aged, old, turning, turned, how old, years old, year old",
	HotMedicalRecord: "mrn, chart, medical record, medical record number, chart number, patient id, patient number, health card, phn, ohip, " +
		"medicare, medicaid, health number, health card number, hospital number, patient record, health insurance number, medical id, nhs, " +
		"nhs number, record number",
	HotDiagnosis: "diagnosis, icd, icd9, icd10, diagnosed, diagnostic, icd code, billing code, diagnosis code, procedure code, icd 10, icd 9",
	HotIBAN:      "iban, international bank account, wire, bank account number, wire transfer",
	HotSwift:     "swift, bic, swift code, bic code, swift number",
	HotRouting: "routing, aba, transit, institution number, void cheque, routing number, aba number, transit number, branch number, " +
		"void check, sort code, rtn",
	HotPassport: "passport, passports, travel document, passport number",
	HotVAT: "vat, gst, hst, ein, tax id, tax number, tax identification, business number, vat number, employer identification, tax id number, " +
		"federal tax, fein, gst number, hst number, vat id",
	HotVIN:         "vin, vehicle identification, vehicle identification number, vin number, vehicle id",
	HotIMEI:        "imei, meid, imei number, star pound, device serial",
	HotICCID:       "iccid, sim, sim card, sim number, sim card number, icc",
	HotIMSI:        "imsi, subscriber identity",
	HotIP:          "ip, ipv4, ipv6, ip address, ping, router, subnet, gateway, dns, server",
	HotMAC:         "mac, mac address, hardware address, physical address, bssid",
	HotURL:         "website, site, link, url, web site, web page, webpage, domain, go to, visit, web address, browser, log on, portal, page, online at",
	HotCoordinates: "latitude, longitude, gps, coordinates, coordinate, lat, long, lng, plus code, what three words, what3words",
	HotAdvertising: "idfa, aaid, gaid, advertising id, advertising, advertising identifier, ad id",
	HotCookie:      "cookie, cookies, session cookie",
	HotSecret: "password, passcode, pin, pin number, pin code number, passphrase, otp, one time code, one time password, access code, " +
		"verification pin, security pin, security answer, secret code, gate code, door code, temporary password",
	HotPlate: "plate, license plate, licence plate, plate number, tag number, registration plate, number plate",
	HotMoney: "cost, costs, price, fee, fees, charge, charged, charges, paid, pay, owe, refund, balance, total, amount, payment, credit of, " +
		"discount, deposit, premium, deductible, salary, budget",
	HotDate: "appointment, appointments, due, since, scheduled, schedule, delivered on, arrive, arrives, arriving, departs, departing, " +
		"purchased on, ordered on, as of, effective, expired, renew, renews, renewal, check in, check out, anniversary",
	HotVersion: "version, versions, model, section, chapter, step, release, build number, error code, error",
}

// hotToken is a token that is a hotword or may begin a phrase.
type hotToken struct {
	token uint32
	entry *entry
}

// HotwordHit is a hotword in a text.
type HotwordHit struct {
	Hotword Hotword
	// Start and End are byte offsets into the text. In Document.Prior they are
	// negative and count characters back from the beginning of the text.
	Start, End int
}

// findHotwords fills d.Hotwords from the tokens that tokenize marked.
func (d *Document) findHotwords() {
	end := 0
	for _, h := range d.hotTokens {
		i := int(h.token)
		if i < end {
			continue
		}
		hot, n := h.entry.hot, 1
		if h.entry.bits&IsHotword == 0 {
			n = 0
		}
		for _, p := range dictionary.phrases[h.entry.phrases] {
			if m := d.matchPhrase(i, p.rest); m > n {
				hot, n = p.hot, m
			}
		}
		if n == 0 {
			continue
		}
		end = i + n
		d.Hotwords = append(d.Hotwords, HotwordHit{hot, int(d.Tokens[i].Start), int(d.Tokens[end-1].End)})
	}
}

// matchPhrase returns how many tokens the phrase takes that begins at token i,
// 0 when it does not stand there. A hyphen or dot between words does not count.
func (d *Document) matchPhrase(i int, rest []uint64) int {
	j := i + 1
	for _, h := range rest {
		for j < len(d.Tokens) && d.Tokens[j].Class == Punct && (d.Tokens[j].Ch == '-' || d.Tokens[j].Ch == '.') && j-i < 8 {
			j++
		}
		if j >= len(d.Tokens) || d.tokenHash(j) != h {
			return 0
		}
		j++
	}
	return j - i
}

// tokenHash is the hash of the token's folded text, also for digits.
func (d *Document) tokenHash(i int) uint64 {
	t := &d.Tokens[i]
	if t.Class != Digits {
		return t.Hash
	}
	return wordhash.Bytes(d.folded[t.from:t.to])
}

// HasHotword tells whether the hotword is in the text.
func (d *Document) HasHotword(h Hotword) bool {
	for i := range d.Hotwords {
		if d.Hotwords[i].Hotword == h {
			return true
		}
	}
	return false
}

// Near holds, for each hotword, how many characters stand between it and a
// value; Far where it is not near.
type Near [NumHotwords]uint16

// Far is the distance of a hotword that is not near.
const Far = 1 << 14

// afterPenalty is how much farther a hotword counts that comes after the value.
const afterPenalty = 30

// hotwordsFrom returns the position of the first hotword of this text that ends at
// or after byte offset b. Hotwords are in order and do not overlap.
func (d *Document) hotwordsFrom(b int) int {
	lo, hi := 0, len(d.Hotwords)
	for lo < hi {
		if m := (lo + hi) / 2; d.Hotwords[m].End < b {
			lo = m + 1
		} else {
			hi = m
		}
	}
	return lo
}

// Near measures how far the hotwords are from the value at start to end: at most
// window characters before it, earlier turns included, or after characters
// behind it.
func (d *Document) Near(start, end, window, after int) (n Near) {
	for i := range n {
		n[i] = Far
	}
	for i := d.hotwordsFrom(start - window); i < len(d.Hotwords); i++ {
		w := &d.Hotwords[i]
		if w.Start-end > after {
			break
		}
		if w.Start >= end {
			n.put(w.Hotword, w.Start-end+afterPenalty)
		} else if w.End <= start {
			n.put(w.Hotword, start-w.End)
		}
	}
	for i := range d.Prior {
		if w := &d.Prior[i]; start-w.End <= window {
			n.put(w.Hotword, start-w.End)
		}
	}
	return n
}

// HotBefore tells whether the hotword begins before byte offset b and ends at most
// window characters before it, earlier turns included.
func (d *Document) HotBefore(h Hotword, b, window int) bool {
	for i := d.hotwordsFrom(b - window); i < len(d.Hotwords) && d.Hotwords[i].Start <= b; i++ {
		if d.Hotwords[i].Hotword == h {
			return true
		}
	}
	for i := range d.Prior {
		if w := &d.Prior[i]; w.Hotword == h && b-w.End <= window {
			return true
		}
	}
	return false
}

func (n *Near) put(h Hotword, distance int) {
	if distance < int(n[h]) {
		n[h] = uint16(max(distance, 0))
	}
}
