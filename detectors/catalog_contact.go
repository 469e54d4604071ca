package detectors

import "sotto/detectors/ids"

// contactRows are the infoTypes by which a person can be reached or found.
var contactRows = []Row{
	{
		Type: EmailAddress, About: "e-mail address",
		Group: GroupContact, Tag: "EMAIL", Score: 4, HasForm: true,
		AnnouncedBy: []Hotwords{{"email", `
			email, emails, mail id, email address, e mail, e mail address, e mail id, email id, mailing id,
			mail address, emailed`}},
		Match:   ids.MailName,
		Written: []string{"please write to {mara.petrova@example.org}"},
		Spoken:  []string{"it's {M-K two one @abc.com}", "my email is {m petrova forty two at example dot c a}", "{john dot smith at gmail dot com}"},
		Not:     []string{"let's meet at noon", "look at it dot by dot"},
	},
	{
		Type: Location, About: "city, region, country or other place",
		Group: GroupContact, Score: 2, Compare: CompareText,
		Written: []string{"I live in {Saskatoon}", "the office in {Hamilton} is closed"},
		Spoken:  []string{"i'm calling from {saskatoon}"},
		Not:     []string{"I was reading a book", "that was the last hope"},
	},
	{
		Type: LocationCoordinates, About: "latitude and longitude, or a plus code",
		Group: GroupContact, Tag: "LOCATION_COORD", Score: 4,
		AnnouncedBy: []Hotwords{{"coordinates", `
			latitude, longitude, gps, coordinates, coordinate, lat, long, lng, plus code, what three words,
			what3words`}},
		Written: []string{"gps {49.2827, -123.1207}", "it is at {849VCWC8+R9}"},
		Spoken:  []string{"the latitude is {forty nine point two eight north}"},
		Not:     []string{"it costs 49.28 and 12.50", "version 4.2.1 is out"},
	},
	{
		Type: USState, About: "state or territory of the United States",
		Group: GroupContact, Score: 1, Compare: CompareText,
		Written: []string{"we moved to {Ohio} last year"},
		Spoken:  []string{"we moved to {new hampshire}", "the state is {ohio}"},
		Not:     []string{"call me or text me in a minute", "oh hi, ok"},
	},
	{
		Type: PersonName, About: "name of a person, or a part of it",
		Group: GroupContact, Score: 5, RoundUp: true, Compare: CompareName,
		Written: []string{"this is {Tamsin Okafor} speaking", "Mr. {Kowalski} will call back"},
		Spoken:  []string{"my name is {tamsin okafor}", "my last name is {k o w a l s k i}"},
		Not:     []string{"will you mark that for me", "may I have the bill"},
	},
	{
		Type: PhoneNumber, About: "telephone or fax number, with its extension",
		Group: GroupContact, Tag: "PHONE", Score: 4, HasForm: true,
		NamedBy: []Hotwords{{"phone", `
			phone, cell, mobile, telephone, cellphone, callback, fax, landline, phone number, cell number,
			mobile number, contact number, call back, callback number, reach, reached, extension, ext,
			area code, text, call me, call him, call her, call us, phone no, contact no, mobile no,
			whatsapp, dial, phones, home number, work number, best number, contact, ph`}},
		ShortLength: 7, ShortWindow: 25,
		Match: ids.Phone, Canonical: ids.PhoneCanonical, Length: ids.PhoneLength,
		Forms: []Form{
			{Prefix: '+', Holds: ids.International, Match: ids.Exact, Score: 0.9},
			{Min: 11, Holds: ids.InternationalPrefix, Match: ids.Exact, Score: 0.9},
			{Letters: true, Holds: ids.HasExtension, Match: ids.Exact, Score: 0.85},
			{Layouts: []string{"3-3-4", "1-3-3-4"}, Holds: ids.IsNANP, Match: ids.Exact, Score: 0.85},
			{Letters: true, Min: ids.PhoneLength, Separators: 2, Match: ids.Shape, Score: 0.65},
			{Min: ids.PhoneLength, Max: ids.PhoneLength, Holds: ids.InService, Match: ids.Shape, Score: 0.65},
			{Min: 11, Max: 11, Spoken: true, Holds: ids.InService, Match: ids.Shape, Score: 0.65},
			{Layouts: []string{"3-4"}, Holds: ids.Exchange, Match: ids.Shape, Score: 0.6},
			{Min: ids.PhoneLength, Max: 11, Holds: ids.NotInService, Match: ids.Shape, Score: 0.55},
			{Layouts: []string{"3-3-4", "1-3-3-4"}, Match: ids.Shape, Score: 0.55},
		},
		Written: []string{"call me at {604-555-0134}", "it's {(604) 555-0134 x22}", "{+44 20 7946 0958}"},
		Spoken: []string{"my cell is {five five five oh one three four}",
			"{eight hundred five five five oh one three four}"},
		Not: []string{"call 911", "it will take 20 minutes", "order number 10293847"},
	},
	{
		Type: StreetAddress, About: "address with street, unit, post box or postal code",
		Group: GroupContact, Tag: "ADDRESS", Score: 4, Compare: CompareText, HasForm: true,
		NamedBy: []Hotwords{{"postal code", `
			zip, zipcode, zip code, postal, postal code, postcode, post code, postalcode, pin code, pincode,
			area pin`}},
		AnnouncedBy: []Hotwords{{"address", `
			address, addresses, live at, lives at, living at, mailing, ship to, shipped to, located at,
			deliver to, delivered to, address is, residence, reside at, billing address, mailing address,
			shipping address, moved to, street address, home address, delivery address, live on, street`}},
		Window: 40,
		Match:  ids.Postal,
		Forms: []Form{
			{Letters: true, Holds: ids.CanadianPostal, Match: ids.Exact, Score: 0.85},
			{Layouts: []string{"5-4"}, Match: ids.Shape, Score: 0.6},
		},
		Written: []string{"{42 Maple Street, Apt 5B, Hamilton ON L8P 1A1}", "{PO Box 12}"},
		Spoken: []string{"{twelve oh one west thirty fourth street}", "postal code {v six b one a one}",
			"the zip is {nine oh two one oh}"},
		Not: []string{"10 way conversation, 2 drive options, in 5 place", "it is a long road to the court"},
	},
	{
		Type: UserName, About: "name of an account, or a handle",
		Group: GroupContact, Score: 3, HasForm: true,
		NamedBy: []Hotwords{{"user name", `
			username, usernames, user name, user id, userid, login, log in, log in name, login name,
			login id, handle, gamertag, gamer tag, screen name, screenname, skype id, skype, twitter,
			instagram, user, nickname, logging in as, signed in as, sign in`}},
		Window:  60,
		Match:   ids.UserName,
		Written: []string{"my username is {enigma52}", "follow {@mrbigchef}"},
		Spoken:  []string{"user name {m r big chef}"},
		Not:     []string{"your username or password is incorrect"},
	},
}

// entityRows are organizations, products, and addresses in a network.
var entityRows = []Row{
	{
		Type: DomainName, About: "name of a host or domain",
		Group: GroupEntities, Tag: "DOMAIN", Score: 1,
		SupportedBy: []Hotwords{urlHotwords},
		Written:     []string{"we use {acme.io}. Is that fine?"},
		Spoken:      []string{"go to {i r s dot gov}"},
		Not:         []string{"okay.so we went", "see e.g. Node.js"},
	},
	{
		Type: HTTPCookie, About: "cookie of a web session",
		Group: GroupEntities, Score: 1,
		SupportedBy: []Hotwords{{"cookie", "cookie, cookies, session cookie"}},
		Written:     []string{"Set-Cookie: {sid=a1b2c3d4e5f6}; path=/"},
		Not:         []string{"I like a cookie with milk"},
	},
	{
		Type: OrganizationName, About: "company, institution or other organization",
		Group: GroupEntities, Score: 0, SpeakerScore: 2, Compare: CompareOrganization,
		Written: []string{"thank you for calling {Northwind Traders}, how can I help?"},
		Spoken:  []string{"i'm calling from {northwind credit union}"},
		Not:     []string{"the bank is closed on sunday", "that is the target"},
	},
	{
		Type: Product, About: "brand or model of a product",
		Group: GroupEntities, Score: 0, SpeakerScore: 2, Compare: CompareText,
		Written: []string{"I drive a {Toyota Camry}"},
		Not:     []string{"which plan do you have"},
	},
	{
		Type: SignedPolicyDocument, About: "signed upload policy of a storage service",
		Group: GroupEntities, Tag: "STORAGE_SIGNED_POLICY", Score: 2,
		Written: []string{"{eyJleHBpcmF0aW9uIjoiMjAyNS0wMS0wMVQwMDowMDowMFoiLCJjb25kaXRpb25zIjpbWyJlcSIsIiRrZXkiLCJ4Il1dfQ==}"},
		Not:     []string{"the policy document has been signed"},
	},
	{
		Type: SignedURL, About: "URL that carries the signature of a storage service",
		Group: GroupEntities, Score: 3,
		Written: []string{"{https://b.example.com/x?X-Amz-Signature=abc123&X-Amz-Date=1}"},
		Not:     []string{"https://example.com/path?a=b"},
	},
	{
		Type: URL, About: "address of a page",
		Group: GroupEntities, Score: 2,
		SupportedBy: []Hotwords{urlHotwords},
		Written:     []string{"it is on {https://example.com/path?a=b}."},
		Spoken:      []string{"{w w w dot example dot com}"},
		Not:         []string{"yes or no, and/or both"},
	},
}

// urlHotwords are those of two infoTypes.
var urlHotwords = Hotwords{"url", `
	website, site, link, url, web site, web page, webpage, domain, go to, visit, web address,
	browser, log on, portal, page, online at`}
