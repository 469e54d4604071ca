package state

import (
	"fmt"
	"strings"
	"testing"

	"sotto/detectors"
	"sotto/internal/wordhash"
	"sotto/state/linking"
)

// person returns a mention of a person with the words.
func person(name string) Mention {
	return Mention{Type: "PERSON_NAME", Kind: detectors.KindName, Words: strings.Fields(name), Talk: linking.NameTalk}
}

// guessed returns a mention of a person that only the tagger found.
func guessed(name string) Mention {
	m := person(name)
	m.Guessed = true
	return m
}

func org(name string) Mention {
	return Mention{Type: "ORGANIZATION_NAME", Kind: detectors.KindOrg, Words: strings.Fields(name)}
}

func code(infoType, value string) Mention {
	return Mention{Type: infoType, Kind: detectors.KindCode, Code: Canonical(value)}
}

func weak(infoType, value string) Mention {
	m := code(infoType, value)
	m.Weak = true
	return m
}

func spelled(letters string) Mention {
	m := weak("SPELLED_WORD", letters)
	m.Spelled = true
	return m
}

// spelledName returns a mention of a person whose name is spelled, or the beginning of it.
func spelledName(letters string) Mention {
	m := person(letters)
	m.Spelled = true
	return m
}

func guessedOrg(name string) Mention {
	m := org(name)
	m.Guessed = true
	return m
}

func surname(name string) Mention {
	m := person(name)
	m.Part = linking.PartSurname
	return m
}

func self(s linking.SpeakerID, m Mention) Mention {
	m.Speaker, m.Self, m.Talk.Role = s, true, linking.RoleOwn
	return m
}

func labelled(s linking.SpeakerID, m Mention) Mention {
	m = self(s, m)
	m.Source = linking.SourceLabel
	return m
}

func said(s linking.SpeakerID, m Mention) Mention {
	m.Speaker = s
	return m
}

func titled(g linking.Gender, m Mention) Mention {
	m.Talk.Titled, m.Talk.Gender = true, g
	return m
}

func other(s linking.SpeakerID, m Mention) Mention {
	m.Speaker, m.Other, m.Talk.Role = s, true, linking.RoleOther
	return m
}

// Each case links its mentions in order; want are their tags.
func TestSameInformationHasTheSameNumber(t *testing.T) {
	for _, c := range []struct {
		name     string
		mentions []Mention
		want     string
	}{
		{"spellings", []Mention{person("mark"), person("marc"), spelled("MARK")},
			"PERSON_NAME_1 PERSON_NAME_1 PERSON_NAME_1"},
		{"parts", []Mention{person("jim halpert"), person("jim"), surname("halpert"), person("halpert")},
			"PERSON_NAME_1 PERSON_NAME_1 PERSON_NAME_1 PERSON_NAME_1"},
		{"part first", []Mention{person("jim"), person("jim halpert"), surname("halpert")},
			"PERSON_NAME_1 PERSON_NAME_1 PERSON_NAME_1"},
		{"different people", []Mention{person("dan"), person("don"), person("eric"), person("erica")},
			"PERSON_NAME_1 PERSON_NAME_2 PERSON_NAME_3 PERSON_NAME_4"},
		{"same first name", []Mention{person("jim halpert"), person("jim hawkins"), person("jim hawkins"), person("jim halpert")},
			"PERSON_NAME_1 PERSON_NAME_2 PERSON_NAME_2 PERSON_NAME_1"},
		{"same last name", []Mention{person("ann lee"), person("bob lee")},
			"PERSON_NAME_1 PERSON_NAME_2"},
		{"a first name after a title", []Mention{person("martin short"), surname("martin")},
			"PERSON_NAME_1 PERSON_NAME_1"},
		{"a last name after a title", []Mention{person("martin short"), person("ann martin"), surname("martin")},
			"PERSON_NAME_1 PERSON_NAME_2 PERSON_NAME_2"},
		{"an s at the end", []Mention{person("velma"), person("velmas"), person("al"), person("als")},
			"PERSON_NAME_1 PERSON_NAME_1 PERSON_NAME_2 PERSON_NAME_3"},
		{"middle name", []Mention{person("mary ann smith"), person("mary ann"), person("mary smith")},
			"PERSON_NAME_1 PERSON_NAME_1 PERSON_NAME_1"},
		{"initial", []Mention{person("jim halpert"), person("j halpert")},
			"PERSON_NAME_1 PERSON_NAME_1"},
		{"cut differently", []Mention{person("larry hamrick"), spelled("LARRYHAMRICK")},
			"PERSON_NAME_1 PERSON_NAME_1"},
		{"surname misheard", []Mention{person("kowalski"), person("kowalsky")},
			"PERSON_NAME_1 PERSON_NAME_1"},
		{"a name heard as short words", []Mention{person("adebayo"), person("add a bio"), person("ada bayou"), person("a daily bee")},
			"PERSON_NAME_1 PERSON_NAME_1 PERSON_NAME_1 PERSON_NAME_2"},
		{"short words before the name", []Mention{person("kay lee"), person("kaylee"), person("kay")},
			"PERSON_NAME_1 PERSON_NAME_1 PERSON_NAME_1"},
		{"first and last name apart", []Mention{self(1, person("bernita")), self(1, surname("brown")), person("bernita brown"), surname("brown")},
			"PERSON_NAME_1 PERSON_NAME_1 PERSON_NAME_1 PERSON_NAME_1"},
		{"told apart by the initials", []Mention{said(1, person("dale q merrow")), said(1, person("dale r merrow")), said(2, person("dale q merrow"))},
			"PERSON_NAME_1 PERSON_NAME_2 PERSON_NAME_1"},
		{"told apart by the titles", []Mention{said(1, titled(linking.Male, surname("merrow"))), said(1, titled(linking.Female, surname("merrow"))), said(2, titled(linking.Male, surname("merrow")))},
			"PERSON_NAME_1 PERSON_NAME_2 PERSON_NAME_1"},
		{"a label and the last name", []Mention{labelled(1, person("wendeline")), self(1, surname("tuck")), said(2, person("wendeline tuck"))},
			"PERSON_NAME_1 PERSON_NAME_1 PERSON_NAME_1"},
		{"told apart by the speakers", []Mention{labelled(1, person("jim")), labelled(2, person("jim")), other(1, person("jim")), other(2, person("jim"))},
			"PERSON_NAME_1 PERSON_NAME_2 PERSON_NAME_2 PERSON_NAME_1"},
		{"asking for a namesake", []Mention{labelled(1, person("jim")), other(1, person("jim"))},
			"PERSON_NAME_1 PERSON_NAME_2"},
		{"all under one speaker ID", []Mention{self(1, person("jim")), other(1, person("jim"))},
			"PERSON_NAME_1 PERSON_NAME_1"},
		{"organizations", []Mention{org("dunder mifflin"), org("dunder mifflin paper"), org("dunder"), org("at&t"), org("acme")},
			"ORGANIZATION_NAME_1 ORGANIZATION_NAME_1 ORGANIZATION_NAME_1 ORGANIZATION_NAME_2 ORGANIZATION_NAME_3"},
		{"what the tagger takes for something else", []Mention{org("beckman life"), org("beckman"), guessed("beckman"), guessed("beckman jones"), person("beckman")},
			"ORGANIZATION_NAME_1 ORGANIZATION_NAME_1 ORGANIZATION_NAME_1 PERSON_NAME_1 PERSON_NAME_1"},
		{"numbers", []Mention{code("PHONE_NUMBER", "604 555-0134"), code("PHONE_NUMBER", "5550134"), weak("NUMERIC", "6045550134"), weak("NUMERIC", "0134"), weak("NUMERIC", "134")},
			"PHONE_NUMBER_1 PHONE_NUMBER_1 PHONE_NUMBER_1 PHONE_NUMBER_1 PHONE_NUMBER_1"},
		{"the end of the last number", []Mention{code("GENERIC_ID", "R7302844"), code("GENERIC_ID", "44"), code("GENERIC_ID", "61950"), code("GENERIC_ID", "844")},
			"GENERIC_ID_1 GENERIC_ID_1 GENERIC_ID_2 GENERIC_ID_3"},
		{"a short end is the last number's only now", []Mention{code("PHONE_NUMBER", "5550109834"), weak("NUMERIC", "34"), code("GENERIC_ID", "71820"), weak("NUMERIC", "34")},
			"PHONE_NUMBER_1 PHONE_NUMBER_1 GENERIC_ID_1 NUMERIC_1"},
		{"the beginning of a number, and all of it", []Mention{code("GENERIC_ID", "W261"), code("GENERIC_ID", "W2610094"), code("GENERIC_ID", "90411"), code("GENERIC_ID", "9041")},
			"GENERIC_ID_1 GENERIC_ID_1 GENERIC_ID_2 GENERIC_ID_3"},
		{"names with a number, and addresses", []Mention{code("USER_NAME", "joe12"), code("USER_NAME", "joe123"), code("EMAIL_ADDRESS", "joe7@acme.co"), code("EMAIL_ADDRESS", "joe7@acme.com")},
			"USER_NAME_1 USER_NAME_2 EMAIL_ADDRESS_1 EMAIL_ADDRESS_2"},
		{"a short number that is repeated is taken for another type", []Mention{code("SSN", "1234"), code("GENERIC_ID", "1234"), code("SSN", "1234")},
			"SSN_1 SSN_1 SSN_1"},
		{"confused characters", []Mention{code("GENERIC_ID", "B0123"), code("GENERIC_ID", "bo1 23")},
			"GENERIC_ID_1 GENERIC_ID_1"},
		{"the letters that begin the last name", []Mention{person("gurpreet gill"), spelledName("gur"), spelledName("gurpreet"), person("gurpreet"), person("otto"), spelledName("gurp")},
			"PERSON_NAME_1 PERSON_NAME_1 PERSON_NAME_1 PERSON_NAME_1 PERSON_NAME_2 PERSON_NAME_3"},
		{"who was called so first", []Mention{person("georgette"), person("georgette moreau"), person("georgette")},
			"PERSON_NAME_1 PERSON_NAME_1 PERSON_NAME_1"},
		{"a person whom the tagger takes for a brand", []Mention{person("duke"), guessedOrg("duke"), guessed("duke")},
			"PERSON_NAME_1 PERSON_NAME_1 PERSON_NAME_1"},
		{"a name first met spelled", []Mention{spelled("KOWALSKI"), person("kowalski")},
			"SPELLED_WORD_1 SPELLED_WORD_1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			call := NewCall()
			call.Speaker("a")
			call.Speaker("b")
			call.NumberSpeaker(1)
			var got []string
			for _, m := range c.mentions {
				r := call.LinkOrCreate(m, 1000)
				got = append(got, fmt.Sprintf("%s_%d", r.Type, r.N))
			}
			if g := strings.Join(got, " "); g != c.want {
				t.Errorf("got  %s\nwant %s", g, c.want)
			}
		})
	}
}

func TestLinkOrCreateReportsOnlyRealChanges(t *testing.T) {
	c := NewCall()
	for i, want := range []bool{true, false, true, false, true, false} {
		m := person([]string{"jim halpert", "jim halpert", "jim", "jim", "jym", "jym"}[i])
		before := c.Changes()
		if c.LinkOrCreate(m, 10); (c.Changes() != before) != want {
			t.Errorf("mention %d: changed is %v", i, !want)
		}
	}
}

func TestNumbersStopAtTheLimit(t *testing.T) {
	c := NewCall()
	c.LinkOrCreate(code("SSN", "111"), 2)
	c.LinkOrCreate(code("SSN", "222"), 2)
	before := c.Changes()
	r := c.LinkOrCreate(code("SSN", "333"), 2)
	if changed := c.Changes() != before; changed || r.N != 0 || r.Type != "SSN" {
		t.Errorf("beyond the limit: %+v, changed %v", r, changed)
	}
	if r := c.LinkOrCreate(code("SSN", "222"), 2); r.N != 2 {
		t.Errorf("a known one has number %d", r.N)
	}
	if n := c.Entities()["SSN"]; n != 2 {
		t.Errorf("%d entities", n)
	}
}

func TestKnownValueHasNoNumberUntilItIsSaid(t *testing.T) {
	c := NewCall()
	m := person("ann lee")
	m.Source = linking.SourceParticipant
	for range 2 {
		if c.AddKnown(m, 10); c.Changes() != 1 {
			t.Error("a known value did not change the state exactly once")
		}
	}
	if len(c.Entities()) != 0 {
		t.Error("an unsaid value is counted")
	}
	c.LinkOrCreate(person("bob"), 10)
	if r := c.LinkOrCreate(person("ann"), 10); r.N != 2 || r.Source != linking.SourceParticipant {
		t.Errorf("got %+v", r)
	}
}

func TestCloneIsIndependent(t *testing.T) {
	c := NewCall()
	c.LinkOrCreate(person("jim halpert"), 10)
	before, _ := c.MarshalBinary()
	d := c.Clone()
	d.LinkOrCreate(person("jim"), 10)
	d.LinkOrCreate(person("pam"), 10)
	s := d.Speaker("x")
	d.NumberSpeaker(s)
	d.SetQuestions([]Question{{Type: "SSN"}})
	d.SetDictation(Dictation{Entity: 1, Code: "1"})
	if after, _ := c.MarshalBinary(); string(after) != string(before) {
		t.Error("a change of the copy shows in the original")
	}
	if r := c.LinkOrCreate(person("pam"), 10); r.N != 2 {
		t.Errorf("number %d", r.N)
	}
}

func TestSpeakersAreNumberedAsTheyAppear(t *testing.T) {
	c := NewCall()
	late := c.Speaker("from START")
	early := c.Speaker("first to talk")
	for _, x := range []struct {
		speaker linking.SpeakerID
		number  int
		changes uint64
	}{{early, 1, 1}, {late, 2, 1}, {early, 1, 0}, {0, 0, 0}} {
		before := c.Changes()
		if n := c.NumberSpeaker(x.speaker); n != x.number || c.Changes()-before != x.changes {
			t.Errorf("speaker %d: s%d, %d changes", x.speaker, n, c.Changes()-before)
		}
	}
	long := strings.Repeat("x", 500)
	a := c.Speaker(long + "a")
	b := c.Speaker(long + "b")
	if a == b {
		t.Error("long IDs are not distinguished")
	}
}

func TestIndexFindsKnownWords(t *testing.T) {
	c := NewCall()
	c.LinkOrCreate(person("mark kowalski"), 10)
	c.LinkOrCreate(org("dunder mifflin"), 10)
	x := c.Index()
	for word, want := range map[string]int{"mark": 1, "kowalski": 1, "dunder": 1, "mifflin": 0, "pam": 0} {
		if got := len(x.Word(wordhash.String(word))); got != want {
			t.Errorf("%s: %d entries", word, got)
		}
	}
	if got := x.Sound(wordhash.String(string(linking.AppendPhonetic(nil, "marc")))); len(got) != 1 || !x.SoundAlike(got[0], "marc") {
		t.Errorf("marc: %d entries", len(got))
	}
	c.LinkOrCreate(person("pam"), 10)
	if len(c.Index().Word(wordhash.String("pam"))) != 1 {
		t.Error("the index does not follow the state")
	}
}

// A word that only the tagger took for an organization, with a low score, is not masked elsewhere
// until stronger evidence confirms it.
func TestIndexLeavesOutWeakFindings(t *testing.T) {
	c := NewCall()
	doubtful := org("covid")
	doubtful.Weak = true
	for range 2 {
		c.LinkOrCreate(doubtful, 10)
		if got := c.Index().Word(wordhash.String("covid")); len(got) != 0 {
			t.Fatalf("%d entries for a word with weak evidence", len(got))
		}
	}
	before := c.Changes()
	r := c.LinkOrCreate(org("covid"), 10)
	if changed := c.Changes() != before; r.N != 1 || !changed || len(c.Index().Word(wordhash.String("covid"))) != 1 {
		t.Errorf("number %d, changed %v: a confirmed word must be in the index", r.N, changed)
	}
}

func BenchmarkClone(b *testing.B) {
	c := NewCall()
	for i := range 100 {
		c.LinkOrCreate(code("GENERIC_ID", fmt.Sprint(1000000+i)), 1000)
	}
	b.ReportAllocs()
	for b.Loop() {
		c.Clone()
	}
}

// An organization belongs to a speaker as soon as one of its mentions says so, also after it was
// sealed and opened.
func TestOfSpeaker(t *testing.T) {
	c := NewCall()
	own, other := org("blue harbor"), org("larkmoor mutual")
	r := c.LinkOrCreate(own, 10)
	o := c.LinkOrCreate(other, 10)
	if c.OfSpeaker(r) || c.OfSpeaker(Ref{Type: r.Type}) {
		t.Error("a mention without the hint belongs to a speaker")
	}
	own.OfSpeaker = true
	before := c.Changes()
	if c.LinkOrCreate(own, 10); c.Changes() == before {
		t.Error("the state did not change")
	}
	data, err := c.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	d := NewCall()
	if err := d.UnmarshalBinary(data); err != nil || !d.OfSpeaker(r) || d.OfSpeaker(o) {
		t.Error("the state did not keep that it belongs to a speaker", err)
	}
}

// What is masked with a name is remembered, although the name is compared without it.
func TestTheWholeOfAMentionIsRemembered(t *testing.T) {
	c := NewCall()
	m := person("noor")
	m.Whole = "noor of leeds"
	first := c.LinkOrCreate(m, 10)
	before := c.Changes()
	second := c.LinkOrCreate(person("noor of leeds"), 10)
	if changed := c.Changes() != before; first != second || changed {
		t.Errorf("%v, then %v, changed: %t", first, second, changed)
	}
}
