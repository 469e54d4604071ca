package brokertest

import (
	"os"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

var aclOperations = map[string]kmsg.ACLOperation{
	"Read": kmsg.ACLOperationRead, "Write": kmsg.ACLOperationWrite, "Create": kmsg.ACLOperationCreate, "Describe": kmsg.ACLOperationDescribe,
	"DescribeConfigs": kmsg.ACLOperationDescribeConfigs, "AlterConfigs": kmsg.ACLOperationAlterConfigs,
}

var aclResources = map[string]kmsg.ACLResourceType{
	"topic": kmsg.ACLResourceTypeTopic, "group": kmsg.ACLResourceTypeGroup, "transactional-id": kmsg.ACLResourceTypeTransactionalId,
}

var aclPatterns = map[string]kmsg.ACLResourcePatternType{
	"literal": kmsg.ACLResourcePatternTypeLiteral, "prefixed": kmsg.ACLResourcePatternTypePrefixed,
}

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
		resource, ok := aclResources[cells[1]]
		if !ok {
			continue
		}
		who := strings.TrimPrefix(cells[0], "| ")
		for op := range strings.SplitSeq(strings.TrimSuffix(cells[4], " |"), ", ") {
			if aclOperations[op] == 0 || aclPatterns[cells[3]] == 0 {
				t.Fatalf("cannot read the table: %s", line)
			}
			acls[who] = append(acls[who], kfake.ACL{Resource: resource, Name: cells[2], Pattern: aclPatterns[cells[3]], Operation: aclOperations[op], Allow: true})
		}
	}
	return acls
}
