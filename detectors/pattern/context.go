package pattern

import (
	d "sotto/detectors"
	"sotto/detectors/ids"
)

// after is how many characters behind a value its hotwords are looked for.
const after = 40

// hotwordType is the infoType that a hotword makes a code.
func hotwordType(h d.Hotword) d.InfoType {
	switch h {
	case d.HotPhone:
		return d.PhoneNumber
	case d.HotCard:
		return d.CreditCardNumber
	case d.HotCardCode, d.HotExpiry:
		return d.Numeric
	case d.HotSSN:
		return d.SSN
	case d.HotAccount, d.HotSecret, d.HotPlate:
		return d.GenericID
	case d.HotUserName:
		return d.UserName
	case d.HotPostal:
		return d.StreetAddress
	case d.HotMedicalRecord:
		return d.MedicalRecordNumber
	case d.HotIBAN:
		return d.IBAN
	case d.HotSwift:
		return d.SWIFTCode
	case d.HotRouting:
		return d.RoutingNumber
	case d.HotPassport:
		return d.Passport
	case d.HotVAT:
		return d.VATNumber
	case d.HotVIN:
		return d.VIN
	case d.HotIMEI:
		return d.IMEI
	case d.HotICCID:
		return d.ICCID
	case d.HotIMSI:
		return d.IMSI
	}
	return ""
}

// matchOf tells how far a code can be a value of the type. For a type that is not
// a code it is ids.None.
func matchOf(t d.InfoType, code []byte) ids.Match {
	digits, letters := ids.Count(code)
	switch t {
	case d.PhoneNumber:
		return ids.Phone(code)
	case d.CreditCardNumber:
		return ids.Card(code)
	case d.SSN:
		return ids.SSN(code)
	case d.GenericID, d.Numeric:
		switch n := digits + letters; {
		case n > 34:
			return ids.None
		case digits >= 2 && n >= 4, digits >= 3:
			return ids.Shape
		case digits >= 1 && n >= 3, n >= 5:
			return ids.Loose
		}
	case d.EmailAddress:
		if letters > 0 && digits+letters >= 3 && digits+letters <= 40 {
			return ids.Loose
		}
	case d.UserName:
		if n := digits + letters; n >= 3 && n <= 40 {
			return ids.Shape
		}
	case d.StreetAddress:
		return ids.Postal(code)
	case d.MedicalRecordNumber:
		return ids.MedicalRecord(code)
	case d.IBAN:
		return ids.IBAN(code)
	case d.SWIFTCode:
		return ids.SWIFT(code)
	case d.RoutingNumber:
		return ids.Routing(code)
	case d.Passport:
		return ids.Passport(code)
	case d.VATNumber:
		return ids.VAT(code)
	case d.VIN:
		return ids.VIN(code)
	case d.IMEI:
		return ids.IMEI(code)
	case d.ICCID:
		return ids.ICCID(code)
	case d.IMSI:
		return ids.IMSI(code)
	}
	return ids.None
}
