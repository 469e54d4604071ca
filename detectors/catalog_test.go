package detectors

import (
	"slices"
	"testing"

	"sotto/detectors/ids"
)

// Rows are consistent: what a row says about hotwords, codes and forms is complete.
func TestRowsAreConsistent(t *testing.T) {
	tags := map[string]InfoType{}
	for _, r := range Rows() {
		if r.About == "" || !slices.Contains(Groups(), r.Group) || r.Score < 0 || r.Score > 5 || r.SpeakerScore > 5 {
			t.Errorf("%s: group %q, scores %d and %d, about %q", r.Type, r.Group, r.Score, r.SpeakerScore, r.About)
		}
		if other, ok := tags[r.Tag]; ok && r.Tag != "" {
			t.Errorf("%s and %s have the tag %s", r.Type, other, r.Tag)
		}
		tags[r.Tag] = r.Type
		if r.Match == nil && (len(r.NamedBy)+len(r.Forms) > 0 || r.Length > 0 || r.PartLength > 0) {
			t.Errorf("%s is no code: it cannot have hotwords that name one, forms or lengths", r.Type)
		}
		if r.Length > 0 && r.PartLength >= r.Length {
			t.Errorf("%s: a part of %d characters is as long as a whole value, %d", r.Type, r.PartLength, r.Length)
		}
		for i, f := range r.Forms {
			if f.Match == ids.None || f.Score <= 0 || f.Score > 1 || f.Max > 0 && f.Max < f.Min {
				t.Errorf("%s: form %d has match %d, score %v, %d to %d characters", r.Type, i, f.Match, f.Score, f.Min, f.Max)
			}
			if f.Letters && (f.Prefix != 0 || len(f.Layouts) > 0) {
				t.Errorf("%s: form %d has letters, which have neither layout nor prefix", r.Type, i)
			}
		}
	}
}

// Every list of hotwords.txt is requested by name: those of an infoType stand in its row.
func TestHotwordsAreUsed(t *testing.T) {
	used := map[Hotword]bool{HotSpell: true, HotLast: true, HotMoney: true, hotwordOf("date"): true, HotVersion: true}
	for _, list := range hotwordLists.Names() {
		if !used[hotwordOf(list)] {
			t.Errorf("nothing asks for the hotwords %q", list)
		}
	}
}

// Whoever adds a row with a phrase of another one is told of which.
func TestAPhraseOfTwoRows(t *testing.T) {
	defer func() {
		const want = `detectors: the phrase "badge number" is one of the hotwords "account" of the row of GENERIC_ID, and one of "badge" of hotwords.txt as well`
		if got := recover(); got != want {
			t.Errorf("it panics with %v, want %s", got, want)
		}
	}()
	mustPhrases(append(slices.Clip(allHotwords), Hotwords{"badge", "badge, badge number"}))
}

func TestHotwordsOfInfoTypes(t *testing.T) {
	for _, c := range []struct {
		list string
		want InfoType
	}{{"vin", VIN}, {"postal code", StreetAddress}, {"address", StreetAddress}, {"card code", Numeric}, {"secret", GenericID},
		{"url", ""}, {"diagnosis", ""}, {"money", ""}, {"spelling", ""}} {
		if got := hotwordOf(c.list).InfoType(); got != c.want {
			t.Errorf("%s: %q, want %q", c.list, got, c.want)
		}
	}
	for infoType, want := range map[InfoType]Hotword{StreetAddress: hotwordOf("address"), GenericID: hotwordOf("account"), Product: HotNone, "BADGE": HotNone} {
		if got := infoType.Hotword(); got != want {
			t.Errorf("%s: hotword %d, want %d", infoType, got, want)
		}
	}
}

// The strongest form is tried first, so that a card number is not read as a phone number.
func TestFormsAreInTheOrderOfStrength(t *testing.T) {
	for _, letters := range []bool{false, true} {
		forms := Forms(letters)
		if len(forms) == 0 {
			t.Error("no forms")
		}
		for i := 1; i < len(forms); i++ {
			a, b := forms[i-1], forms[i]
			if a.Score < b.Score || a.Score == b.Score && a.Match < b.Match {
				t.Errorf("%s (%v) comes before %s (%v)", a.Row.Type, a.Score, b.Row.Type, b.Score)
			}
		}
	}
}
