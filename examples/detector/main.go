// Command detector finds information in a way of its own, beside what Sotto finds: the loyalty numbers that its customer
// database knows. It has a policy, too, which is built into the program.
//
//	printf 'My number is birch twelve, since May 4th.\n' | go run ./examples/detector
package main

import (
	"bufio"
	"embed"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"sotto/anonymize"
	"sotto/anonymize/policy"
	"sotto/detectors"
	"sotto/schemas"
)

//go:embed policy
var folder embed.FS

// loyalty stands for a look-up in a database.
var loyalty = []string{"birch twelve", "harbor seven"}

// findLoyalty returns where numbers that the database knows stand in a text. It gives the same for the same text, always: the stream
// reads a text again after a crash.
func findLoyalty(text string) (found []policy.Found) {
	text = strings.ToLower(text)
	for _, number := range loyalty {
		for at := 0; ; {
			i := strings.Index(text[at:], number)
			if i < 0 {
				break
			}
			found = append(found, policy.Found{Start: at + i, End: at + i + len(number)})
			at += i + len(number)
		}
	}
	return found
}

func main() {
	if err := run(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(in io.Reader, out io.Writer) error {
	rules, err := fs.Sub(folder, "policy")
	if err != nil {
		return err
	}
	engine, err := anonymize.New(anonymize.Options{
		Policy: rules,
		Detectors: []policy.Detector{{
			Name:      "loyalty 1", // another version if findLoyalty finds something else
			InfoTypes: []detectors.InfoType{"LOYALTY_NUMBER"},
			Find:      findLoyalty,
		}},
	})
	if err != nil {
		return err
	}
	call := anonymize.NewConversation(engine)
	lines := bufio.NewScanner(in)
	for seq := int64(1); lines.Scan(); seq++ {
		event := call.Add(&schemas.RawEvent{CallID: "call-1", Seq: seq, Type: schemas.Utterance, Text: lines.Text()}).Clean
		if _, err := fmt.Fprintln(out, event.Text); err != nil {
			return err
		}
	}
	return lines.Err()
}
