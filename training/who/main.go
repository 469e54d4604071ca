// Command who trains and measures the models that decide which mentions are one person; README.md says how.
//
//	who learn CORPORA REPOSITORY         learns the models from the marked calls in CORPORA, and writes them into REPOSITORY
//	who mentions MARKS... -- CALLS...    the mentions that the engine finds in marked calls, as JSON lines; it runs in the repository
//	who cross MENTIONS                   B-cubed by cross-validation, for several thresholds
//	who agreement FOLDER                 B-cubed of two readings of the same calls
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"sotto/internal/gold"
	"sotto/training/who/learning"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) < 3 || os.Args[1] == "learn" && len(os.Args) < 4 {
		log.Fatal("usage: who learn CORPORA REPOSITORY | mentions MARKS... -- CALLS... | cross MENTIONS | agreement FOLDER")
	}
	out := bufio.NewWriter(os.Stdout)
	err := run(out, os.Args[1], os.Args[2:])
	if err == nil {
		err = out.Flush()
	}
	if err != nil {
		log.Fatal(err)
	}
}

func run(out io.Writer, command string, args []string) error {
	switch command {
	case "learn":
		return learn(args[0], args[1])
	case "mentions":
		at := slices.Index(args, "--")
		if at < 0 {
			return fmt.Errorf("who mentions: write -- between the files of marks and those of calls")
		}
		return mentions(out, args[:at], args[at+1:])
	case "cross":
		return cross(out, args[0])
	case "agreement":
		return agreement(out, args[0])
	}
	return fmt.Errorf("who: there is no command %q", command)
}

// learn trains the models from nothing but the calls and their marks.
func learn(corpora, root string) error {
	marked, err := filepath.Glob(filepath.Join(corpora, "who", "reader*.jsonl"))
	if err != nil {
		return err
	}
	files, err := filepath.Glob(filepath.Join(corpora, "calls", "train", "*.txt"))
	if err != nil {
		return err
	}
	all, names, err := readExamples(root, marked, files)
	if err != nil {
		return err
	}
	network, err := names.file()
	if err != nil {
		return err
	}
	for file, data := range map[string][]byte{
		"detectors/encoder/roles.model": network,
		"state/linking/pairs.model":     []byte(learning.Train(all)),
		"state/linking/couples.model":   []byte(learning.TrainCouples(all)),
	} {
		if err := os.WriteFile(filepath.Join(root, file), data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func mentions(out io.Writer, marked, files []string) error {
	all, _, err := readExamples(".", marked, files)
	e := json.NewEncoder(out)
	for _, c := range all {
		if err == nil {
			err = e.Encode(c)
		}
	}
	return err
}

func cross(out io.Writer, name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	all, err := learning.Read(f)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	learning.Cross(out, all, []int{3000, 3500, 4000, 4500, 5000, 5500}, []int{-1000, 0, 1000, 2000})
	return nil
}

// agreement prints how far the readers agree on the mentions that both marked.
func agreement(out io.Writer, dir string) error {
	for _, files := range [][2]string{{"reader2.jsonl", "again1.jsonl"}, {"reader1.jsonl", "again2.jsonl"}, {"reader3.jsonl", "again3.jsonl"}} {
		first, err := gold.ReadPeopleFiles(filepath.Join(dir, files[0]))
		if err != nil {
			return err
		}
		again, err := gold.ReadPeopleFiles(filepath.Join(dir, files[1]))
		if err != nil {
			return err
		}
		var s learning.Score
		alone := 0
		for _, id := range slices.Sorted(maps.Keys(again)) {
			if first[id] != nil {
				alone += compare(&s, first[id], again[id])
			}
		}
		fmt.Fprintf(out, "%s and %s: %v, mentions of the second alone %d\n", files[0], files[1], &s, alone)
	}
	return nil
}

// compare adds the mentions of a call that both readers marked, and returns how many only the second one did.
func compare(s *learning.Score, first, second *gold.People) (alone int) {
	of := map[gold.PersonMention]string{}
	for _, x := range first.Mentions {
		who := x.Person
		x.Person = ""
		of[x] = who
	}
	var one, other []string
	for _, x := range second.Mentions {
		who := x.Person
		x.Person = ""
		if of[x] == "" {
			alone++
		} else if of[x] != gold.Unknown && who != gold.Unknown {
			one, other = append(one, of[x]), append(other, who)
		}
	}
	s.AddCall(one, other)
	return alone
}
