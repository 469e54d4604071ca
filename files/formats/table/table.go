// Package table reads and writes transcripts as tables: CSV, TSV and Parquet, with a row for each
// utterance.
package table

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"sotto/files/formats/harmless"
	"sotto/files/formats/transcript"
	"sotto/schemas"
)

// Columns names the columns of a table; "" asks for a guess by their names. A number counts the
// columns of a table without header from 1.
type Columns struct {
	Call, Speaker, Role, Text, Start, End string
	// Keep are columns that are kept as they are.
	Keep []string
}

// usual are the usual names of columns, the likeliest first.
var usual = []struct {
	what  string
	field func(*Columns) *string
	names []string
}{
	{"call", func(c *Columns) *string { return &c.Call }, []string{"call_id", "callid", "call", "conversation_id", "conversationid", "conversation",
		"session_id", "sessionid", "contact_id", "contactid", "interaction_id", "dialogue_id", "dialog_id", "transcript_id", "convo_id",
		"id_de_llamada", "id_llamada", "id_de_la_llamada", "id_conversación", "id_appel", "identifiant_appel", "id_conversation"}},
	{"speaker", func(c *Columns) *string { return &c.Speaker }, []string{"speaker", "speaker_name", "speakername", "speaker_id", "speaker_label", "participant",
		"author", "sender", "from", "who", "party", "channel", "spkr", "spk", "sender_name", "role", "hablante", "locuteur", "intervenant", "interlocuteur", "interlocutor", "sprecher"}},
	{"role", func(c *Columns) *string { return &c.Role }, []string{"role", "speaker_role", "participant_role"}},
	{"text", func(c *Columns) *string { return &c.Text }, []string{"text", "utterance", "transcript", "content", "message", "sentence", "body", "words", "line", "spokentext",
		"transcription", "transcript_text", "call_transcript", "full_transcript", "full_text", "message_text", "message_body", "dialogue", "dialog", "chat", "msg", "comment",
		"texto", "mensaje", "transcripción", "transcripcion", "comentario", "diálogo", "texte", "propos", "commentaire", "transkript", "nachricht", "conversation"}}, //nolint:misspell // other languages
	{"start", func(c *Columns) *string { return &c.Start }, []string{"start_ms", "start", "start_time", "starttime", "sttime", "begin", "onset", "offset",
		"inicio", "hora_de_inicio", "hora_inicio", "début", "debut", "heure_de_début", "heure_début", "horodatage"}},
	{"end", func(c *Columns) *string { return &c.End }, []string{"end_ms", "end", "end_time", "endtime", "entime", "stop", "fin", "hora_de_fin", "hora_fin", "heure_de_fin", "heure_fin"}},
}

// ErrNoText means that no column is known to hold the text.
var ErrNoText = errors.New("no column is known to hold the text; name it with --text=COLUMN, or --text=NUMBER if the table has no header")

// noText is ErrNoText with the columns that there are. A name that may be a value is left out.
func (r *rows) noText() error {
	var names []string
	for i, h := range r.header {
		if !isUsual(h) && !harmless.Ordinary(h) {
			h = fmt.Sprintf("(column %d)", i+1)
		}
		names = append(names, h)
	}
	if len(names) == 0 {
		return ErrNoText
	}
	return fmt.Errorf("%w; the columns are %s", ErrNoText, strings.Join(names, ", "))
}

// Guess returns the columns with those that were not named, and what was guessed in one line.
func (c Columns) Guess(header []string) (Columns, string) {
	var guessed []string
	names := make([]string, len(header))
	for i, name := range header {
		names[i] = usualName(name)
	}
	for _, u := range usual {
		field := u.field(&c)
		if *field != "" || isNumber(c.Text) {
			continue
		}
		for _, name := range u.names {
			if i := slices.Index(names, name); i >= 0 {
				if u.what == "text" && header[i] == c.Call { // a column of texts, and not of the IDs of conversations
					c.Call, guessed = "", slices.DeleteFunc(guessed, func(g string) bool { return strings.HasPrefix(g, "call=") })
				}
				*field = header[i]
				guessed = append(guessed, u.what+"="+name)
				break
			}
		}
	}
	if len(guessed) == 0 {
		return c, ""
	}
	return c, "columns by their names: " + strings.Join(guessed, " ")
}

// usualName is the name of a column as usual has it: "Start Time" is start_time. It is cut, since the first line of a file that is no
// table may be a whole text; what is cut is longer than every usual name.
func usualName(name string) string {
	const most = 200
	if name = strings.TrimSpace(name); len(name) > most {
		name = name[:most]
	}
	return strings.ReplaceAll(strings.ToLower(name), " ", "_")
}

// isUsual reports whether a name is one by which Guess knows a column: it is no value.
func isUsual(name string) bool {
	name = usualName(name)
	for _, u := range usual {
		if slices.Contains(u.names, name) {
			return true
		}
	}
	return false
}

func isNumber(name string) bool {
	_, err := strconv.Atoi(name)
	return err == nil
}

// cell is one value of a table.
type cell struct {
	text string
	set  func(string)
	// more are the further values of a list.
	more []cell
}

// rows is a table: the names of its columns, nil if it has none, and its cells.
type rows struct {
	header []string
	cells  [][]cell
	// names are the names of the columns without their paths, which differ from the header where columns
	// are nested.
	names []string
}

// column returns the position of a column, -1 for "".
func (r *rows) column(name string) (int, error) {
	if name == "" {
		return -1, nil
	}
	if i := slices.Index(r.header, name); i >= 0 {
		return i, nil
	}
	if n, err := strconv.Atoi(name); err == nil && n > 0 {
		return n - 1, nil
	}
	return -1, errors.New("there is no column of the name that a flag gives")
}

// columns are positions of columns, -1 for those that the table does not have.
type columns struct {
	call, speaker, role, text, start, end int
	keep                                  map[int]bool
}

func (r *rows) columns(c Columns) (p columns, err error) {
	if c.Text == "" {
		return p, r.noText()
	}
	position := func(name string) int {
		i, problem := r.column(name)
		err = cmp.Or(err, problem)
		return i
	}
	p = columns{position(c.Call), position(c.Speaker), position(c.Role), position(c.Text), position(c.Start), position(c.End), map[int]bool{}}
	for _, name := range c.Keep {
		p.keep[position(name)] = true
	}
	return p, err
}

// document returns the calls of a table. Without a column of calls, it is one call.
func (r *rows) document(c Columns) (*transcript.Document, error) {
	p, err := r.columns(c)
	if err != nil {
		return nil, err
	}
	d := &transcript.Document{}
	calls := map[string]*transcript.Call{}
	sizes := map[string]int{} // of the texts of a call
	for _, row := range r.cells {
		sizes[at(row, p.call).text] += len(at(row, p.text).text)
	}
	for n, row := range r.cells {
		if p.text >= len(row) {
			return nil, fmt.Errorf("row %d has no column %d, which holds the text", n+1, p.text+1)
		}
		id := at(row, p.call).text
		call := calls[id]
		if call == nil {
			call = &transcript.Call{ID: id}
			calls[id] = call
			d.Calls = append(d.Calls, call)
		}
		if p.call >= 0 && p.call < len(row) {
			call.SetID = append(call.SetID, row[p.call].set)
		}
		r.addRow(call, row, p, harmless.For(sizes[id]))
	}
	return d, nil
}

func at(row []cell, i int) cell {
	if i < 0 || i >= len(row) {
		return cell{}
	}
	return row[i]
}

func (r *rows) addRow(call *transcript.Call, row []cell, p columns, limits harmless.Limits) {
	t := &transcript.Turn{Text: row[p.text].text, Set: row[p.text].set}
	t.StartMS, t.EndMS = r.time(row, p.start), r.time(row, p.end)
	if s := at(row, p.speaker); s.text != "" {
		t.Speaker = schemas.Speaker{ID: s.text}
		if !harmless.Speaker(s.text) {
			t.Speaker.Label, t.SetLabel = s.text, s.set
		}
	}
	if r := schemas.Role(strings.ToUpper(cmp.Or(at(row, p.role).text, t.Speaker.ID))); r == schemas.RoleAgent || r == schemas.RoleCustomer {
		t.Speaker.Role = r
	}
	call.Turns = append(call.Turns, t)
	for i, c := range row {
		switch {
		case p.keep[i]:
		case i == p.text || i == p.speaker || i == p.call:
			r.addOthers(call, i, c.more, limits)
		default:
			r.addColumn(call, t, i, append([]cell{c}, c.more...), limits)
		}
	}
}

// addColumn adds the values of another column. A list that has the words of the turn, each for
// itself, repeats them.
func (r *rows) addColumn(call *transcript.Call, t *transcript.Turn, i int, list []cell, limits harmless.Limits) {
	words := make([]string, len(list))
	for k := range list {
		words[k] = list[k].text
	}
	if len(list) > 1 && transcript.SaysTheSame(t.Text, words...) {
		t.Repeats = append(t.Repeats, transcript.WordsRepeat(words, func(first, last int, text string) {
			for k := first; k <= last; k++ {
				list[k].set(text)
				text = ""
			}
		}))
		return
	}
	r.addOthers(call, i, list, limits)
}

func (r *rows) addOthers(call *transcript.Call, i int, list []cell, limits harmless.Limits) {
	name := ""
	if i < len(r.names) {
		name = r.names[i]
	}
	for _, c := range list {
		if !harmless.Small(name, c.text) {
			call.AddValue(limits, name, c.text, c.set)
		}
	}
}

// time returns a time in milliseconds: of a column of seconds, unless its name says otherwise.
func (r *rows) time(row []cell, i int) *int64 {
	f, err := strconv.ParseFloat(at(row, i).text, 64)
	if err != nil || f < 0 || f > 1e10 {
		return nil
	}
	if i >= len(r.header) || !strings.HasSuffix(strings.ToLower(r.header[i]), "ms") {
		f *= 1000
	}
	return new(int64(f))
}
