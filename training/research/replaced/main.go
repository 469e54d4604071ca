// Command replaced replaces the labelled values of conversations, each with a probability, and writes the conversations
// with the places of the new values. Surrogates are drawn from the values of the same conversations, by how often
// each occurs, as in section 4.3 of "Privacy guarantees for de-identifying text transformations" (Adelani et al.).
//
//	go run ./replaced -strategy word -p 0.9 -seed 1 calls.jsonl >treated.jsonl
//
// To standard error it prints epsilon, the greatest of all infoTypes that have surrogates, and "apart" if a value that was
// left shows that it is real, so that epsilon says nothing.
package main

import (
	"bytes"
	"encoding/binary"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"sotto/anonymize/replace"
	"sotto/internal/gold"
	"sotto/training/corpus/calls"
)

func main() {
	strategy := flag.String("strategy", "entity", "how to replace")
	p := flag.Float64("p", 1, "probability of a replacement")
	seed := flag.Uint64("seed", 0, "seed of the draws")
	flag.Parse()
	if err := run(*strategy, *p, *seed, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "replaced:", err)
		os.Exit(1)
	}
}

func run(strategy string, p float64, seed uint64, files []string) error {
	var all []gold.Conversation
	for _, file := range files {
		conversations, err := calls.ReadFile(file)
		if err != nil {
			return err
		}
		all = append(all, conversations...)
	}
	tables, err := learn(all)
	if err != nil {
		return err
	}
	choice, err := replace.ParseChoice(strategy)
	if err != nil {
		return err
	}
	plan, err := replace.New(replace.Config{
		Choice: choice, Independent: true, Probability: p, RiskAccepted: true, Tables: tables,
		Key: binary.BigEndian.AppendUint64([]byte("research/replaced"), seed),
	})
	if err != nil {
		return err
	}
	for i := range all {
		treat(plan, &all[i])
	}
	account, note := plan.Account(tables.Types(), nil), ""
	if p < 1 && slices.ContainsFunc(account.Types, func(g replace.Guarantee) bool { return g.Apart || g.Values == 0 }) {
		note = " apart"
	}
	fmt.Fprintf(os.Stderr, "%.2f%s\n", account.Epsilon, note)
	return gold.Write(os.Stdout, all)
}

func learn(all []gold.Conversation) (*replace.Tables, error) {
	var l replace.Learner
	for i := range all {
		for _, u := range all[i].Utterances {
			text := []rune(u.Text)
			for _, s := range u.Entities {
				l.Add(all[i].ID, s.Type, string(text[s.Start:s.End]))
			}
		}
	}
	var table bytes.Buffer
	if err := l.Write(&table, 1); err != nil {
		return nil, err
	}
	return replace.ReadTables(table.Bytes())
}

// treat replaces the values of a conversation. A value has one number in all of it, whatever its case is.
func treat(plan *replace.Plan, c *gold.Conversation) {
	seed := plan.Seed(c.ID)
	numbers, counts := map[string]int{}, map[string]int{}
	for i := range c.Utterances {
		u := &c.Utterances[i]
		text := []rune(u.Text)
		slices.SortFunc(u.Entities, func(a, b gold.Span) int { return a.Start - b.Start })
		var out []byte
		at, length := 0, 0
		for k := range u.Entities {
			s := &u.Entities[k]
			value := string(text[s.Start:s.End])
			key := s.Type + " " + strings.ToLower(value)
			if numbers[key] == 0 {
				counts[s.Type]++
				numbers[key] = counts[s.Type]
			}
			out = append(out, string(text[at:s.Start])...)
			length += s.Start - at
			at = s.End
			before := len(out)
			out = plan.Append(out, &seed, &replace.Mention{Type: s.Type, N: numbers[key], Text: value, Before: string(text[:s.Start]), Seq: int64(i), Pos: k})
			s.Start, s.End = length, length+utf8.RuneCount(out[before:])
			length = s.End
		}
		u.Text = string(append(out, string(text[at:])...))
	}
}
