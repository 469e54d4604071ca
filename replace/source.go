package replace

import (
	"crypto/sha256"
	_ "embed"
	"encoding/binary"
	"strconv"
	"strings"
	"sync"
)

// Source says where the surrogates of an infoType come from.
type Source uint8

const (
	// Marks: the strategy writes no surrogates, or the infoType has none and is
	// replaced as by Typed.
	Marks Source = iota
	// BuiltIn: from lists that come with the program (value distortion).
	BuiltIn
	// Corpus: from a table learned from a corpus (value dissociation).
	Corpus
	// ByRule: made character by character, so that they cannot belong to
	// anybody where the kind of value allows it.
	ByRule
)

// String names the source.
func (s Source) String() string { return [...]string{"marks", "built-in", "corpus", "rule"}[s] }

// pool is what the surrogates of one infoType are drawn from.
type pool struct {
	source Source
	// values are whole ones, words are those of values. A name has no whole
	// values: its parts are drawn each by itself.
	values, words  *Table
	given, surname *Table
	// givenOf has the given names by what they say of the sex, nil where there are none.
	givenOf [genders]*Table
}

//go:embed lists/given.tsv
var givenList string

//go:embed lists/surname.tsv
var surnameList string

//go:embed lists/city.tsv
var cityList string

// The names that Named gives to everybody.
const (
	exemplarGiven   = "Alex"
	exemplarSurname = "Smith"
	exemplarCity    = "Springfield"
)

// lists holds what the built-in pools are made of.
type lists struct {
	pools   map[string]*pool
	neutral *pool
	// genders has the given names that say the sex, in lower case.
	genders map[string]gender
	digest  [sha256.Size]byte
}

// builtIn makes the built-in pools when they are first needed: the default strategy needs none.
var builtIn = sync.OnceValue(func() *lists {
	neutralNames := readList(givenList, "neutral")
	of := [genders]*Table{either: neutralNames, female: readList(givenList, "female"), male: readList(givenList, "male")}
	for _, t := range of {
		t.exemplar = exemplarGiven
	}
	names := func(given *Table) *pool {
		p := &pool{source: BuiltIn, given: given, surname: readList(surnameList, ""), givenOf: of}
		p.given.exemplar, p.surname.exemplar = exemplarGiven, exemplarSurname
		p.words = words(p.given, p.surname)
		p.words.exemplar = exemplarSurname
		return p
	}
	cities := readList(cityList, "")
	cities.exemplar = exemplarCity
	l := &lists{neutral: names(neutralNames), genders: map[string]gender{}, pools: map[string]*pool{
		"PERSON_NAME":       names(readList(givenList, "")),
		"LOCATION":          whole(cities),
		"US_STATE":          whole(stateNames()),
		"ORGANIZATION_NAME": whole(pairs(companyStems, companyKinds)),
		"PRODUCT":           whole(pairs(productStems, productKinds)),
		"MEDICAL_TERM":      whole(even(strings.Split(ailments, ","))),
		"GENDER":            whole(even(strings.Split("woman,man,nonbinary", ","))),
	}}
	l.neutral.givenOf = [genders]*Table{neutralNames, neutralNames, neutralNames}
	for _, g := range []gender{female, male} {
		for _, name := range of[g].values {
			l.genders[toLower(name)] = g
		}
	}
	h := sha256.New()
	for _, s := range []string{givenList, surnameList, cityList, companyStems, companyKinds, productStems, productKinds, ailments, states, streetNames} {
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(s))))
		h.Write([]byte(s))
	}
	h.Sum(l.digest[:0])
	return l
})

func whole(t *Table) *pool {
	w := words(t)
	w.exemplar, _, _ = strings.Cut(t.exemplar, " ")
	return &pool{source: BuiltIn, values: t, words: w}
}

// readList reads lines of value, weight and mark: those with a mark, or all.
func readList(list, mark string) *Table {
	var rows []weighted
	for line := range strings.Lines(list) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if mark != "" && (len(f) < 3 || f[2] != mark) {
			continue
		}
		w, err := strconv.ParseUint(f[1], 10, 64)
		if err != nil {
			panic("replace: a built-in list has a wrong weight")
		}
		rows = append(rows, weighted{f[0], w})
	}
	return mustTable(rows)
}

func even(values []string) *Table {
	rows := make([]weighted, len(values))
	for i, v := range values {
		rows[i] = weighted{v, 1}
	}
	return mustTable(rows)
}

// pairs makes a value of each two words of two lists.
func pairs(first, second string) *Table {
	var values []string
	for a := range strings.FieldsSeq(first) {
		for b := range strings.SplitSeq(second, ",") {
			values = append(values, a+" "+b)
		}
	}
	return even(values)
}

// Companies and products that do not exist.
const (
	companyStems = "Aldervane Amberlock Arvensis Bellmora Birchgate Bluequill Bramwick Calvento Candlemere Carrowell Cedarlane Claribel " +
		"Copperfen Corvanta Dalemoor Driftmark Dunaway Eastmoor Elderwin Everlock Fairquill Farrowby Fernhollow Foxmere Galvanor " +
		"Glenmarrow Goldfenn Granmoor Greyhaven Halcyra Hartwell Hazelcote Highmere Hollowell Irongate Ivoryton Junipera Kestrelle " +
		"Kingsmarrow Larkmoor Lindenby Lowmere Maplecross Marrowby Meridova Mistrelle Moorgate Nettlewood Northquill Novaterra Oakmere " +
		"Orbanta Ospremere Pinevale Quarrow Quillstone Ravenby Redmarrow Rivermoor Rosgard Saltmere Sandquill Selvanto Silverfen Solmira " +
		"Southwick Starmoor Stonequill Summerby Tallowmere Thornvale Tidewick Umbervale Valmora Vantoro Waverby Westquill Willowmoor " +
		"Windmere Yarrowby Zephyra"
	companyKinds = "Supply,Logistics,Partners,Systems,Insurance,Foods,Energy,Software,Holdings,Labs,Health,Travel,Motors,Media,Bank,Services"
	productStems = "Aero Argon Astra Breeza Cirra Delto Echoform Fluxon Gravia Halo Ionix Jovina Kova Lumo Mira Nimbo Orba Pulsar Quanta Rivo " +
		"Senso Tempo Ultra Vela Wavo Xeno Yonda Zeta"
	productKinds = "Basic,Plus,Pro,Home,Mini,Max,Air,Cloud,Connect,Mobile,Studio,Desk"
	ailments     = "asthma,migraine,diabetes,arthritis,hay fever,bronchitis,back pain,anemia,eczema,gout,sinusitis,tonsillitis,insomnia," +
		"high blood pressure,heartburn,tendinitis,psoriasis,vertigo,pneumonia,appendicitis,kidney stones,gallstones,shingles,hernia,glaucoma," +
		"cataract,sciatica,bursitis,laryngitis,conjunctivitis,dermatitis,gastritis"
	states = "Alabama=AL,Alaska=AK,Arizona=AZ,Arkansas=AR,California=CA,Colorado=CO,Connecticut=CT,Delaware=DE,Florida=FL,Georgia=GA,Hawaii=HI," +
		"Idaho=ID,Illinois=IL,Indiana=IN,Iowa=IA,Kansas=KS,Kentucky=KY,Louisiana=LA,Maine=ME,Maryland=MD,Massachusetts=MA,Michigan=MI," +
		"Minnesota=MN,Mississippi=MS,Missouri=MO,Montana=MT,Nebraska=NE,Nevada=NV,New Hampshire=NH,New Jersey=NJ,New Mexico=NM,New York=NY," +
		"North Carolina=NC,North Dakota=ND,Ohio=OH,Oklahoma=OK,Oregon=OR,Pennsylvania=PA,Rhode Island=RI,South Carolina=SC,South Dakota=SD," +
		"Tennessee=TN,Texas=TX,Utah=UT,Vermont=VT,Virginia=VA,Washington=WA,West Virginia=WV,Wisconsin=WI,Wyoming=WY"
	streetNames = "Alder,Ashgrove,Beechwood,Birch,Bluebird,Briar,Cedar,Cherry,Chestnut,Clearview,Clover,Cypress,Dogwood,Elm,Fairview,Fern," +
		"Foxglove,Hawthorn,Hazel,Heather,Hickory,Highland,Hillcrest,Holly,Iris,Ivy,Juniper,Lakeview,Larch,Laurel,Lilac,Linden,Magnolia,Maple," +
		"Meadow,Mulberry,Myrtle,Oak,Orchard,Pine,Poplar,Redwood,Ridge,Rosewood,Sage,Spruce,Sycamore,Thistle,Valley,Walnut,Willow,Wisteria"
)

func stateNames() *Table {
	var names []string
	for s := range strings.SplitSeq(states, ",") {
		name, _, _ := strings.Cut(s, "=")
		names = append(names, name)
	}
	return even(names)
}

// stateCode is the postal abbreviation of a state that the table holds.
func stateCode(name string) string {
	for s := range strings.SplitSeq(states, ",") {
		if n, code, _ := strings.Cut(s, "="); n == name {
			return code
		}
	}
	return name
}

var streets = sync.OnceValue(func() *Table { return even(strings.Split(streetNames, ",")) })
