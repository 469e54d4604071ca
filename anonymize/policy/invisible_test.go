package policy

import (
	"fmt"
	"testing"

	"sotto/detectors"
)

// Invisible characters hide nothing from the user's own lists and expressions.
func TestInvisibleCharactersHideNothing(t *testing.T) {
	p, err := Read(folderOf(map[string]string{
		"PROJECT.dictionary.txt":  "Blue Heron\n",
		"PERSON_NAME.exclude.txt": "Paige\n",
		"policy.yaml":             "custom_info_types:\n  - name: BADGE\n    regex: 'EMP-\\d{5}'\n  - name: DESK\n    regex: '\\bdésk \\d+'\n",
	}))
	if err != nil {
		t.Fatal(err)
	}
	for _, hidden := range []string{"", "\u200b", "\u2060", "\u00ad", "\ufeff", "\U000E0034", "\U000E007F", "\ufe0f", "\u202e", "\x00", "\x7f", "\u200b\U000E0041\u2060"} {
		text := fmt.Sprintf("my badge is E%[1]sMP-1%[1]s23%[1]s45 and the Blue Heron sits at d%[1]sésk 1%[1]s2", hidden)
		if hidden >= " " && hidden != "\x7f" { // the words of the lists are those of the detectors, which ASCII controls part
			text = fmt.Sprintf("my badge is E%[1]sMP-1%[1]s23%[1]s45 and the Bl%[1]sue Her%[1]son sits at d%[1]sésk 1%[1]s2", hidden)
		}
		var d detectors.Document
		d.Reset(text)
		p.Find(&d, "")
		found := map[detectors.InfoType]string{}
		for _, f := range d.Findings {
			found[f.Type] = text[f.Start:f.End]
		}
		for infoType, begins := range map[detectors.InfoType]string{"BADGE": "E", "PROJECT": "B", "DESK": "d"} {
			got := found[infoType]
			if got == "" || got[:1] != begins || infoType == "BADGE" && got[len(got)-1] != '5' || infoType == "DESK" && got[len(got)-1] != '2' {
				t.Errorf("%q: %s is %q", text, infoType, got)
			}
		}

		d.Reset("ask Pai" + hidden + "ge please")
		if hidden != "" && hidden[0] < ' ' || hidden == "\x7f" {
			continue
		}
		d.Add(detectors.Finding{Start: 4, End: len(d.Text) - len(" please"), Type: detectors.PersonName, Likelihood: detectors.Likely})
		p.Filter(&d, "", nil)
		if len(d.Findings) > 0 {
			t.Errorf("%q: an excluded name is masked", d.Text)
		}
	}
}
