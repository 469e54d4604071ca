package transcripts

import (
	"bufio"
	"errors"
	"fmt"
	"iter"
	"os"
	"strings"

	"sotto/schemas"
	"sotto/training/corpus/words"
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
	file      string
	asked     map[string]bool // customers whose call was there
}

// NewIndividuals makes the mapping. customers is a file of lines of call ID, tab and customer, for
// ByCustomer: clean events do not have the customer.
func NewIndividuals(by, customers string) (*Individuals, error) {
	in := &Individuals{by: by, file: customers, asked: map[string]bool{}}
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

// Of returns the individual of an event. It is an error if the file of customers lacks the call: as an individual of
// its own, a customer who calls twice would make a word safe that nobody else uses.
func (in *Individuals) Of(e *schemas.CleanEvent) (string, error) {
	switch in.by {
	case BySpeaker:
		if e.Speaker != nil {
			return e.CallID + "\x00" + e.Speaker.ID, nil
		}
	case ByCustomer:
		c, ok := in.customers[e.CallID]
		if !ok {
			return "", fmt.Errorf("the call has no line in %s; a line is the call's ID, a tab and the customer", in.file)
		}
		in.asked[e.CallID] = true
		return "customer\x00" + c, nil
	}
	return e.CallID, nil
}

// Unmatched is an error if customers were given for calls of which Of has seen no event: their IDs are probably written
// in another way, or calls are missing.
func (in *Individuals) Unmatched() error {
	if n := len(in.customers) - len(in.asked); n > 0 {
		return fmt.Errorf("%d of the %d calls of %s are not in the input; remove their lines, or give their files", n, len(in.customers), in.file)
	}
	return nil
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
