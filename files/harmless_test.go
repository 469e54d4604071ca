package files

import (
	"fmt"
	"strings"
	"testing"
)

// A number of somebody does not pass under a name that is one of a format.
func TestNumbersUnderHarmlessNamesAreMasked(t *testing.T) {
	j := fileJob(t)
	for _, name := range []string{"to", "offset", "ts", "confidence", "timestamp", "duration", "startTime"} {
		numberIsMasked(t, j, name, "604555013")
	}
	for _, name := range []string{"customer", "agent", "id"} {
		numberIsMasked(t, j, name, "604555")
		numberIsMasked(t, j, name, "45391")
	}
}

func numberIsMasked(t *testing.T, j *Job, name, number string) {
	t.Helper()
	for file, text := range map[string]string{
		"a.csv":   fmt.Sprintf("speaker,text,%s\nA,Okay then,%s\n", name, number),
		"a.jsonl": fmt.Sprintf(`{"speaker":"A","text":"Okay then","%s":%s}`+"\n", name, number),
		"a.json":  fmt.Sprintf(`[{"speaker":"A","text":"Okay then","%s":%s}]`, name, number),
	} {
		if clean, _ := anonymized(t, j, file, text); strings.Contains(clean, number) {
			t.Errorf("%d digits under %s stay in %s", len(number), name, file)
		}
	}
}
