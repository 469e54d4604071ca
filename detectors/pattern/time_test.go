package pattern

import (
	"strings"
	"testing"

	d "sotto/detectors"
	"sotto/detectors/spoken"
)

func TestTimes(t *testing.T) {
	for text, want := range map[string]string{
		"at 9:45 or 10.30 pm":                        "9:45|10.30 pm",
		"at nine thirty in the morning":              "nine thirty in the morning",
		"come at seven. or at 8":                     "seven|8",
		"half past nine, quarter to 5, ten past two": "half past nine|quarter to 5|ten past two",
		"noon till 930 am, 9am, 7 p.m":               "noon|930 am|9am|7 p.m",
		"seven o'clock sharp":                        "seven o'clock",
		"around two fifteen":                         "two fifteen",
		"four oh five pm":                            "four oh five pm",
		"two to three days after 3 weeks":            "",
		"at 5551212 by 14 dollars":                   "",
		"it is 99:99 and 4.5 percent":                "",
		"at":                                         "",
		"9":                                          "",
		"25 pm":                                      "",
	} {
		var doc d.Document
		doc.Reset(text)
		spoken.Scan(&doc)
		Times(&doc)
		var got []string
		for _, f := range doc.Findings {
			got = append(got, doc.Text[f.Start:f.End])
		}
		if s := strings.Join(got, "|"); s != want {
			t.Errorf("%q: %q, want %q", text, s, want)
		}
	}
}
