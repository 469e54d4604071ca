package ids

import "testing"

func TestChecks(t *testing.T) {
	for _, c := range []struct {
		name  string
		check func([]byte) bool
		good  []string
		bad   []string
	}{
		{"luhn", Luhn, []string{"79927398713", "4111111111111111", "046454286", "490154203237518", "00"}, []string{"79927398710", "4111111111111112", "1", ""}},
		{"aba", abaRouting, []string{"021000021", "011401533", "122105155", "322271627"}, []string{"021000022", "000000000", "991000021", "02100002", "02100002a"}},
		{"vin", vinCheck, []string{"1m8gdm9axkp042788", "1hgcm82633a004352", "11111111111111111", "ihgcm82633aoo4352"}, []string{"1m8gdm9a1kp042788", "1hgcm82633a004353", "1hgcm82633a00435"}},
		{"iso7064 mod 11,10", mod1110, []string{"136695976", "811569869"}, []string{"136695978", "811569868"}},
		{"ssn", ValidSSN, []string{"219099998", "899999999", "912701234", "900551234"}, []string{"000121234", "666121234", "123001234", "123450000", "912001234", "12345678", "912931234"}},
		{"sin", ValidSIN, []string{"193456787", "130692544", "999999998"}, []string{"046454286", "130692545", "800000002", "13069254"}},
		{"card network", cardNetwork, []string{"4111111111111111", "5500000000000004", "2223003122003222", "378282246310005", "6011000990139424", "30569309025904", "3530111333300000", "6240008631401148"},
			[]string{"9111111111111111", "41111111111", "37828224631000", "1234567890123456"}},
		{"iban by length", func(b []byte) bool { return IBAN(b) == Checked },
			[]string{"de89370400440532013000", "gb82west12345698765432", "fr1420041010050500013m02606", "nl91abna0417164300", "ch9300762011623852957"},
			[]string{"de89370400440532013001", "gb82west1234569876543", "xx89370400440532013000", "de8937"}},
		{"swift", func(b []byte) bool { return SWIFT(b) == Exact }, []string{"deutdeff", "deutdeff500", "nedszajj", "dabadkkk"}, []string{"deutxxff", "deut1eff", "deutdef", "standardly"}},
		{"imei", func(b []byte) bool { return IMEI(b) == Checked }, []string{"490154203237518", "356938035643809"}, []string{"490154203237519", "790154203237512", "49015420323751"}},
		{"iccid", func(b []byte) bool { return ICCID(b) == Checked }, []string{"8944500102198304826", "8991101200003204514"}, []string{"8944500102198304827", "7944500102198304826", "894450010219830"}},
		{"imsi", func(b []byte) bool { return IMSI(b) == Exact }, []string{"310150123456789", "302720123456789"}, []string{"999150123456789", "3101501234567"}},
		{"mbi", MBI, []string{"1eg4te5mk73", "1eg4te5mk72"}, []string{"1eg4te5mk7", "0eg4te5mk73", "1sg4te5mk73"}},
		{"ontario health", healthCard, []string{"1234567897ab", "1234567897"}, []string{"1234567890ab", "123456789"}},
		{"canadian postal", CanadianPostal, []string{"v6b1a1", "k1a0b1", "l8p1a1"}, []string{"d6b1a1", "w6b1a1", "v6b1o1", "v6b11a", "v6b1a"}},
		{"british postal", britishPostal, []string{"sw1a1aa", "m11ae", "g265wb", "ec1a1bb", "w1a0ax", "b338th"}, []string{"sw1a1a", "1sw1aa", "sw1a1ao", "abcdef"}},
		{"uuid", IsUUID, []string{"123e4567-e89b-42d3-a456-426614174000"}, []string{"00000000-0000-0000-0000-000000000000", "123e4567e89b42d3a456426614174000", "123e4567-e89b-42d3-a456-42661417400g"}},
		{"mac", IsMAC, []string{"00:1a:2b:3c:4d:5e", "00-1a-2b-3c-4d-5e", "001a.2b3c.4d5e"}, []string{"00:1a:2b:3c:4d", "00:1a-2b:3c:4d:5e", "00:1g:2b:3c:4d:5e", "10:30:15"}},
		{"ipv6", IsIPv6, []string{"2001:db8:85a3::8a2e:370:7334", "fe80::1%eth0", "2001:db8::/32", "[2001:db8::1]"}, []string{"::", "::1", "12:30:45", "10:30", "2001:db8:85a3"}},
		{"plus code", IsPlusCode, []string{"849vcwc8+r9", "cwc8+r9"}, []string{"849vcwc8+r", "12345678+90", "aaaaaaaa+aa"}},
		{"icd-9", IsICD9, []string{"25000", "v4501", "e8490", "4019"}, []string{"999999", "00000", "v9999"}},
		{"icd-10", IsICD10, []string{"e119", "s72001a", "i10", "z9989"}, []string{"e999", "b12", "u999", "1234"}},
		{"nanp", func(b []byte) bool { return NANP(b) == NANPInService }, []string{"6045550134", "2125550134", "8005550134"}, []string{"1045550134", "6041550134", "6049110134", "6945550134", "604555013"}},
		{"international", International, []string{"442079460958", "16045550134", "4930123456", "35312345678"}, []string{"11045550134", "4420", "0442079460958"}},
		{"ein prefix", EINPrefix, []string{"123456789", "951234567"}, []string{"073456789", "893456789"}},
	} {
		for _, s := range c.good {
			if !c.check([]byte(s)) {
				t.Errorf("%s: %s should hold", c.name, s)
			}
		}
		for _, s := range c.bad {
			if c.check([]byte(s)) {
				t.Errorf("%s: %s should not hold", c.name, s)
			}
		}
	}
}

func TestVATChecks(t *testing.T) {
	for code, want := range map[string]bool{
		"de136695976": true, "de136695978": false, "gb980780684": true, "gb980780685": false, "fr40303265045": true, "fr83404833048": true,
		"fr83404833049": false, "be0428759497": true, "be0428759498": false, "it00743110157": true, "it00743110158": false,
		"nl004495445b01": true, "nl004495446b01": false, "pl8567346215": true, "pl8567346216": false, "pt501964843": true, "pt501964842": false,
		"atu13585627": true, "us123456789": false, "de": false,
	} {
		if got := vatCheck([]byte(code)); got != want {
			t.Errorf("%s: %v", code, got)
		}
	}
	if VAT([]byte("130692544rt0001")) != Checked || VAT([]byte("130692545rt0001")) != Shape {
		t.Error("Canadian business number")
	}
}

// The check digits of the specimen in ICAO Doc 9303 part 4.
func TestTravelDocumentChecks(t *testing.T) {
	for _, c := range []struct {
		field string
		check byte
		want  bool
	}{{"l898902c3", '6', true}, {"740812", '2', true}, {"120415", '9', true}, {"740812", '3', false}, {"l898902c<", '3', true}, {"l898902c!", '3', false}} {
		if got := ICAOCheck([]byte(c.field), c.check); got != c.want {
			t.Errorf("%s %c: %v", c.field, c.check, got)
		}
	}
}

// A part of a value, or a value without a check digit, still matches.
func TestMatches(t *testing.T) {
	for _, c := range []struct {
		name  string
		match func([]byte) Match
		code  string
		want  Match
	}{
		{"phone", Phone, "6045550134", Exact}, {"phone", Phone, "16045550134", Exact}, {"phone", Phone, "5550134", Shape},
		{"phone", Phone, "6045550134x22", Exact}, {"phone", Phone, "123", None}, {"phone", Phone, "1800flowers", Shape},
		{"card", Card, "4111111111111111", Checked}, {"card", Card, "4111111111111112", Shape}, {"card", Card, "1111", Shape},
		{"card", Card, "41111a", None}, {"ssn", SSN, "219099998", Exact}, {"ssn", SSN, "000000000", Shape}, {"ssn", SSN, "1234", Shape},
		{"routing", Routing, "021000021", Checked}, {"routing", Routing, "021000022", Shape}, {"routing", Routing, "1234567890", Loose},
		{"passport", Passport, "x12345678", Shape}, {"passport", Passport, "ab123456", Shape}, {"passport", Passport, "a123456bc", Shape},
		{"passport", Passport, "12", None}, {"postal", Postal, "90210", Shape}, {"postal", Postal, "902101234", Shape},
		{"postal", Postal, "v6b1a1", Exact}, {"postal", Postal, "9021", Loose}, {"postal", Postal, "9", None},
		{"record", MedicalRecord, "a10293", Shape}, {"record", MedicalRecord, "1eg4te5mk73", Exact}, {"record", MedicalRecord, "abc", None},
	} {
		if got := c.match([]byte(c.code)); got != c.want {
			t.Errorf("%s %s: %d, want %d", c.name, c.code, got, c.want)
		}
	}
}
