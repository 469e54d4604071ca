package erasure

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"sotto/internal/texttable"
)

// Record says what was found of calls, what was erased, and when the rest expires. It has call IDs and no text.
type Record struct {
	At     time.Time `json:"at"`
	DryRun bool      `json:"dry_run"`
	// Topics were searched. Unreadable is how many of their records cannot be decoded, and have the key of none of
	// the calls.
	Topics     []string `json:"topics"`
	Unreadable int      `json:"unreadable"`
	// ReviewSearched means that the database of sotto review was searched, ReviewCopyLeft that a copy of erased
	// texts stays in its journal until the program that reads it ends.
	ReviewSearched bool      `json:"review_searched"`
	ReviewCopyLeft bool      `json:"review_copy_left"`
	Calls          []*Traces `json:"calls"`
}

// Traces is what there is of a call.
type Traces struct {
	ID string `json:"call_id"`
	// Hashes are its IDs with SOTTO_CALL_ID=hash, one for each state key.
	Hashes []string `json:"hashed_ids,omitempty"`
	// Open means that the call has a state: it is open, or has just ended.
	Open   bool   `json:"open"`
	Copies []Copy `json:"copies"`
	// Review means that the database of sotto review had the call, and no longer has it unless the run was dry.
	Review  bool         `json:"review"`
	Exports []ExportRows `json:"exports,omitempty"`

	found map[place]*found
}

// Copy are the records of a call in a partition.
type Copy struct {
	Topic     string    `json:"topic"`
	Kind      Kind      `json:"kind"`
	Partition int32     `json:"partition"`
	Offsets   string    `json:"offsets"` // as 3-5,9
	Records   int       `json:"records"`
	First     time.Time `json:"first"`
	Last      time.Time `json:"last"`
	// Tombstones is how many keys had a value, and got a tombstone unless the run was dry.
	Tombstones int `json:"tombstones,omitempty"`
	// Expires is when the last of the records is gone at the latest; nil if the topic's settings have no bound.
	Expires *time.Time `json:"expires"`
}

// ExportRows are the rows of a call that an export had.
type ExportRows struct {
	Dir  string `json:"folder"`
	Rows int    `json:"rows"`
}

func (c *Traces) names() []string { return append([]string{c.ID}, c.Hashes...) }

// Unbounded is how many copies no setting removes.
func (r *Record) Unbounded() (n int) {
	for _, c := range r.Calls {
		for _, x := range c.Copies {
			if x.Expires == nil {
				n++
			}
		}
	}
	return n
}

func (s *search) finish(topics []*topicInfo) {
	for _, c := range s.record.Calls {
		for _, t := range topics {
			for _, k := range slices.SortedFunc(maps.Keys(c.found), func(a, b place) int { return int(a.partition - b.partition) }) {
				if k.topic == t {
					c.Copies = append(c.Copies, k.copyOf(c.found[k]))
				}
			}
		}
	}
}

func (k place) copyOf(f *found) Copy {
	out := Copy{
		Topic: k.topic.name, Kind: k.topic.kind, Partition: k.partition, Offsets: ranges(f.offsets), Records: len(f.offsets),
		First: f.first.UTC(), Last: f.last.UTC(),
	}
	for _, l := range f.latest {
		if l.live {
			out.Tombstones++
		}
	}
	// A value that stays the latest is not compacted away.
	kept := out.Tombstones > 0 && k.topic.erased.IsZero() && !k.topic.deletes
	if at := k.topic.expires(f.last); !at.IsZero() && !kept {
		out.Expires = &at
	}
	return out
}

// ranges writes offsets, which grow, as 3-5,9.
func ranges(offsets []int64) string {
	var b strings.Builder
	for i := 0; i < len(offsets); {
		k := i
		for k+1 < len(offsets) && offsets[k+1] == offsets[k]+1 {
			k++
		}
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprint(&b, offsets[i])
		if k > i {
			fmt.Fprintf(&b, "-%d", offsets[k])
		}
		i = k + 1
	}
	return b.String()
}

// Write writes the record as text.
func (r *Record) Write(w io.Writer) error {
	did := "Erased"
	if r.DryRun {
		did = "Dry run, nothing erased,"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s at %s. Searched: %s", did, r.At.Format(time.RFC3339), strings.Join(r.Topics, ", "))
	if r.ReviewSearched {
		b.WriteString(", the database of sotto review")
	}
	b.WriteString(".\n")
	if r.Unreadable > 0 {
		fmt.Fprintf(&b, "%d records cannot be decoded, and their keys are those of none of the calls.\n", r.Unreadable)
	}
	if r.ReviewCopyLeft {
		b.WriteString("A copy of erased texts stays in the journal of the database until the program that reads it ends.\n")
	}
	for _, c := range r.Calls {
		if err := c.write(&b); err != nil {
			return err
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (c *Traces) write(b *strings.Builder) error {
	fmt.Fprintf(b, "\nCall %s\n", texttable.Line(c.ID))
	if c.Open {
		b.WriteString("It has a state: it is open, or has just ended.\n")
	}
	if len(c.Copies) == 0 {
		b.WriteString("No topic has a record of it.\n")
	} else {
		t := texttable.New("topic", "partition", "offsets", "last written", "tombstones", "gone by")
		for _, x := range c.Copies {
			expires := "never"
			if x.Expires != nil {
				expires = x.Expires.Format(time.RFC3339)
			}
			t.Row(x.Topic, x.Partition, x.Offsets, x.Last.Format(time.RFC3339), x.Tombstones, expires)
		}
		if err := t.Write(b); err != nil {
			return err
		}
	}
	if c.Review {
		b.WriteString("The database of sotto review had it.\n")
	}
	for _, e := range c.Exports {
		fmt.Fprintf(b, "The export %s had %d rows of it.\n", e.Dir, e.Rows)
	}
	return nil
}
