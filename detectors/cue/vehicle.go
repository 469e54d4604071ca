package cue

import (
	"sotto/detectors"
)

var (
	// makes are makes of cars that are hardly anything else, and softMakes those
	// that are other words or names too.
	makes = setOf("toyota honda hyundai nissan mazda subaru chevrolet chevy volkswagen bmw audi mercedes lexus acura infiniti " +
		"volvo porsche ferrari lamborghini maserati bentley buick cadillac chrysler pontiac mitsubishi suzuki peugeot renault citroen " +
		"fiat skoda daihatsu isuzu kia gmc hummer tesla maruti mahindra opel vauxhall oldsmobile saab daewoo rivian")
	softMakes = setOf("ford dodge jeep ram lincoln mercury saturn mini jaguar genesis seat smart scion tata land range alfa rolls aston")
	// models are words of model names that are everyday words or numbers.
	models = setOf("civic accord camry corolla prius rav4 highlander tacoma tundra pilot odyssey fit insight element focus fusion escape " +
		"explorer edge mustang fiesta ranger expedition taurus sentra altima maxima rogue pathfinder murano frontier titan leaf elantra sonata " +
		"tucson accent santa fe soul forte optima sorento sportage impreza outback forester legacy crosstrek malibu impala cruze equinox " +
		"tahoe suburban silverado spark bolt volt cobalt camaro corvette traverse blazer jetta passat golf beetle polo tiguan atlas model " +
		"wrangler cherokee grand compass patriot liberty charger challenger durango journey caravan rover benz continental navigator " +
		"city swift escalade enclave encore regal lesabre sierra yukon canyon terrain acadia s x y 3 5 series class cooper countryman xl lx ex")
	// carWords tell that a car is spoken of.
	carWords = setOf("car cars vehicle vehicles drive drives driving drove truck trucks sedan suv van coupe hatchback pickup minivan make model " +
		"auto automobile convertible wagon license plate insured insure")
)

// vehicles adds makes and models of cars, which tell a lot about who drives
// them.
func (d text) vehicles() {
	spoken := -1 // whether the text speaks of cars, -1 while not known
	for i := 0; i < len(d.Tokens); i++ {
		t := &d.Tokens[i]
		if t.Hash == 0 || !t.Class.IsWord() {
			continue
		}
		sure := makes.has(t.Hash)
		if !sure && !softMakes.has(t.Hash) {
			continue
		}
		if spoken < 0 {
			spoken = speaksOf(d.Document, carWords)
		}
		end := d.modelEnd(i + 1)
		if !sure && (end == i+1 || spoken == 0 && !d.raised(i)) {
			continue
		}
		d.Add(detectors.Finding{
			Start: int(t.Start), End: int(d.Tokens[end-1].End), Type: detectors.Product, Likelihood: detectors.Likely,
			Score: detectors.ScoreOf(detectors.Likely), Detector: "vehicles", Evidence: detectors.ByDictionary,
		})
		i = end - 1
	}
}

// modelEnd returns the end of the model's name that may begin at token i.
func (d text) modelEnd(i int) int {
	for n := 0; n < 3 && i < len(d.Tokens); n++ {
		t := &d.Tokens[i]
		if t.Class == detectors.Punct {
			if t.Ch != '-' || !t.Glued() || i+1 == len(d.Tokens) {
				break
			}
			i++
			continue
		}
		model := models.has(t.Hash) && t.Hash != 0 || t.Class == detectors.Alnum ||
			t.Class.IsWord() && !plain(t) && (d.raised(i) || d.entry(i).Common() == 0 && t.Class != detectors.Letter)
		if !model || carWords.has(t.Hash) && !d.raised(i) && n > 0 {
			break
		}
		i++
	}
	return i
}

func speaksOf(doc *detectors.Document, words wordSet) int {
	for i := range doc.Tokens {
		if t := &doc.Tokens[i]; t.Hash != 0 && words.has(t.Hash) {
			return 1
		}
	}
	return 0
}
