package cue

import (
	_ "embed"

	"sotto/detectors"
	"sotto/detectors/wordlist"
)

// The words and phrases of the detector, which the comments in the files explain.
var (
	//go:embed cues.txt
	cueText string
	//go:embed questions.txt
	questionText string
	//go:embed names.txt
	nameText string
	//go:embed organizations.txt
	organizationText string
	//go:embed places.txt
	placeText string
	//go:embed health.txt
	healthText string
	//go:embed vehicles.txt
	vehicleText string

	cueLists          = wordlist.MustParse(cueText)
	questionLists     = wordlist.MustParse(questionText)
	nameLists         = wordlist.MustParse(nameText)
	organizationLists = wordlist.MustParse(organizationText)
	placeLists        = wordlist.MustParse(placeText)
	healthLists       = wordlist.MustParse(healthText)
	vehicleLists      = wordlist.MustParse(vehicleText)
)

var (
	afterOwnName      = cueLists.Set("after own name")
	capitalNames      = nameLists.Set("names by capital only")
	neverNames        = nameLists.Set("no names")
	particles         = nameLists.Set("particles")
	doubts            = nameLists.Set("doubts")
	wordTitles        = nameLists.Set("titles that are words")
	abbreviations     = nameLists.Set("abbreviations")
	beforeThing       = nameLists.Set("before a thing")
	chatBeginnings    = nameLists.Words("beginnings of chat words")
	wordEndings       = nameLists.Words("endings of words")
	farewells         = nameLists.Set("farewells")
	afterSpeaker      = nameLists.Set("after the speaker's name")
	afterHere         = nameLists.Set("after here")
	greetings         = nameLists.Set("greetings")
	afterOrg          = organizationLists.Set("after an organization")
	neverInOrg        = organizationLists.Set("never in an organization")
	legalForms        = organizationLists.Set("legal forms")
	orgNouns          = organizationLists.Set("organization nouns")
	orgHeads          = organizationLists.Set("heads")
	orgModifiers      = organizationLists.Set("modifiers")
	secondHeads       = organizationLists.Set("heads after a modifier")
	connectingWords   = organizationLists.Set("connecting words")
	beforeAffiliation = organizationLists.Set("before an affiliation")
	affiliations      = organizationLists.Set("affiliation")
)

var (
	beforePlace     = placeLists.Set("before a place")
	placesThatAre   = placeLists.Set("places that are something")
	beforeOfPlace   = placeLists.Set("before of a place")
	afterPlace      = placeLists.Set("after a place")
	beforePlaceName = placeLists.Set("before a place that is a name")
	namedPlaces     = placeLists.Set("places with a name")
	namedThings     = placeLists.Set("things with a name")
)

var (
	healthWords        = healthLists.Set("words of health")
	illnesses          = healthLists.Set("illnesses")
	everydayIllnesses  = healthLists.Set("everyday illnesses")
	notIllnesses       = healthLists.Set("no illnesses")
	bodyParts          = healthLists.Set("body parts")
	complaints         = healthLists.Set("complaints")
	beforeBodyPart     = healthLists.Set("before a body part")
	injuries           = healthLists.Set("injuries")
	measuredComplaints = detectors.PhrasesOf[uint8](healthLists, "measured complaints")
	drugEndings        = healthLists.Words("drug endings")
	illnessEndings     = healthLists.Words("illness endings")
)

var (
	makes     = vehicleLists.Set("makes")
	wordMakes = vehicleLists.Set("makes that are words")
	models    = vehicleLists.Set("models")
	carWords  = vehicleLists.Set("words of cars")
)
