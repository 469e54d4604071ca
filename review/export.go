package review

import "io"

// Export is a form in which annotations leave.
type Export struct {
	// About says what it is for.
	About string
	// Mode is that of the calls that it holds.
	Mode  Mode
	Write func(io.Writer, []Read) error
}

// Exports are the forms by file name.
var Exports = map[string]Export{
	"annotated.jsonl": {"what was missed, for 'sotto risk' and 'sotto train --annotated'", Missed, WriteLines},
	"gold.jsonl":      {"labelled conversations, for 'sotto eval' and 'sotto train'", Label, WriteGold},
}
