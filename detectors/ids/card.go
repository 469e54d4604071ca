package ids

// CardLength is the length of the shortest card number of the networks that are
// common in North America.
const CardLength = 15

// lengths is a set of lengths: bit n for length n.
type lengths uint32

func lengthSet(all ...int) (s lengths) {
	for _, n := range all {
		s |= 1 << n
	}
	return s
}

var (
	sixteen     = lengthSet(16)
	sixteenUp   = lengthSet(16, 17, 18, 19)
	thirteenUp  = lengthSet(13, 14, 15, 16, 17, 18, 19)
	dinersSizes = lengthSet(14, 16)
)

// cardRanges are the issuer ranges of the large networks by the first four digits
// (ISO/IEC 7812-1; the networks publish their ranges). The first range that
// contains a number decides.
var cardRanges = [...]struct {
	from, to int
	lengths  lengths
}{
	{4000, 4999, lengthSet(13, 16, 19)}, // Visa
	{5100, 5599, sixteen},               // Mastercard
	{2221, 2720, sixteen},               // Mastercard
	{3400, 3499, lengthSet(15)},         // American Express
	{3700, 3799, lengthSet(15)},         // American Express
	{6011, 6011, sixteenUp},             // Discover
	{6500, 6599, sixteenUp},             // Discover
	{6440, 6499, sixteenUp},             // Discover
	{6200, 6299, sixteenUp},             // UnionPay
	{8100, 8199, sixteenUp},             // UnionPay
	{3600, 3699, dinersSizes},           // Diners Club
	{3800, 3999, dinersSizes},           // Diners Club
	{3000, 3059, dinersSizes},           // Diners Club
	{3095, 3095, dinersSizes},           // Diners Club
	{3528, 3589, sixteenUp},             // JCB
	{5000, 5099, thirteenUp},            // Maestro and national debit cards, as the next four
	{5600, 5899, thirteenUp},
	{6000, 6099, thirteenUp},
	{6300, 6399, thirteenUp},
	{6700, 6799, thirteenUp},
	{2200, 2204, sixteen}, // Mir
	{9792, 9792, sixteen}, // Troy
}

// cardNetwork reports whether the first digits and the length are those of a
// payment card.
func cardNetwork(d []byte) bool {
	n := len(d)
	if n < 13 || n > 19 {
		return false
	}
	first := Number(d[:4])
	for i := range cardRanges {
		if r := &cardRanges[i]; first >= r.from && first <= r.to {
			return r.lengths&(1<<n) != 0
		}
	}
	return false
}

// Card matches the number of a payment card: the range of a network and the check
// digit (ISO/IEC 7812-1). Four digits are the end of one.
func Card(code []byte) Match {
	if !AllDigits(code) {
		return None
	}
	switch n := len(code); {
	case cardNetwork(code) && Luhn(code):
		return Checked
	case n >= 12 && n <= 20, n == 4:
		return Shape
	case n >= 3 && n <= 24:
		return Loose
	}
	return None
}
