package ids

// maxGeneric is the longest code that is taken for an identifier: the longest IBAN is
// as long.
const maxGeneric = 34

// Generic matches an identifier of any kind, such as an account or order number. There
// is no standard: enough digits, or digits and letters.
func Generic(code []byte) Match {
	digits, letters := Count(code)
	switch n := digits + letters; {
	case n > maxGeneric:
		return None
	case digits >= 2 && n >= 4, digits >= 3:
		return Shape
	case digits >= 1 && n >= 3, n >= 5:
		return Loose
	}
	return None
}

// maxUserName is the longest name of an account.
const maxUserName = 40

// UserName matches the name of an account: any letters and digits.
func UserName(code []byte) Match {
	if digits, letters := Count(code); digits+letters >= 3 && digits+letters <= maxUserName {
		return Shape
	}
	return None
}

// MailName matches the local part of an e-mail address that was spelled and whose host
// is missing.
func MailName(code []byte) Match {
	digits, letters := Count(code)
	if n := digits + letters; letters > 0 && n >= 3 && n <= maxUserName {
		return Loose
	}
	return None
}
