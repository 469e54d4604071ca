package brokertest

import (
	"os"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// DocumentedACLs returns the ACLs of the table in a document, by principal.
func DocumentedACLs(t testing.TB, document string) map[string][]kfake.ACL {
	t.Helper()
	page, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	acls := map[string][]kfake.ACL{}
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(strings.ReplaceAll(strings.TrimSpace(line), "`", ""), " | ")
		if len(cells) != 5 {
			continue
		}
		resource, err := kmsg.ParseACLResourceType(cells[1])
		if err != nil {
			continue
		}
		pattern, err := kmsg.ParseACLResourcePatternType(cells[3])
		for name := range strings.SplitSeq(strings.TrimSuffix(cells[4], " |"), ", ") {
			op, opErr := kmsg.ParseACLOperation(name)
			if err != nil || opErr != nil {
				t.Fatalf("cannot read the table: %s", line)
			}
			who := strings.TrimPrefix(cells[0], "| ")
			acls[who] = append(acls[who], kfake.ACL{Resource: resource, Name: cells[2], Pattern: pattern, Operation: op, Allow: true})
		}
	}
	return acls
}
