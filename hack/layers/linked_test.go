package layers

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// apart is what the programs of the stream and of the demo must not link: databases, OpenID Connect,
// Parquet, gRPC and Google's client. They would make both larger and slower to build.
var apart = []string{"github.com/jackc/pgx", "modernc.org/sqlite", "github.com/coreos/go-oidc", "github.com/parquet-go",
	"google.golang.org/grpc", "google.golang.org/api", "cloud.google.com/go/dlp"}

// What a program links, and of how many packages it is made. Thirty of those of sotto-stream compile the Protobuf schemas of others,
// which takes 3 of 65 MB.
func TestSmallProgramsLinkWhatTheyNeed(t *testing.T) {
	packages(t) // so that the cache of test results knows the files
	for _, c := range []struct {
		program string
		apart   []string
		most    int
	}{
		{"sotto-stream", append(slices.Clip(apart), "github.com/twmb/franz-go/pkg/kfake", "sotto/processor/demo", "sotto/serve", "sotto/review"), 480},
		{"sotto-demo", apart, 480},
	} {
		out, err := exec.Command("go", "list", "-deps", "sotto/cmd/"+c.program).Output()
		if err != nil {
			t.Fatal(err)
		}
		linked := strings.Fields(string(out))
		for _, path := range linked {
			if i := slices.IndexFunc(c.apart, func(p string) bool { return path == p || strings.HasPrefix(path, p+"/") }); i >= 0 {
				t.Errorf("%s links %s", c.program, path)
			}
		}
		if len(linked) > c.most {
			t.Errorf("%s is made of %d packages, more than %d", c.program, len(linked), c.most)
		}
	}
}

// The oracle of the stream's tests shares nothing with the stream.
func TestTheOracleUsesNothingOfTheProcessor(t *testing.T) {
	packages(t)
	out, err := exec.Command("go", "list", "-deps", "sotto/internal/testkit/oracle").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range strings.Fields(string(out)) {
		if below(path, "sotto/processor") {
			t.Errorf("the oracle needs %s", path)
		}
	}
}
