package detectors

import "sotto/detectors/ids"

// paymentRows are the numbers of cards, accounts and taxpayers.
var paymentRows = []Row{
	{
		Type: CreditCardNumber, About: "number of a payment card, or its last digits",
		Group: GroupPayment, Score: 5, HasForm: true,
		NamedBy: []Hotwords{{"card", `
			card, visa, mastercard, amex, debit, credit card, card number, discover, american express,
			debit card, cc, cards, master card, creditcard, card no, credit`}},
		Match: ids.Card, Length: ids.CardLength, PartLength: 6,
		Forms: []Form{
			{Match: ids.Checked, Score: 0.95, YieldsTo: IMEI},
			{Layouts: []string{"4-4-4-4", "4-6-5", "16"}, Match: ids.Shape, Score: 0.7, Wrong: true},
		},
		Written: []string{"My card number is {4111 1111 1111 1111}.", "the visa ending in {1881}", "{3782 822463 10005}"},
		Spoken:  []string{"{four one one one, one one one one, one one one one, one one one one}"},
		Not:     []string{"order number 1234567890123456789012"},
	},
	{
		Type: CreditCardTrackNumber, About: "magnetic stripe of a payment card",
		Group: GroupPayment, Score: 5,
		Written: []string{"{%B4111111111111111^DOE/JOHN^25121010000000000?}", "{;4111111111111111=25121010000000000?}"},
		Not:     []string{"50% off; 12 left"},
	},
	{
		Type: IBAN, About: "international bank account number",
		Group: GroupPayment, Score: 5, HasForm: true,
		NamedBy: []Hotwords{{"iban", "iban, international bank account, wire, bank account number, wire transfer"}},
		Match:   ids.IBAN,
		Forms: []Form{
			{Letters: true, Min: ids.MinIBAN, Match: ids.Checked, Score: 0.98},
			{Letters: true, Min: ids.MinIBAN, Match: ids.Exact, Score: 0.8, Wrong: true},
		},
		Written: []string{"IBAN {DE89 3704 0044 0532 0130 00} please"},
		Spoken:  []string{"{G B 8 2 W E S T 1 2 3 4 5 6 9 8 7 6 5 4 3 2}"},
		Not:     []string{"the wire is 20 feet long"},
	},
	{
		Type: SWIFTCode, About: "business identifier code of a bank",
		Group: GroupPayment, Score: 1, HasForm: true,
		NamedBy: []Hotwords{{"swift", "swift, bic, swift code, bic code, swift number"}},
		Match:   ids.SWIFT,
		Written: []string{"swift code is {DEUTDEFF500}"},
		Spoken:  []string{"the swift code is {d e u t d e f f}"},
		Not:     []string{"the STANDARD interest", "a swift answer"},
	},
	{
		Type: RoutingNumber, About: "routing, transit or sort code of a bank",
		Group: GroupPayment, Score: 3, HasForm: true,
		NamedBy: []Hotwords{{"routing number", `
			routing, aba, transit, institution number, void cheque, routing number, aba number,
			transit number, branch number, void check, sort code, rtn`}},
		Match: ids.Routing, Length: ids.RoutingLength,
		Written: []string{"the routing number is {021000021}", "transit number {00012}"},
		Spoken:  []string{"routing number {oh two one oh oh oh oh two one}"},
		Not:     []string{"my SIN is 193 456 787"},
	},
	{
		Type: SSN, About: "social security number, taxpayer number, or Canadian SIN",
		Group: GroupPayment, Score: 5, HasForm: true,
		NamedBy: []Hotwords{{"social security number", `
			ssn, social, sin, social security, social security number, social insurance,
			social insurance number, taxpayer, itin, tin, social number, ss number, soc`}},
		Match: ids.SSN, Length: ids.SSNLength, PartLength: 6,
		Forms: []Form{
			{Layouts: []string{"3-2-4"}, Holds: ids.ValidSSN, Match: ids.Exact, Score: 0.8},
			{Layouts: []string{"3-3-3"}, Holds: ids.ValidSIN, Match: ids.Checked, Score: 0.8},
		},
		Written: []string{"My social is {219-09-9998}", "{219-09-9998}", "my SIN is {193 456 787}"},
		Spoken:  []string{"the last four of my social are {one two three four}"},
		Not:     []string{"call 604-555-0134", "a social event with 200 people"},
	},
}
