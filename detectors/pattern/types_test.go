package pattern

import (
	"strings"
	"testing"

	d "sotto/detectors"
	"sotto/detectors/spoken"
)

// analyse returns the resolved findings in a text.
func analyse(doc *d.Document, text string) []d.Finding {
	doc.Reset(text)
	spoken.Scan(doc)
	Find(doc)
	var r d.Resolver
	return r.Resolve(doc)
}

// found lists findings as "TYPE=value<surface>", without infoTypes that are off by default.
func found(doc *d.Document, findings []d.Finding) string {
	var out []string
	for _, f := range findings {
		if !f.Type.OffByDefault() {
			out = append(out, string(f.Type)+"="+f.Value+"<"+doc.Text[f.Start:f.End]+">")
		}
	}
	return strings.Join(out, " ")
}

type typeCase struct{ text, want string }

func checkTypes(t *testing.T, cases []typeCase) {
	t.Helper()
	var doc d.Document
	for _, c := range cases {
		if got := found(&doc, analyse(&doc, c.text)); got != c.want {
			t.Errorf("%q:\n got %s\nwant %s", c.text, got, c.want)
		}
	}
}

func TestPaymentTypes(t *testing.T) {
	checkTypes(t, []typeCase{
		{"My card number is 4111 1111 1111 1111.", "CREDIT_CARD_NUMBER=4111111111111111<4111 1111 1111 1111>"},
		{"four one one one, one one one one, one one one one, one one one one", "CREDIT_CARD_NUMBER=4111111111111111<four one one one, one one one one, one one one one, one one one one>"},
		{"The Amex is 3782 822463 10005", "CREDIT_CARD_NUMBER=378282246310005<3782 822463 10005>"},
		// A digit was misheard: it was named, so it is masked.
		{"my card is 4111 1111 1111 1117", "CREDIT_CARD_NUMBER=4111111111111117<4111 1111 1111 1117>"},
		{"the visa ending in 1881", "CREDIT_CARD_NUMBER=1881<1881>"},
		{"and the security code is three hundred ninety seven", "NUMERIC=397<three hundred ninety seven>"},
		{"it expires 04 27", "NUMERIC=0427<04 27>"},
		{"IBAN DE89 3704 0044 0532 0130 00 please", "IBAN_CODE=de89370400440532013000<DE89 3704 0044 0532 0130 00>"},
		{"G B 8 2 W E S T 1 2 3 4 5 6 9 8 7 6 5 4 3 2", "IBAN_CODE=gb82west12345698765432<G B 8 2 W E S T 1 2 3 4 5 6 9 8 7 6 5 4 3 2>"},
		{"swift code is DEUTDEFF500", "SWIFT_CODE=deutdeff500<DEUTDEFF500>"},
		{"the STANDARD interest", ""},
		{"the routing number is 021000021", "ROUTING_NUMBER=021000021<021000021>"},
		{"transit number 00012", "ROUTING_NUMBER=00012<00012>"},
		{"My social is 219-09-9998", "SSN=219099998<219-09-9998>"},
		{"219-09-9998", "SSN=219099998<219-09-9998>"},
		{"my SIN is 193 456 787", "SSN=193456787<193 456 787>"},
		{"the last four of my social are 1234", "SSN=1234<1234>"},
		{"%B4111111111111111^DOE/JOHN^25121010000000000?", "CREDIT_CARD_TRACK_NUMBER=4111111111111111<%B4111111111111111^DOE/JOHN^25121010000000000?>"},
		{";4111111111111111=25121010000000000?", "CREDIT_CARD_TRACK_NUMBER=4111111111111111<;4111111111111111=25121010000000000?>"},
	})
}

func TestContactTypes(t *testing.T) {
	checkTypes(t, []typeCase{
		{"Call me at 604-555-0134 or (604) 555-0134 x22", "PHONE_NUMBER=6045550134<604-555-0134> PHONE_NUMBER=6045550134<(604) 555-0134 x22>"},
		{"+44 20 7946 0958", "PHONE_NUMBER=442079460958<+44 20 7946 0958>"},
		{"eight hundred five five five oh one three four", "PHONE_NUMBER=8005550134<eight hundred five five five oh one three four>"},
		{"my cell is five five five oh one three four", "PHONE_NUMBER=5550134<five five five oh one three four>"},
		{"555-0134", "PHONE_NUMBER=5550134<555-0134>"},
		{"dial 1-800-FLOWERS", "PHONE_NUMBER=1800<1-800>"},
		{"write to john.smith+calls@mail.example.co.uk, please", "EMAIL_ADDRESS=john.smith+calls@mail.example.co.uk<john.smith+calls@mail.example.co.uk>"},
		{"It's ana.vel.to@example.com.", "EMAIL_ADDRESS=ana.vel.to@example.com<ana.vel.to@example.com>"},
		{"we use acme.io. Is that fine?", "DOMAIN_NAME=acme.io<acme.io>"},
		{"okay.so we went", ""},
		{"see e.g. Node.js or the report.pdf", ""},
		{"https://example.com/path?a=b.", "URL=https://example.com/path?a=b<https://example.com/path?a=b>"},
		{"https://b.example.com/x?X-Amz-Signature=abc123&X-Amz-Date=1", "STORAGE_SIGNED_URL=https://b.example.com/x?x-amz-signature=abc123&x-amz-date=1<https://b.example.com/x?X-Amz-Signature=abc123&X-Amz-Date=1>"},
		{"Set-Cookie: sid=a1b2c3d4e5f6; path=/", "HTTP_COOKIE=sida1b2c3d4e5f6<sid=a1b2c3d4e5f6>"},
		{"I like a cookie with milk", ""},
		{"follow @mrbigchef", "USER_NAME=mrbigchef<@mrbigchef>"},
	})
}

func TestPlaces(t *testing.T) {
	checkTypes(t, []typeCase{
		{"postal code v six b one a one", "STREET_ADDRESS=v6b1a1<v six b one a one>"},
		{"the zip is nine oh two one oh", "STREET_ADDRESS=90210<nine oh two one oh>"},
		{"gps 49.2827, -123.1207", "LOCATION_COORDINATES=4928271231207<49.2827, -123.1207>"},
		{"latitude forty nine point two eight north", "LOCATION_COORDINATES=4928north<forty nine point two eight north>"},
		{"it is at 849VCWC8+R9", "LOCATION_COORDINATES=849vcwc8+r9<849VCWC8+R9>"},
		{"it costs 49.28 and 12.50", ""},
	})
}

// Whether a date is one of birth is not decided here: every date is a DATE.
func TestDates(t *testing.T) {
	var doc d.Document
	for text, want := range map[string]string{
		"My date of birth is March 14th, 1985": "19850314 March 14th, 1985", "born on 03/14/1985": "19850314 03/14/1985", "it shipped 1985-03-14": "19850314 1985-03-14",
		"may four one thousand nine hundred forty six":   "19460504 may four one thousand nine hundred forty six",
		"the twenty-first of June, one nine eight seven": "19870621 twenty-first of June, one nine eight seven",
		"we may march on": "",
	} {
		got := ""
		for _, f := range analyse(&doc, text) {
			if f.Type == d.Date {
				got += f.Value + " " + text[f.Start:f.End]
			}
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestHealthAndPersonTypes(t *testing.T) {
	checkTypes(t, []typeCase{
		{"diagnosis code is E11.9", "ICD10_CODE=e119<E11.9>"},
		{"code S72.001A on the claim", "ICD10_CODE=s72001a<S72.001A>"},
		{"ICD 250.00", "ICD9_CODE=25000<250.00>"},
		{"it was 250.00", ""},
		{"I need B12 and vitamin D3 against H1N1", ""},
		{"MRN 12345678", "MEDICAL_RECORD_NUMBER=12345678<12345678>"},
		{"chart number is A-10293", "MEDICAL_RECORD_NUMBER=a10293<A-10293>"},
		{"medicare number 1EG4-TE5-MK73", "MEDICAL_RECORD_NUMBER=1eg4te5mk73<1EG4-TE5-MK73>"},
		{"I'm 20 minutes away with 30 years of experience", ""},
		{"we may march on", ""},
	})
}

func TestIdentifierTypes(t *testing.T) {
	checkTypes(t, []typeCase{
		{"It's B. 231 C. for A. two.", "GENERIC_ID=b231c4a2<B. 231 C. for A. two>"},
		{"so nine one zero zero four seven two", "NUMERIC=9100472<nine one zero zero four seven two>"},
		{"license plate is 7 A B C 1 2 3", "GENERIC_ID=7abc123<7 A B C 1 2 3>"},
		{"the password is hunter22", "GENERIC_ID=hunter22<hunter22>"},
		{"the VIN is 1HGCM82633A004352", "VEHICLE_IDENTIFICATION_NUMBER=1hgcm82633a004352<1HGCM82633A004352>"},
		{"one m eight g d m nine a x k p zero four two seven eight eight", "VEHICLE_IDENTIFICATION_NUMBER=1m8gdm9axkp042788<one m eight g d m nine a x k p zero four two seven eight eight>"},
		{"IMEI is 49-015420-323751-8", "IMEI_HARDWARE_ID=490154203237518<49-015420-323751-8>"},
		{"sim 8944500102198304826", "ICCID_NUMBER=8944500102198304826<8944500102198304826>"},
		{"imsi 310150123456789", "IMSI_ID=310150123456789<310150123456789>"},
		{"passport number is X12345678", "PASSPORT=x12345678<X12345678>"},
		{"P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<", "PASSPORT=<P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<>"},
		{"L898902C36UTO7408122F1204159ZE184226B<<<<<10", "PASSPORT=l898902c3<L898902C36UTO7408122F1204159ZE184226B<<<<<10>"},
		{"my VAT is DE136695976", "VAT_NUMBER=de136695976<DE136695976>"},
		{"GST number 130692544 RT0001", "VAT_NUMBER=130692544rt0001<130692544 RT0001>"},
		{"EIN 12-3456789", "VAT_NUMBER=123456789<12-3456789>"},
		{"my IP is 192.168.1.1 and 10.0.0.1/24", "IP_ADDRESS=192.168.1.1<192.168.1.1> IP_ADDRESS=10.0.0.1<10.0.0.1/24>"},
		{"one ninety two dot one sixty eight dot one dot one", "IP_ADDRESS=192.168.1.1<one ninety two dot one sixty eight dot one dot one>"},
		{"version 4.2.1.0 is out", ""},
		{"2001:0db8:85a3::8a2e:0370:7334", "IP_ADDRESS=2001:db8:85a3::8a2e:370:7334<2001:0db8:85a3::8a2e:0370:7334>"},
		{"00:1A:2B:3C:4D:5E", "MAC_ADDRESS=001a2b3c4d5e<00:1A:2B:3C:4D:5E>"},
		{"02-1a-2b-3c-4d-5e", "MAC_ADDRESS_LOCAL=021a2b3c4d5e<02-1a-2b-3c-4d-5e>"},
		{"zero zero colon one A colon two B colon three C colon four D colon five E", "MAC_ADDRESS=001a2b3c4d5e<zero zero colon one A colon two B colon three C colon four D colon five E>"},
		{"advertising id 38400000-8cf0-11bd-b23e-10b96e40000d", "ADVERTISING_ID=38400000-8cf0-11bd-b23e-10b96e40000d<38400000-8cf0-11bd-b23e-10b96e40000d>"},
		{"trace 123e4567-e89b-42d3-a456-426614174000", "GENERIC_ID=123e4567-e89b-42d3-a456-426614174000<123e4567-e89b-42d3-a456-426614174000>"},
		{"eyJleHBpcmF0aW9uIjoiMjAyNS0wMS0wMVQwMDowMDowMFoiLCJjb25kaXRpb25zIjpbWyJlcSIsIiRrZXkiLCJ4Il1dfQ==",
			"STORAGE_SIGNED_POLICY_DOCUMENT=eyJleHBpcmF0aW9uIjoiMjAyNS0wMS0wMVQwMDowMDowMFoiLCJjb25kaXRpb25z<eyJleHBpcmF0aW9uIjoiMjAyNS0wMS0wMVQwMDowMDowMFoiLCJjb25kaXRpb25zIjpbWyJlcSIsIiRrZXkiLCJ4Il1dfQ==>"},
		{"K-O-W-A-L-S-K-I", "SPELLED_WORD=kowalski<K-O-W-A-L-S-K-I>"},
		{"the U-S-A, an A-P-I, I-I-I think", ""},
		{"it should be fixed by nine thirty in the morning, or by ten thirty", ""},
		{"tuesday at eleven fifteen with the manager, or between one thirty and two", ""},
		{"you can reach me by five five five or at nine three zero", "NUMERIC=555<five five five> NUMERIC=930<nine three zero>"},
		{"the one ending in 2900", "NUMERIC=2900<2900>"},
		{"the code is 4 4 7 1", "NUMERIC=4471<4 4 7 1>"},
		{"１２３４５６", "NUMERIC=123456<１２３４５６>"},
		{"it is 44, no wait, 45 12 9", "NUMERIC=44<44> NUMERIC=45129<45 12 9>"},
	})
}

// Harmless codes are not masked. These codes are said or written
// without a word that names them.
func TestBareCodes(t *testing.T) {
	checkTypes(t, []typeCase{
		{"K3QVWJRFJ8", "GENERIC_ID=k3qvwjrfj8<K3QVWJRFJ8>"},
		{"9884520163", "PHONE_NUMBER=9884520163<9884520163>"},
		{"nine eight eight four five two oh one six three", "PHONE_NUMBER=9884520163<nine eight eight four five two oh one six three>"},
		{"it says 98845201631", "NUMERIC=98845201631<98845201631>"},
		{"windows11", ""},
	})
}

func TestHarmlessNumbers(t *testing.T) {
	texts := []string{
		"$450 and $1,200.50", "450 dollars and 65 cents", "four hundred fifty dollars", "20 percent or 150%", "in 2019 and 1985", "nineteen eighty five was good",
		"300 people came", "about 300 of them", "call 911", "24/7", "my 401k", "at 11:30 or 1130 a.m.", "250 minutes", "15-20 minutes", "15-200 days",
		"two hundred of them", "1,200 of them", "windows 365", "page 123", "200GB and 128kbps", "an MP3 and an A320", "iPhone 15", "over 100 countries",
		"the total is 450", "COVID-19", "200 free minutes", "error code 0x80070005", "129.99 for it", "10 or 20",
	}
	var doc d.Document
	for _, text := range texts {
		if got := found(&doc, analyse(&doc, text)); got != "" {
			t.Errorf("%q: %s", text, got)
		}
	}
}

func TestTimesThatAreSaid(t *testing.T) {
	checkTypes(t, []typeCase{
		{"the appointment is at two thirty on the ninth", ""},
		{"come by at ten forty five", ""},
		{"I was cut off at two thirty one", "NUMERIC=231<two thirty one>"},
		{"my code is two thirty", "NUMERIC=230<two thirty>"},
	})
}
