package tiers

import (
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"

	"sotto/formats/harmless"
	"sotto/formats/transcript"
	"sotto/schemas"
)

var errELAN = errors.New("it is no file of ELAN that can be read: save it again with ELAN")

// The elements and attributes of ELAN's schema (EAF 3.0): identifiers, attributes whose values have a form, names that one
// attribute defines and others refer to, and attributes that are texts.
var (
	elements = harmless.Set(`ANNOTATION_DOCUMENT LICENSE HEADER MEDIA_DESCRIPTOR LINKED_FILE_DESCRIPTOR PROPERTY TIME_ORDER TIME_SLOT TIER ANNOTATION
		ALIGNABLE_ANNOTATION REF_ANNOTATION ANNOTATION_VALUE LINGUISTIC_TYPE LOCALE LANGUAGE CONSTRAINT CONTROLLED_VOCABULARY DESCRIPTION CV_ENTRY
		CV_ENTRY_ML CVE_VALUE LEXICON_REF REF_LINK_SET CROSS_REF_LINK GROUP_REF_LINK EXTERNAL_REF`)
	identifiers = harmless.Set(`ANNOTATION_ID ANNOTATION_REF PREVIOUS_ANNOTATION TIME_SLOT_ID TIME_SLOT_REF1 TIME_SLOT_REF2 CVE_ID CVE_REF EXT_REF EXT_REF_ID
		LEX_REF_ID LEXICON_REF SVG_REF LANG_ID LANG_REF REF1 REF2 REFS REF_LINK_ID`)
	identifier = harmless.Whole(`(?:ts|a|cveid_?|cve|er|lr|rl)\d{1,6}|[a-z]{2,3}`)
	names      = harmless.Set("LINGUISTIC_TYPE_ID LINGUISTIC_TYPE_REF CV_ID CONTROLLED_VOCABULARY_REF CV_NAME CV_REF NAME LINK_SET_ID LINK_SET_NAME TYPE LEXICON_NAME DATCAT_NAME")
	texts      = harmless.Set("DESCRIPTION LANG_LABEL VALUE REF_TYPE LICENSE_URL LEXICON_ID DATCAT_ID")
	people     = harmless.Set("PARTICIPANT ANNOTATOR AUTHOR")
	media      = harmless.Set("MEDIA_FILE MEDIA_URL RELATIVE_MEDIA_URL LINK_URL RELATIVE_LINK_URL EXTRACTED_FROM ASSOCIATED_WITH")
	forms      = map[string]*regexp.Regexp{
		"NAME": harmless.Whole("URN|lastUsedAnnotationId"), "FORMAT": harmless.Whole(`\d\.\d`), "VERSION": harmless.Whole(`\d\.\d`), "TIME_UNITS": harmless.Whole("milliseconds|NTSC-frames|PAL-frames"),
		"DATE": harmless.Whole(`20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?(?:Z|[+-]\d\d:\d\d)`), "MIME_TYPE": harmless.Whole(`(?:audio|video)/[a-z0-9-]{1,10}|unknown`),
		"TIME_ALIGNABLE": harmless.Whole("true|false"), "GRAPHIC_REFERENCES": harmless.Whole("true|false"),
		"STEREOTYPE": stereotypes, "CONSTRAINTS": stereotypes, "LANGUAGE_CODE": harmless.Whole("[a-z]{2,3}"), "COUNTRY_CODE": harmless.Whole("[A-Z]{2}"),
		"DEFAULT_LOCALE": harmless.Whole("[a-z]{2,3}"), "LANG_DEF": harmless.Whole(`https?://cdb\.iso\.org/lg/[A-Z]{3}-\d{8}-\d{3}`),
		"xmlns:xsi": harmless.Whole(`http://www\.w3\.org/2001/XMLSchema-instance`), "xsi:noNamespaceSchemaLocation": harmless.Whole(`http://www\.mpi\.nl/tools/elan/EAFv\d\.\d\.xsd`),
	}
	stereotypes = harmless.Whole("Time_Subdivision|Symbolic_Subdivision|Symbolic_Association|Included_In")
	property    = harmless.Whole(`\d{1,6}|urn:nl-mpi-tools-elan-eaf:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}`)
	extension   = regexp.MustCompile(`\.[a-z][a-z0-9]{2,3}$`)
)

type elan struct {
	output
	limits      harmless.Limits
	tiers       []*tier
	named       map[string][]func(string) // which replace the names of tiers
	slots       map[string]*int64
	annotations map[string][2]*int64
	span        [2]*int64 // of the annotation that is read
	open        []string
	renamed     map[string]string
	// shared are the values that are in several places, keys are theirs in order.
	shared map[sharedKey][]func(string)
	keys   []sharedKey
	others []transcript.Slot
}

type sharedKey struct {
	value    string
	isPerson bool
}

// ReadELAN reads a file of ELAN.
func ReadELAN(s string) (*transcript.Document, error) {
	r := &elan{limits: harmless.For(len(s)), named: map[string][]func(string){}, slots: map[string]*int64{}, annotations: map[string][2]*int64{},
		renamed: map[string]string{}, shared: map[sharedKey][]func(string){}}
	r.add(`<?xml version="1.0"?>`)
	in := xml.NewDecoder(strings.NewReader(s))
	in.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil } // it was decoded
	for {
		t, err := in.RawToken()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, errELAN
		}
		switch t := t.(type) {
		case xml.StartElement:
			if !elements[t.Name.Local] || t.Name.Space != "" {
				return nil, errELAN
			}
			r.start(t)
		case xml.CharData:
			r.text(string(t))
		case xml.EndElement:
			if n := len(r.open); n == 0 || r.open[n-1] != t.Name.Local {
				return nil, errELAN
			}
			r.open = r.open[:len(r.open)-1]
			if last := r.parts[len(r.parts)-1]; *last == ">" {
				*last = "/>"
			} else {
				r.add("</" + t.Name.Local + ">")
			}
		}
	}
	if len(r.open) > 0 || len(r.tiers) == 0 {
		return nil, errELAN
	}
	for _, t := range r.tiers {
		t.rename = r.named[t.name]
	}
	d := &transcript.Document{Encode: r.encode}
	addTiers(d, r.tiers)
	r.addOthers(d.Calls[0])
	return d, nil
}

func (r *elan) start(e xml.StartElement) {
	r.open = append(r.open, e.Name.Local)
	r.add("<", e.Name.Local)
	if e.Name.Local == "TIER" {
		r.tiers = append(r.tiers, &tier{})
	}
	at := map[string]string{}
	for _, a := range e.Attr {
		at[a.Name.Local] = a.Value
		r.attribute(a)
	}
	r.add(">")
	switch e.Name.Local {
	case "TIER":
		t := r.tiers[len(r.tiers)-1]
		t.name, t.child, t.speaker = at["TIER_ID"], at["PARENT_REF"] != "", schemas.Speaker{ID: at["PARTICIPANT"], Label: at["PARTICIPANT"]}
	case "TIME_SLOT":
		if n, err := strconv.ParseInt(at["TIME_VALUE"], 10, 64); err == nil {
			r.slots[at["TIME_SLOT_ID"]] = &n
		}
	case "ALIGNABLE_ANNOTATION":
		r.span = [2]*int64{r.slots[at["TIME_SLOT_REF1"]], r.slots[at["TIME_SLOT_REF2"]]}
		r.annotations[at["ANNOTATION_ID"]] = r.span
	case "REF_ANNOTATION":
		r.span = r.annotations[at["ANNOTATION_REF"]]
		r.annotations[at["ANNOTATION_ID"]] = r.span
	}
}

// attribute writes an attribute if it is known.
func (r *elan) attribute(a xml.Attr) {
	name, value := a.Name.Local, a.Value
	if a.Name.Space != "" {
		name = a.Name.Space + ":" + name
	}
	write := func(value string) func(string) {
		r.add(" ", name, `="`)
		set := r.value(value, escapes.Replace)
		r.add(`"`)
		return set
	}
	switch form := forms[name]; {
	case form != nil && form.MatchString(value):
		write(value)
	case identifiers[name]:
		write(harmless.Rename(value, identifier, r.renamed))
	case (name == "TIME_VALUE" || name == "TIME_ORIGIN") && r.limits.Value("offset", value):
		write(value)
	case name == "TIER_ID" || name == "PARENT_REF" || name == "TIER_REF":
		r.named[value] = append(r.named[value], write(value))
	case media[name]:
		if value != "" {
			value = "media" + extension.FindString(value)
		}
		write(value)
	case value == "" || value == "default-lt":
		write(value)
	case names[name] || people[name] || texts[name]:
		key := sharedKey{value, people[name]}
		if r.shared[key] == nil {
			r.keys = append(r.keys, key)
		}
		r.shared[key] = append(r.shared[key], write(value))
	}
}

func (r *elan) text(s string) {
	slot := transcript.Slot{Text: s, Set: r.value(s, escapes.Replace)}
	if strings.TrimSpace(s) == "" || len(r.open) == 0 {
		return
	}
	switch open := r.open[len(r.open)-1]; {
	case open == "ANNOTATION_VALUE" && len(r.tiers) > 0:
		slot.StartMS, slot.EndMS = r.span[0], r.span[1]
		t := r.tiers[len(r.tiers)-1]
		t.notes = append(t.notes, slot)
	case open != "PROPERTY" || !property.MatchString(s):
		r.others = append(r.others, slot)
	}
}

func (r *elan) addOthers(call *transcript.Call) {
	for _, s := range r.others {
		other(call, s.Text, s.Set)
	}
	for _, key := range r.keys {
		set := func(clean string) {
			for _, set := range r.shared[key] {
				set(clean)
			}
		}
		switch value := key.value; {
		case !key.isPerson:
			other(call, value, set)
		case !harmless.Speaker(value):
			call.Labels = append(call.Labels, transcript.Label{Speaker: schemas.Speaker{ID: value, Label: value}, Set: set})
		}
	}
}

var escapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;")
