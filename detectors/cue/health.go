package cue

import "bytes"

var (
	// termWords speak of health: a term that is an everyday word counts only
	// in a text with one of them.
	termWords = setOf("diagnosed diagnosis suffering suffer suffers prescription prescribed medication medications medicine symptom " +
		"symptoms allergic allergy treated treatment disease doctor doctors refill pharmacy dose doses chronic severe nurse hospital clinic " +
		"surgery patient tablets pills milligrams mg")
	// illnesses are names of illnesses and drugs that mean nothing else. Those
	// that their endings tell are left to drugStems and illnessStems.
	illnesses = setOf("asthma eczema diabetes diabetic migraine migraines whiplash concussion pneumonia epilepsy epileptic dementia " +
		"alzheimer's alzheimers parkinson's parkinsons hypertension gout lupus shingles hiv herpes measles mumps chickenpox copd crohn's " +
		"sciatica vertigo tinnitus cataract cataracts hernia menopause miscarriage sepsis adhd autism autistic ptsd ocd bipolar schizophrenic " +
		"chemo chemotherapy dialysis incontinence indigestion heartburn diarrhea diarrhoea constipation jaundice rabies tetanus polio " +
		"leprosy malaria ebola cholera smallpox psoriatic hypoglycemic mastitis hiv-positive stillbirth insomnia anorexia bulimia " +
		"insulin aspirin tylenol advil paracetamol acetaminophen ibuprofen metformin xanax adderall ritalin ozempic viagra zoloft prozac " +
		"lexapro oxycontin percocet vicodin warfarin coumadin prednisone gabapentin levothyroxine albuterol benadryl zantac nexium lipitor " +
		"plavix synthroid humira methadone morphine naloxone epipen steroids penicillin cortisone heparin digoxin lithium")
	// maybeIllnesses are everyday words too, or are talked of without anybody
	// being ill.
	maybeIllnesses = setOf("cancer stroke depression anxiety flu fever covid rash headache headaches cough coughing infection nausea dizziness " +
		"dizzy swelling vomiting seizure seizures ulcer ulcers tumor tumour fracture sprain pregnancy pregnant allergies cholesterol")
	// notIllnesses end like illnesses.
	notIllnesses = setOf("diagnosis misdiagnosis prognosis hypnosis osmosis symbiosis metamorphosis apotheosis telepathy homeopathy " +
		"academia bohemia nostalgia xenophobia homophobia islamophobia technophobia")
	// bodyParts are what complaints are of.
	bodyParts = setOf("back neck knee knees shoulder shoulders hip hips ankle ankles wrist wrists elbow elbows chest stomach tummy abdominal " +
		"head ear ears eye eyes throat sinus kidney kidneys liver lung lungs heart bladder skin foot feet leg legs arm arms hand hands " +
		"tooth teeth gum gums jaw spine spinal muscle joint joints nerve bone breast brain bowel colon thyroid prostate ovarian uterine pelvic " +
		"nasal urinary tract respiratory viral bacterial yeast fungal menstrual")
	// complaints are what a part of the body can have.
	complaints = setOf("pain pains ache aches infection infections injury injuries surgery fracture fractures disease cancer failure " +
		"cramp cramps spasm spasms rash sprain ulcer ulcers stones replacement transplant bleeding tumor tumour condition disorder " +
		"inflammation bypass palpitations murmur")
	// drugStems end the names of drugs: stems of the international nonproprietary
	// names (World Health Organization, "The use of stems").
	drugStems = endings("cillin", "pril", "sartan", "vastatin", "olol", "conazole", "prazole", "dipine", "tidine", "formin", "gliptin",
		"gliflozin", "glutide", "oxacin", "cycline", "triptan", "azepam", "azolam", "oxetine", "barbital", "tinib", "parin", "coxib",
		"profen", "setron", "lukast", "terol", "solone", "sonide", "codone", "morphone", "mycin", "thiazide", "semide", "dronate", "tadine",
		"zumab", "ximab", "limumab", "ciclovir", "navir", "buvir", "vudine", "floxacin", "caine", "xaban")
	// illnessStems end the names of illnesses and of operations.
	illnessStems = endings("itis", "aemia", "emia", "algia", "osis", "opathy", "ectomy", "ostomy", "oscopy", "plasty", "plegia", "penia",
		"phobia", "phrenia", "sclerosis", "carcinoma", "lymphoma", "melanoma", "sarcoma", "glaucoma", "fibroma", "edema", "megaly", "stenosis")
)

// stems are endings of words.
type stems [][]byte

func endings(list ...string) stems {
	out := make(stems, len(list))
	for i, s := range list {
		out[i] = []byte(s)
	}
	return out
}

func (s stems) end(word []byte) bool {
	for _, e := range s {
		if bytes.HasSuffix(word, e) {
			return true
		}
	}
	return false
}

// minStemmed is the length from which on an ending tells a term, so that
// something stands before it.
const minStemmed = 7

// stemmed tells whether token i ends as terms do, is no everyday word and no
// name.
func (d text) stemmed(i int) bool {
	t := &d.Tokens[i]
	if t.Len() < minStemmed || !t.Class.IsWord() {
		return false
	}
	e := d.entry(i)
	if e.Common() > 6 || e.Name() > 0 || notIllnesses.has(t.Hash) {
		return false
	}
	w := d.Word(i)
	return e.Common() <= 3 && drugStems.end(w) || illnessStems.end(w)
}

// complaint returns how many tokens from i are a complaint by words: "lower back
// pain", "high blood pressure", "an ear infection" from "ear" on.
func (d text) complaint(i int) int {
	j := i
	switch string(d.Word(j)) {
	case "high", "low":
		if d.wordAt(j+1, "blood") && (d.wordAt(j+2, "pressure") || d.wordAt(j+2, "sugar")) {
			return 3
		}
		return 0
	case "chronic", "severe", "lower", "upper", "left", "right", "broken", "torn", "fractured", "sprained", "swollen":
		j++
	}
	body := j
	for j < len(d.Tokens) && j-body < 3 && bodyParts.has(d.Tokens[j].Hash) {
		j++
	}
	if j == body || j >= len(d.Tokens) || !complaints.has(d.Tokens[j].Hash) {
		if body > i && j > body && isInjury(d.Word(i)) {
			return j - i // "a broken leg"
		}
		return 0
	}
	return j + 1 - i
}

func isInjury(word []byte) bool {
	switch string(word) {
	case "broken", "torn", "fractured", "sprained":
		return true
	}
	return false
}

func (d text) wordAt(i int, word string) bool { return i < len(d.Tokens) && string(d.Word(i)) == word }
