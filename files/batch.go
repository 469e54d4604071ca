// Package files anonymizes files: the engine of the stream, without Kafka.
package files

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"

	"sotto/anonymize"
	"sotto/anonymize/ending"
	"sotto/schemas"
)

// Job says how to process an input. It may be used for several inputs, one
// after the other or concurrently; each has its own calls.
type Job struct {
	Engine anonymize.Anonymizer
	// Report is called for each line that cannot be processed, with its number from 1 and the
	// problem, without any text of the line.
	Report func(line int, problem string)
	// Gate is nil if no risk is too high for a call to be used as training data.
	Gate *ending.Gate
	// Admit, unless nil, returns why an event is refused, "" if it is not. It may change the
	// event. Publish, unless nil, changes a clean event before it is written.
	Admit   func(*schemas.RawEvent) (problem string)
	Publish func(raw *schemas.RawEvent, clean *schemas.CleanEvent)
	// Explain asks for the reasons: Events writes each event as
	// {"event": ..., "explanations": [...]}, Text writes them as indented lines
	// below the line that they are about. They hold positions and names of
	// rules, nothing of the text.
	Explain bool
	// Live asks Document to read a call once, as the stream does.
	Live bool
	// AsEvents asks Anonymize for CleanEvent lines instead of the format of the file.
	AsEvents bool
	// Participants are values that are known to be personal in every call of a document.
	Participants []schemas.Participant
	// Remote, unless nil, asks a remote tier about the utterances. About those of a document it
	// asks once, although the call is read twice.
	Remote *anonymize.RemoteAsker
	// Settings stand for what decides the output and that the engine's policy and the other fields do
	// not show, such as a key. They decide whether a file is finished.
	Settings string
	// MaxMasks is how many values may be masked in a call of a document; 0 means any number.
	MaxMasks int
	// CallID, unless nil, replaces the IDs of the calls of a document.
	CallID func(string) string
}

// Counts are the outcomes of the lines of an input.
type Counts struct {
	Lines   int // lines that are not empty
	Events  int // events written
	Interim int // interim hypotheses, which are dropped
	Bad     int // lines that could not be processed
}

// maxLine bounds the memory that one line takes.
const maxLine = 64 << 20

const (
	problemFields        = "; an event is a JSON object with call_id, seq and type (START, UTTERANCE or END), and of an utterance text and speaker (id, label, role)"
	problemTooLong       = "the line is longer than 64 MiB"
	problemOtherLanguage = "it is in another language than English, and SOTTO_OTHER_LANGUAGES is hold"
	problemLate          = "its call ended long before it, so the state of the call was dropped; move the line closer to the rest of its call"
	problemRemote        = "the remote detection tier gives no usable answer about it, and SOTTO_REMOTE_OUTAGE is pause"
	problemLongText      = "its text is longer than 64 KiB; without --live and --explain, the file is read as a whole, and such a text in parts"
	problemLongLexical   = "a turn is longer than 64 KiB and has an unformatted form, of which the parts are not known; divide the turn"
	problemManyMasks     = "more values are masked in a call of it than may be in memory at once; split it"
	problemPanic         = "the engine failed on it; please report it with the output of 'sotto version'"
)

// Events reads RawEvent JSON lines and writes CleanEvent JSON lines in the same order. It writes
// everything before it waits for more input.
//
// A call's state is kept until keepEnded other calls have ended after it. Of a call that ended
// earlier, only a hash of its ID is kept, and a later event of it is a bad line: the values that
// only its START or its earlier utterances knew would pass. So memory use grows with the number of
// calls that are open at once, not with the length of the input.
//
// The error is one of reading, of writing, of ctx, or of a remote tier that does not answer; bad
// lines are counted.
func (j *Job) Events(ctx context.Context, in io.Reader, out io.Writer) (Counts, error) {
	codec, err := schemas.NewCodec(ctx, schemas.Options{Format: schemas.FormatJSON})
	if err != nil {
		return Counts{}, err
	}
	w := bufio.NewWriterSize(out, 1<<16)
	buf := make([]byte, 0, 4096)
	run := &input{job: j, calls: newCalls(keepEnded)}
	run.write = func(clean *schemas.CleanEvent, why []anonymize.Explanation) (ok bool, err error) {
		if buf, err = j.appendEvent(codec, buf[:0], clean, why); err != nil {
			return false, nil
		}
		buf = append(buf, '\n')
		_, err = w.Write(buf)
		return true, err
	}
	err = eachLine(ctx, in, w, func(number int, line []byte, tooLong bool) error {
		if tooLong {
			run.n.Lines++
			j.bad(&run.n, number, problemTooLong)
			return nil
		}
		if len(bytes.TrimSpace(line)) == 0 {
			return nil
		}
		run.n.Lines++
		ev, err := codec.DecodeRaw(line)
		if err != nil {
			j.bad(&run.n, number, err.Error()+problemFields)
			return nil
		}
		if ev.Interim() {
			run.n.Interim++
			return nil
		}
		if j.Admit != nil {
			if problem := j.Admit(ev); problem != "" {
				j.bad(&run.n, number, problem)
				return nil
			}
		}
		return run.take(ctx, ev, number)
	})
	if err == nil {
		err = w.Flush()
	}
	return run.n, err
}

func (j *Job) bad(n *Counts, line int, problem string) {
	n.Bad++
	if j.Report != nil {
		j.Report(line, problem)
	}
}

// eachLine calls do with each line of in, without its line break, and flushes what do has written
// to w whenever the next line has not arrived yet.
func eachLine(ctx context.Context, in io.Reader, w *bufio.Writer, do func(number int, line []byte, tooLong bool) error) error {
	r := bufio.NewReaderSize(in, 1<<16)
	var long []byte
	for number := 1; ; number++ {
		if err := ctx.Err(); err != nil {
			return errors.Join(err, w.Flush())
		}
		if r.Buffered() == 0 {
			if err := w.Flush(); err != nil {
				return err
			}
		}
		line, err := r.ReadSlice('\n')
		tooLong := false
		if errors.Is(err, bufio.ErrBufferFull) {
			long, tooLong, err = readLong(r, append(long[:0], line...))
			line = long
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return errors.Join(err, w.Flush())
		}
		atEnd := err != nil
		if len(line) > 0 || tooLong {
			if err := do(number, bytes.TrimRight(line, "\r\n"), tooLong); err != nil {
				return err
			}
		}
		if atEnd {
			return w.Flush()
		}
	}
}

// readLong reads the rest of a line whose beginning is line. If the line is longer than maxLine, it
// drops the rest.
func readLong(r *bufio.Reader, line []byte) (_ []byte, tooLong bool, err error) {
	for {
		more, err := r.ReadSlice('\n')
		if len(line)+len(more) > maxLine {
			line, tooLong = line[:0], true
		} else if !tooLong {
			line = append(line, more...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, tooLong, err
		}
	}
}
