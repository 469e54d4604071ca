package pattern

import d "sotto/detectors"

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

// fitOf tells how far a code can be a value of the type. For a type that is not
// a code it is fitNone.
func fitOf(t d.InfoType, code []byte) fit {
	digits, letters := count(code)
	switch t {
	case d.PhoneNumber:
		return phoneFit(code)
	case d.CreditCardNumber:
		return cardFit(code)
	case d.SSN:
		return ssnFit(code)
	case d.GenericID, d.Numeric:
		switch n := digits + letters; {
		case n > 34:
			return fitNone
		case digits >= 2 && n >= 4, digits >= 3:
			return fitShape
		case digits >= 1 && n >= 3, n >= 5:
			return fitLoose
		}
	case d.EmailAddress:
		if letters > 0 && digits+letters >= 3 && digits+letters <= 40 {
			return fitLoose
		}
	case d.UserName:
		if n := digits + letters; n >= 3 && n <= 40 {
			return fitShape
		}
	case d.StreetAddress:
		return postalFit(code)
	case d.MedicalRecordNumber:
		return recordFit(code)
	case d.IBAN:
		return ibanFit(code)
	case d.SWIFTCode:
		return swiftFit(code)
	case d.RoutingNumber:
		return routingFit(code)
	case d.Passport:
		return passportFit(code)
	case d.VATNumber:
		return vatFit(code)
	case d.VIN:
		switch {
		case vinCheck(code) && vinShape(code):
			return fitChecked
		case len(code) == 17:
			return fitShape
		case len(code) >= 4 && len(code) <= 20 && digits >= 1:
			return fitLoose
		}
	case d.IMEI:
		return imeiFit(code)
	case d.ICCID:
		return iccidFit(code)
	case d.IMSI:
		return imsiFit(code)
	}
	return fitNone
}
