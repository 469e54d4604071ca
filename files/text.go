package files

import (
	"context"
	"io"
	"unicode/utf8"

	"sotto/anonymize"
	"sotto/files/formats/plaintext"
	"sotto/schemas"
)

// Text reads the lines "Speaker: words" of the call with an ID and writes the same,
// anonymized, without empty lines. Each line is written before the next one is
// read.
//
// The error is one of reading, of writing, of ctx, or of a remote tier that does not answer; bad
// lines are counted.
func (j *Job) Text(ctx context.Context, id string, in io.Reader, out io.Writer) (Counts, error) {
	run := &input{job: j, calls: newCalls(1)}
	run.write = func(clean *schemas.CleanEvent, why []anonymize.Explanation) (bool, error) {
		_, err := io.WriteString(out, plaintext.Format(clean)+"\n"+reasons(why))
		return true, err
	}
	err := plaintext.Read(in, func(ev *schemas.RawEvent) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		run.n.Lines++
		ev.CallID = id
		line := int(ev.Seq)
		if !utf8.ValidString(ev.Text) || ev.Speaker != nil && !utf8.ValidString(ev.Speaker.Label) {
			j.bad(&run.n, line, "the text is not valid UTF-8")
			return nil
		}
		if len(ev.Text) > maxText {
			j.bad(&run.n, line, problemLongText)
			return nil
		}
		return run.take(ctx, ev, line)
	})
	return run.n, err
}
