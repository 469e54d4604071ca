package transcripts

import (
	"bufio"
	"errors"
	"fmt"
	"iter"
	"os"
	"strings"

	"sotto/corpus/words"
	"sotto/schemas"
)

// What an individual is.
const (
	ByCall     = "call"
	BySpeaker  = "speaker"
	ByCustomer = "customer"
)

// Individuals say whose words an event has.
type Individuals struct {
	by        string
	customers map[string]string
}

// NewIndividuals makes the mapping. customers is a file of lines of call ID, tab and customer, for
// ByCustomer: clean events do not have the customer.
func NewIndividuals(by, customers string) (*Individuals, error) {
	in := &Individuals{by: by}
	switch {
	case by != ByCall && by != BySpeaker && by != ByCustomer:
		return nil, errors.New("an individual is a call, a speaker or a customer")
	case (by == ByCustomer) != (customers != ""):
		return nil, errors.New("individuals by customer need the file of customers, and the others have none")
	case by != ByCustomer:
		return in, nil
	}
	f, err := os.Open(customers)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	in.customers = map[string]string{}
	s := bufio.NewScanner(f)
	for n := 1; s.Scan(); n++ {
		if s.Text() == "" {
			continue
		}
		id, customer, ok := strings.Cut(s.Text(), "\t")
		if !ok || id == "" || customer == "" {
			return nil, fmt.Errorf("%s:%d: not a call ID, a tab and a customer", customers, n)
		}
		in.customers[id] = customer
	}
	return in, s.Err()
}

// Of returns the individual of an event. A call whose customer is not known is an individual of its
// own: that marks too much and never too little.
func (in *Individuals) Of(e *schemas.CleanEvent) string {
	switch in.by {
	case BySpeaker:
		if e.Speaker != nil {
			return e.CallID + "\x00" + e.Speaker.ID
		}
	case ByCustomer:
		if c, ok := in.customers[e.CallID]; ok {
			return "customer\x00" + c
		}
	}
	return e.CallID
}

// Runs splits texts into runs of words between markers, which no n-gram goes across.
type Runs struct {
	splitter words.Splitter
	run      []string
}

// Of yields the runs of a text. A run is valid until the next one.
func (r *Runs) Of(text string) iter.Seq[[]string] {
	return func(yield func([]string) bool) {
		r.run = r.run[:0]
		for _, w := range r.splitter.Split(text) {
			if !w.Marker {
				r.run = append(r.run, w.Text)
				continue
			}
			if len(r.run) > 0 && !yield(r.run) {
				return
			}
			r.run = r.run[:0]
		}
		if len(r.run) > 0 {
			yield(r.run)
		}
	}
}
