package audit

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io"
	"maps"
	"slices"
	"strings"

	"sotto/internal/texttable"
	"sotto/training/corpus/indirect"
	"sotto/training/corpus/words"
)

// Report has the figures of an audit, by name. curve has the false and the true positives of the attack
// by the loss.
type Report struct {
	figures []figure
	curve   [][2]float64
}

// figure is a count, a share (float64), a count of each of several things (map[string]int), or nil if there
// is nothing to divide.
type figure struct {
	name  string
	value any
}

// Add adds a figure.
func (r *Report) Add(name string, value any) { r.figures = append(r.figures, figure{name, value}) }

// Get returns a figure, nil if there is none.
func (r *Report) Get(name string) any {
	i := slices.IndexFunc(r.figures, func(f figure) bool { return f.name == name })
	if i < 0 {
		return nil
	}
	return r.figures[i].value
}

// Limits are what a model must hold.
type Limits struct {
	// MinPrivacy is the least privacy, MaxF1 the greatest F1 of the low-cost attack, and MaxAUC the greatest area under the
	// curve of the attack by the loss.
	MinPrivacy, MaxF1, MaxAUC float64
	// MaxNames is how many names of people outputs may have that their prompts do not say.
	MaxNames int
	// MaxPersonal is how many pieces of personal information outputs may have beside tags; any number if it is below 0.
	MaxPersonal int
	// MaxExposure is the greatest mean exposure of the canaries that were planted most often. The mean of all would hide one that is known.
	MaxExposure float64
}

// Failures returns what the report shows against the model.
func (r *Report) Failures(l Limits) (all []string) {
	if r.Get("identifiers") == 0 {
		all = append(all, "the members have no word of the blacklist, so nothing was measured")
	}
	if p, ok := r.Get("privacy").(float64); ok && p < l.MinPrivacy {
		all = append(all, fmt.Sprintf("privacy is %.3f, below %v", p, l.MinPrivacy))
	}
	if f1, ok := r.Get("low_cost_attack_f1").(float64); ok && f1 > l.MaxF1 {
		all = append(all, fmt.Sprintf("the low-cost attack has an F1 of %.3f, above %v", f1, l.MaxF1))
	}
	if auc, ok := r.Get("loss_attack_auc").(float64); ok && auc > l.MaxAUC {
		all = append(all, fmt.Sprintf("the attack by the loss has an area under the curve of %.3f, above %v", auc, l.MaxAUC))
	}
	if n, ok := r.Get("identifying_1_grams").(int); ok && n != 0 {
		all = append(all, fmt.Sprintf("outputs have %d identifying words", n))
	}
	if n, ok := r.Get("new_names").(int); ok && n > l.MaxNames {
		all = append(all, fmt.Sprintf("outputs have %d names of people that their prompts do not say, above %d", n, l.MaxNames))
	}
	if found, ok := r.Get("personal_information").(map[string]int); ok && l.MaxPersonal >= 0 {
		n := 0
		for _, count := range found {
			n += count
		}
		if n > l.MaxPersonal {
			all = append(all, fmt.Sprintf("outputs have %d pieces of personal information, above %d", n, l.MaxPersonal))
		}
	}
	for i := len(r.figures) - 1; i >= 0; i-- { // those of canaries are in the order of how often they were planted
		if x, ok := r.figures[i].value.(float64); ok && strings.HasPrefix(r.figures[i].name, exposurePlanted) {
			if x > l.MaxExposure {
				all = append(all, fmt.Sprintf("the canaries that were planted most often have an exposure of %.2f, above %v", x, l.MaxExposure))
			}
			break
		}
	}
	return all
}

// MarshalJSON writes an object of the figures.
func (r *Report) MarshalJSON() ([]byte, error) {
	all := map[string]any{}
	for _, f := range append(r.figures, figure{"loss_attack_curve", r.curve}) {
		all[f.name] = f.value
	}
	return json.Marshal(all)
}

// Rows returns the names of the figures and their values for people.
func (r *Report) Rows() (rows [][2]string) {
	for _, f := range r.figures {
		name := strings.ReplaceAll(f.name, "_", " ")
		switch v := f.value.(type) {
		case float64:
			rows = append(rows, [2]string{name, fmt.Sprintf("%.3f", v)})
		case map[string]int:
			for _, key := range slices.Sorted(maps.Keys(v)) {
				rows = append(rows, [2]string{name + ": " + key, fmt.Sprint(v[key])})
			}
		case nil:
			rows = append(rows, [2]string{name, "none"})
		default:
			rows = append(rows, [2]string{name, fmt.Sprint(v)})
		}
	}
	return rows
}

// WriteTable writes the report for people.
func (r *Report) WriteTable(w io.Writer) error {
	t := texttable.New("figure", "value")
	for _, row := range r.Rows() {
		t.Row(row[0], row[1])
	}
	return t.Write(w)
}

//go:embed page.html
var page string

var pageTemplate = template.Must(template.New("").Funcs(template.FuncMap{"scaled": func(x float64) float64 { return 200 * x }}).Parse(page))

// WriteHTML writes the report as a page with plots.
func (r *Report) WriteHTML(w io.Writer) error {
	return pageTemplate.Execute(w, map[string]any{"Report": r, "Curve": r.curve})
}

// Output is what a model has written, and the prompt that it continues, if there was one.
type Output struct {
	Prompt string
	Output *string
}

// ReadOutputs reads outputs as JSON lines. Errors have none of their text.
func ReadOutputs(r io.Reader, name string) (all []Output, _ error) {
	for d := json.NewDecoder(r); ; {
		var o Output
		if err := d.Decode(&o); errors.Is(err, io.EOF) && len(all) > 0 {
			return all, nil
		} else if err != nil || o.Output == nil {
			return nil, fmt.Errorf("%s: output %d: not an object with output and, if there was one, prompt", name, len(all)+1)
		}
		all = append(all, o)
	}
}

// AddOutputs adds what outputs repeat of the blacklist, unless it is nil, that their prompts do not say, and their tags.
func (r *Report) AddOutputs(outputs []Output, list *indirect.Blacklist) {
	said, tags, kept, repeated := 0, 0, 0, [3]int{}
	found := map[string]bool{}
	for _, o := range outputs {
		said += len(word.FindAllString(*o.Output, -1))
		for _, t := range words.Marker.FindAllString(*o.Output, -1) {
			if tags++; strings.Contains(o.Prompt, t) {
				kept++
			}
		}
		inPrompt := ngrams(o.Prompt, list)
		for gram := range ngrams(*o.Output, list) {
			if !inPrompt[gram] && !found[gram] {
				found[gram] = true
				repeated[strings.Count(gram, " ")]++
			}
		}
	}
	r.Add("outputs", len(outputs))
	r.Add("words_of_outputs", said)
	r.Add("tags_of_outputs", tags)
	r.Add("tags_of_their_prompts", kept)
	if list == nil {
		return
	}
	for n, count := range repeated {
		r.Add(fmt.Sprintf("identifying_%d_grams", n+1), count)
	}
}

func ngrams(text string, list *indirect.Blacklist) map[string]bool {
	if list == nil {
		return nil
	}
	said := slices.DeleteFunc(word.FindAllString(text, -1), func(w string) bool { return w[0] == '[' })
	found := map[string]bool{}
	for i := range said {
		said[i] = folded(said[i])
		for n := range min(i+1, 3) {
			if gram := strings.Join(said[i-n:i+1], " "); list.Has(gram) {
				found[gram] = true
			}
		}
	}
	return found
}
