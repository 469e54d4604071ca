package cue

import (
	"strings"
	"testing"

	"sotto/detectors"
	"sotto/detectors/spoken"
)

// found lists the resolved findings as TYPE:text.
func found(text string) string {
	var d detectors.Document
	d.Reset(text)
	spoken.Scan(&d)
	Detector{}.Detect(&d)
	var r detectors.Resolver
	var out []string
	for _, f := range r.Resolve(&d) {
		out = append(out, short[f.Type]+":"+text[f.Start:f.End])
	}
	return strings.Join(out, " ")
}

var short = map[detectors.InfoType]string{
	detectors.PersonName: "P", detectors.OrganizationName: "O", detectors.Location: "L", detectors.USState: "S",
	detectors.MedicalTerm: "M", detectors.Product: "X",
}

func TestNamesAndOrganizations(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		// Introductions.
		{"This is Ann from Bell", "P:Ann O:Bell"},
		{"This is Ann calling from Mobile.", "P:Ann O:Mobile"},
		{"This is Ann from Boston", "P:Ann L:Boston"},
		{"thanks for contacting blue harbor insurance jacqueline have a great day", "O:blue harbor insurance P:jacqueline"},
		{"sure tennessee seattle", "S:tennessee L:seattle"},
		{"it's 19428 5th Drive in Alexandria Virginia", "L:Alexandria S:Virginia"},
		{"Thanks, Virginia.", "P:Virginia"},
		{"the city name was little wrong", ""},
		{"oh sure, city name is mystic and", ""},
		{"the city name is Trochu.", "L:Trochu"},
		{"the brand name is nike", ""},
		{"I'm calling on behalf of Tomasz Wolf", "P:Tomasz Wolf"},
		{"I'm calling on behalf of Ruston Freight", "O:Ruston Freight"},
		{"will you hold please, Will", "P:Will"},
		{"hold on please, will you", ""},
		{"See you in May.", ""},
		{"the name on the account is probably still Delacroix", "P:Delacroix"},
		{"my badge is E as in echo 5 5 1 2", ""},
		{"it's 7 oscar victor 4 4", ""},
		// Nothing stands before the place.
		{"new town area", "L:new town"},
		{"my company name is hcl", "O:hcl"},
		{"my company name Ruston", "O:Ruston"},
		{"This is Pam calling from Dunder Mifflin, may I speak to Jim?", "P:Pam O:Dunder Mifflin P:Jim"},
		{"this is pam calling from dunder mifflin may i speak to jim", "P:pam O:dunder mifflin P:jim"},
		{"my name is will hawkins and i need help", "P:will hawkins"},
		{"my name, uh, is you know nadia", "P:nadia"},
		{"Hello, Nadia with Blue Harbor, how may I help you?", "P:Nadia O:Blue Harbor"},
		{"hello barb with dollar tree how may i assist you", "P:barb O:dollar tree"},
		{"Good morning, you've reached Blue Harbor. Nadia here, what can I do for you?", "O:Blue Harbor P:Nadia"},
		{"thank you for calling blue harbor my name is nadia", "O:blue harbor P:nadia"},
		{"Blue Harbor customer support, this is Nadia speaking.", "O:Blue Harbor P:Nadia"},
		{"Dunder Mifflin, this is Rachel green speaking.", "O:Dunder Mifflin P:Rachel green"},
		{"Nadia, this is Bob.", "P:Nadia P:Bob"},
		{"my name is J-O-H-N", "P:J-O-H-N"},
		// Others.
		{"I'd like to add my wife Grace to the policy", "P:Grace"},
		{"the account might be under tonie bayan", "P:tonie bayan"},
		{"Mark. Last name Tucker.", "P:Mark P:Tucker"},
		{"first name ann last name lee", "P:ann P:lee"},
		{"Take care, Mr. Brown.", "P:Brown"},
		{"i see your account here ms branch", "P:branch"},
		{"thanks nadia have a nice day", "P:nadia"},
		{"thank you for your help drew", "P:drew"},
		{"I was on the phone with Sawyer yesterday", "P:Sawyer"},
		{"I spoke with Dr. O'Brien-Smith", "P:O'Brien-Smith"},
		{"talk to Maria de la Cruz please", "P:Maria de la Cruz"},
		// Organizations.
		{"I want it to be changed to ABC incorporated", "O:ABC incorporated"},
		{"we bought it from Harbor & Sons Ltd. last year", "O:Harbor & Sons Ltd"},
		{"thanks for calling at&t wireless how can i help", "O:at&t wireless"},
		{"Thank you for calling Casey's General Stores, my name is Bo", "O:Casey's General Stores P:Bo"},
		{"Dovetail Credit Union card services, Kurt speaking.", "O:Dovetail Credit Union P:Kurt"},
		{"the charge is from bluegarnet logistics i've never heard of them", "O:bluegarnet logistics"},
		{"Okay. Maplestone Care Network quoted us less than that.", "O:Maplestone Care Network"},
		{"thank you for being with larkmoor casualty ms trendlebury", "O:larkmoor casualty P:trendlebury"},
		{"I need home insurance and a bank account. My Auto Insurance is due.", ""},
		{"our company sells construction software", ""},
		// Titles, relatives, and names between words in lower case.
		{"friday with doctor yarrowdale is fine", "P:yarrowdale"},
		{"the doctor said so after the doctor visit", ""},
		{"my name is will aldmoor and i have a question", "P:will aldmoor"},
		{"this is will quimbolt", "P:will quimbolt"},
		{"Please tell Will Quimbolt that the keys are here.", "P:Will Quimbolt"},
		{"Good morning, Will here from Larkmoor Logistics.", "P:Will O:Larkmoor Logistics"},
		{"the office of larkmoor mutual hope speaking", "O:larkmoor mutual P:hope"},
		{"this is will be fine, i hope speaking to you helps, the will here is strong", ""},
		{"my son art thirteen years old", "P:art"},
		{"my wife just told me, my son will be there", ""},
		{"would Friday work for a call with Hope and you", "P:Hope"},
		{"we went to the Art and on Hope", ""},
		{"Your plan renews in May and the price drops", ""},
		{"I can see an outage in the Hamilton area", "L:Hamilton"},
		// Illnesses and drugs.
		{"I've been having asthma for about seven weeks", "M:asthma"},
		{"i take lisinopril and atorvastatin", "M:lisinopril M:atorvastatin"},
		{"it's my lower back pain and high blood pressure", "M:lower back pain M:high blood pressure"},
		{"she has a broken leg and bronchitis", "M:broken leg M:bronchitis"},
		{"the doctor says it is depression", "M:depression"},
		{"that was a stroke of luck, a cold coffee and a great depression", ""},
		{"my sympathy, the diagnosis in april is the pain point", ""},
		// Alone.
		{"leena merina", "P:leena merina"},
		{"I appreciate your patience, Bernita.", "P:Bernita"},
		// Nothing.
		{"this is going to be about my order", ""},
		{"I'm sorry, I'm with you, I'm at home", ""},
		{"I'm looking for a new phone", ""},
		{"mark my words, will you hold the line, may I ask", ""},
		{"hi there, good morning, thanks again, thank you so much", ""},
		{"is this right? is this your address? this is great", ""},
		{"can i have your last name please", ""},
		{"I am calling from home, from work, from my cell", ""},
		{"this is regarding the invoice from last week", ""},
		{"yes please, okay, sure, no problem", ""},
	} {
		if got := found(c.text); got != c.want {
			t.Errorf("%s\ngot  %s\nwant %s", c.text, got, c.want)
		}
	}
}

func TestPlacesTermsAndCars(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"My flight to Anderson got cancelled.", "L:Anderson"},
		{"i moved from albuquerque to little rock", "L:albuquerque L:little rock"},
		{"we are in Hamilton, Ohio now", "L:Hamilton S:Ohio"},
		{"it is in Pasco WA", "L:Pasco S:WA"},
		{"the globe, a nice bath and the reading", ""},
		{"I live in St. Louis", "L:St. Louis"},
		{"he was diagnosed with insomnia last year", "M:insomnia"},
		{"this gives me a headache to look at", ""},
		{"she has ovarian small cell carcinoma", "M:ovarian small cell carcinoma"},
		{"I drive a blue Honda Civic", "X:Honda Civic"},
		{"it's a 2018 toyota camry", "X:toyota camry"},
		{"we can dodge the focus of the explorer", ""},
	} {
		if got := found(c.text); got != c.want {
			t.Errorf("%s\ngot  %s\nwant %s", c.text, got, c.want)
		}
	}
}

func TestHints(t *testing.T) {
	for _, c := range []struct {
		text string
		want detectors.Hint
	}{
		{"my name is Ann", detectors.HintSelf},
		{"may I speak to Ann", detectors.HintOther},
		{"Thanks, Ann.", detectors.HintAddressed},
		{"last name is Lee", detectors.HintSurname},
		{"first name is Ann", detectors.HintGiven},
		{"thank you for calling Harbor", detectors.HintOfSpeaker},
	} {
		var d detectors.Document
		d.Reset(c.text)
		Detector{}.Detect(&d)
		var hint detectors.Hint
		for _, f := range d.Findings {
			hint |= f.Hint
		}
		if hint != c.want {
			t.Errorf("%s: hint %b, want %b", c.text, hint, c.want)
		}
	}
}

func TestQuestions(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"And your full name, please?", "PERSON_NAME"},
		{"who do i have the pleasure of speaking with today", "PERSON_NAME"},
		{"Can you spell your last name for me?", "PERSON_NAME/surname/spelled"},
		{"And the last four digits of your social security number?", "SSN/part"},
		{"What's the best phone number to reach you?", "PHONE_NUMBER"},
		{"your policy number and date of birth please", "GENERIC_ID DATE_OF_BIRTH"},
		{"Go ahead with the card number whenever you're ready.", "CREDIT_CARD_NUMBER"},
		{"and the three digits on the back of the card", "NUMERIC CREDIT_CARD_NUMBER"},
		{"And your apartment number?", "STREET_ADDRESS"},
		{"whats the confirmation number", "GENERIC_ID"},
		{"Where do you work?", "ORGANIZATION_NAME"},
		{"What is your postcode?", "STREET_ADDRESS"},
		{"Can you repeat that?", "again"},
		{"How do you spell that?", "again"},
		{"what's my account balance", ""},
		{"That is all I needed.", ""},
	} {
		var d detectors.Document
		d.Reset(c.text)
		q, again := Questions(&d, nil)
		var got []string
		for _, x := range q {
			s := string(x.Type)
			if x.Part == detectors.HintSurname {
				s += "/surname"
			}
			if x.Spelled {
				s += "/spelled"
			}
			if x.Partial {
				s += "/part"
			}
			got = append(got, s)
		}
		if again {
			got = append(got, "again")
		}
		if g := strings.Join(got, " "); g != c.want {
			t.Errorf("%s: got %s, want %s", c.text, g, c.want)
		}
	}
}

// The time for any text is linear in its length.
func TestHostileTexts(t *testing.T) {
	for _, piece := range []string{"my name is ", "a b ", "Mr. ", "and of the ", "you know ", "inc ", "San ", ", ", "uh ", "this is X from ", "thank you for calling "} {
		var d detectors.Document
		d.Reset(strings.Repeat(piece, 100_000/len(piece)))
		spoken.Scan(&d)
		Detector{}.Detect(&d)
		Questions(&d, nil)
	}
}

func BenchmarkDetect(b *testing.B) {
	var d detectors.Document
	for b.Loop() {
		d.Reset("we would like to return the paper that we bought last week and get our money back")
		Detector{}.Detect(&d)
	}
}
