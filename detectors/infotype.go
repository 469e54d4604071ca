package detectors

// InfoType names a kind of information, as Google's tags do. A user's own types
// are further strings.
type InfoType string

// The infoTypes of Table 6 of the paper that Sotto follows (Zhang et al.,
// "Data Anonymization for Privacy-Preserving Large Language Model Fine-Tuning
// on Call Transcripts"), and the two that it adds for transcripts.
const (
	EmailAddress        InfoType = "EMAIL_ADDRESS"
	Location            InfoType = "LOCATION"
	LocationCoordinates InfoType = "LOCATION_COORDINATES"
	USState             InfoType = "US_STATE"
	PersonName          InfoType = "PERSON_NAME"
	PhoneNumber         InfoType = "PHONE_NUMBER"
	StreetAddress       InfoType = "STREET_ADDRESS"
	UserName            InfoType = "USER_NAME"
	DomainName          InfoType = "DOMAIN_NAME"
	HTTPCookie          InfoType = "HTTP_COOKIE"

	OrganizationName     InfoType = "ORGANIZATION_NAME"
	Product              InfoType = "PRODUCT"
	SignedPolicyDocument InfoType = "STORAGE_SIGNED_POLICY_DOCUMENT"
	SignedURL            InfoType = "STORAGE_SIGNED_URL"
	URL                  InfoType = "URL"

	Age                 InfoType = "AGE"
	DateOfBirth         InfoType = "DATE_OF_BIRTH"
	ICD9Code            InfoType = "ICD9_CODE"
	ICD10Code           InfoType = "ICD10_CODE"
	MedicalRecordNumber InfoType = "MEDICAL_RECORD_NUMBER"
	MedicalTerm         InfoType = "MEDICAL_TERM"

	AdvertisingID   InfoType = "ADVERTISING_ID"
	GenericID       InfoType = "GENERIC_ID"
	ICCID           InfoType = "ICCID_NUMBER"
	IMEI            InfoType = "IMEI_HARDWARE_ID"
	IMSI            InfoType = "IMSI_ID"
	IPAddress       InfoType = "IP_ADDRESS"
	MACAddress      InfoType = "MAC_ADDRESS"
	MACAddressLocal InfoType = "MAC_ADDRESS_LOCAL"
	Passport        InfoType = "PASSPORT"
	VATNumber       InfoType = "VAT_NUMBER"
	VIN             InfoType = "VEHICLE_IDENTIFICATION_NUMBER"

	CreditCardNumber      InfoType = "CREDIT_CARD_NUMBER"
	CreditCardTrackNumber InfoType = "CREDIT_CARD_TRACK_NUMBER"
	IBAN                  InfoType = "IBAN_CODE"
	SWIFTCode             InfoType = "SWIFT_CODE"
	RoutingNumber         InfoType = "ROUTING_NUMBER"
	// SSN covers the Canadian social insurance number.
	SSN InfoType = "SSN"

	SpelledWord InfoType = "SPELLED_WORD"
	Numeric     InfoType = "NUMERIC"
)

// The infoTypes that exist and are off by default, because the paper found that
// they mask mostly what is not personal.
const (
	Date        InfoType = "DATE"
	Time        InfoType = "TIME"
	Gender      InfoType = "GENDER"
	EthnicGroup InfoType = "ETHNIC_GROUP"
)

// InfoTypes lists every infoType that Sotto knows, in the order of Table 6.
func InfoTypes() []InfoType {
	types := make([]InfoType, len(rows))
	for i := range rows {
		types[i] = rows[i].Type
	}
	return types
}

// OffByDefault reports whether an infoType is masked only when the user asks.
func (t InfoType) OffByDefault() bool {
	r := t.Row()
	return r != nil && r.Off
}
