package export

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"sotto/corpus/transcripts"
	"sotto/corpus/words"
	"sotto/schemas"
)

// Task is the form with a ChatRow for each label of a call: an instruction with the call, and the label.
const Task = "task"

// The tasks whose labels are texts, and those whose labels are classes.
const (
	Summary     = "summary"
	ActionItems = "action_items"
	Purpose     = "purpose"
	Outcome     = "outcome"
)

// labels are a line of the user's file: the labels of a call.
type labels struct {
	CallID      string   `json:"call_id"`
	Summary     string   `json:"summary"`
	ActionItems []string `json:"action_items"`
	Purpose     string   `json:"purpose"`
	Outcome     string   `json:"outcome"`
}

func (l *labels) texts() map[string]string {
	return map[string]string{Summary: l.Summary, ActionItems: strings.Join(l.ActionItems, "\n"), Purpose: l.Purpose, Outcome: l.Outcome}
}

// Tasks has the labels of calls.
type Tasks struct {
	calls map[string]labels
	// classes are those of each task that may be exported: they are in every instruction of the task.
	classes      map[string][]string
	instructions map[string]string
	personal     func(text string) []string
	// Refused counts the labels that are left out: texts that say something personal that their call does not,
	// and classes that may not be exported.
	Refused int
}

// ReadTasks reads labels, one JSON object a line. personal returns what is personal in a text, beside its tags.
// Errors name the line, never its text.
func ReadTasks(r io.Reader, name string, personal func(text string) []string) (*Tasks, error) {
	t := &Tasks{calls: map[string]labels{}, personal: personal}
	counts := map[string]map[string]int{Purpose: {}, Outcome: {}}
	in := bufio.NewScanner(r)
	in.Buffer(nil, 1<<20)
	for n := 1; in.Scan(); n++ {
		var l labels
		if json.Unmarshal(in.Bytes(), &l) != nil || l.CallID == "" {
			return nil, fmt.Errorf("%s:%d: not an object with call_id, and summary, action_items (a list), purpose or outcome", name, n)
		}
		if _, ok := t.calls[l.CallID]; ok {
			return nil, fmt.Errorf("%s:%d: the call has labels in a line before", name, n)
		}
		l.Purpose, l.Outcome = strings.TrimSpace(l.Purpose), strings.TrimSpace(l.Outcome)
		t.calls[l.CallID] = l
		counts[Purpose][l.Purpose]++
		counts[Outcome][l.Outcome]++
	}
	t.classes = map[string][]string{Purpose: t.public(counts[Purpose]), Outcome: t.public(counts[Outcome])}
	t.instructions = map[string]string{
		Summary:     "Summarize this call.",
		ActionItems: "List what is to be done after this call, one item a line.",
		Purpose:     "What is the purpose of this call? Answer with one of: " + strings.Join(t.classes[Purpose], "; ") + ".",
		Outcome:     "What is the outcome of this call? Answer with one of: " + strings.Join(t.classes[Outcome], "; ") + ".",
	}
	return t, in.Err()
}

// common is how many calls have a class that is exported whatever it says: the codes of a taxonomy, such as
// "changeorder", look like names.
const common = 10

// public returns the classes that may be exported, in order: those that at least two calls have, and in which nothing
// personal is found unless they are common.
func (t *Tasks) public(counts map[string]int) (classes []string) {
	for _, class := range slices.Sorted(maps.Keys(counts)) {
		if n := counts[class]; class != "" && (n >= common || n > 1 && len(t.personal(class)) == 0) {
			classes = append(classes, class)
		}
	}
	return classes
}

func (b *builder) tasks(c *transcripts.Call, t *Tasks) (rows []ChatRow) {
	l, ok := t.calls[c.ID]
	if !ok {
		return nil
	}
	var call strings.Builder
	said, marked := " ", map[string]bool{}
	for _, e := range c.Events {
		call.WriteString("\n" + name(e) + ": " + b.hideIndirect(e))
		said += strings.Join(b.splitter.Texts(e.Text), " ") + " "
		text := []rune(e.Text)
		for _, s := range e.Indirect {
			start, end := min(max(0, s.Start), len(text)), min(s.End, len(text))
			for _, w := range b.splitter.Texts(string(text[start:max(start, end)])) {
				marked[w] = true
			}
		}
	}
	texts := l.texts()
	for _, task := range slices.Sorted(maps.Keys(texts)) {
		label := strings.TrimSpace(texts[task])
		if label == "" {
			continue
		}
		classes, isClass := t.classes[task]
		if isClass && !slices.Contains(classes, label) || !isClass && !b.safe(label, said, t.personal) {
			t.Refused++
			continue
		}
		if !isClass {
			label = b.hideIndirect(&schemas.CleanEvent{Text: label, Indirect: b.find(label, marked)})
		}
		rows = append(rows, ChatRow{c.ID, task, []Message{{"user", t.instructions[task] + "\n" + call.String()}, {"assistant", label}}})
	}
	return rows
}

// safe reports whether a call says all that is personal in a label, and has its tags. said are its words.
func (b *builder) safe(label, said string, personal func(string) []string) bool {
	found := append(words.Marker.FindAllString(label, -1), personal(words.Marker.ReplaceAllString(label, "…"))...)
	return !slices.ContainsFunc(found, func(f string) bool {
		return !strings.Contains(said, " "+strings.Join(b.splitter.Texts(f), " ")+" ")
	})
}

func (b *builder) find(text string, set map[string]bool) (spans []schemas.Span) {
	for _, w := range b.splitter.Split(text) {
		if set[w.Text] {
			spans = append(spans, schemas.Span{Start: b.splitter.RuneOffset(w.Start), End: b.splitter.RuneOffset(w.End)})
		}
	}
	return spans
}
