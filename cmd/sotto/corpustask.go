package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"sotto/anonymize"
	"sotto/cmd/internal/cli"
	"sotto/config"
	"sotto/corpus/export"
	"sotto/corpus/score"
	"sotto/internal/texttable"
	"sotto/schemas"
)

func (f *exportFlags) readTasks(s *config.Settings) error {
	if f.labels == "" {
		return nil
	}
	raw := *s
	raw.RawOffsets = true
	engine, err := cli.NewEngine(raw)
	if err != nil {
		return err
	}
	in, err := cli.OpenInput(f.labels)
	if err != nil {
		return err
	}
	defer in.Close()
	f.options.Form = export.Task
	f.options.Tasks, err = export.ReadTasks(in, f.labels, func(text string) (found []string) {
		clean := anonymize.NewConversation(engine).Add(&schemas.RawEvent{CallID: "label", Type: schemas.Utterance, Text: text}).Clean
		for _, e := range clean.Entities {
			found = append(found, string([]rune(text)[*e.RawStart:*e.RawEnd]))
		}
		return found
	})
	return err
}

// taskRow is a row of 'corpus export --task', or an output for it.
type taskRow struct {
	CallID   string           `json:"call_id"`
	Task     string           `json:"task"`
	Messages []export.Message `json:"messages"`
	Output   *string          `json:"output"`
}

func newCorpusScoreTask() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "score-task ROWS... OUTPUTS",
		Short: "Score the outputs of a model for the tasks of an export",
		Long: "Compares outputs with rows of 'sotto corpus export --task' (JSON lines): ROUGE-1, -2\n" +
			"and -L and BLEU for summaries and action items, the macro average of F1 and the\n" +
			"accuracy for purpose and outcome. OUTPUTS has an object with call_id, task and\n" +
			"output on each line. The figures are those of rouge_score, sacrebleu and\n" +
			"scikit-learn with their defaults, all from 0 to 1.",
		Example: "  sotto corpus score-task data/validation-*.jsonl outputs.jsonl",
		RunE: func(cmd *cobra.Command, files []string) error {
			if len(files) < 2 {
				return cli.UsageError("%s needs rows and outputs; see '%s --help'", cmd.CommandPath(), cmd.CommandPath())
			}
			scores, err := scoreTasks(files[:len(files)-1], files[len(files)-1])
			if err != nil {
				return err
			}
			if asJSON {
				return writeJSON(cmd.OutOrStdout(), scores)
			}
			return writeTaskScores(cmd, scores)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

// readTaskRows reads rows, or outputs, and returns the answer of each by task and call.
func readTaskRows(file string, into map[string]map[string]string) error {
	in, err := cli.OpenInput(file)
	if err != nil {
		return err
	}
	defer in.Close()
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 64<<20)
	for n := 1; lines.Scan(); n++ {
		var r taskRow
		if json.Unmarshal(lines.Bytes(), &r) != nil || r.CallID == "" || r.Task == "" || (r.Output == nil) == (len(r.Messages) == 0) {
			return fmt.Errorf("%s:%d: not a row of 'sotto corpus export --task', and no object with call_id, task and output", file, n)
		}
		if into[r.Task] == nil {
			into[r.Task] = map[string]string{}
		}
		answer := r.Output
		if answer == nil {
			answer = &r.Messages[len(r.Messages)-1].Content
		}
		into[r.Task][r.CallID] = strings.TrimSpace(*answer)
	}
	return lines.Err()
}

func scoreTasks(rows []string, outputs string) (map[string]map[string]float64, error) {
	want, got := map[string]map[string]string{}, map[string]map[string]string{}
	for _, file := range rows {
		if err := readTaskRows(file, want); err != nil {
			return nil, err
		}
	}
	if err := readTaskRows(outputs, got); err != nil {
		return nil, err
	}
	scores := map[string]map[string]float64{}
	for task, calls := range want {
		var refs, outs []string
		for _, call := range slices.Sorted(maps.Keys(calls)) {
			out, ok := got[task][call]
			if !ok {
				return nil, fmt.Errorf("%s lacks the output of a row of %s; give all, empty ones too", outputs, task)
			}
			refs, outs = append(refs, calls[call]), append(outs, out)
		}
		scores[task] = scoreTask(task, refs, outs)
		scores[task]["rows"] = float64(len(refs))
	}
	return scores, nil
}

func scoreTask(task string, refs, outs []string) map[string]float64 {
	if task == export.Purpose || task == export.Outcome {
		macro, accuracy := score.F1(refs, outs)
		return map[string]float64{"F1": macro, "accuracy": accuracy}
	}
	var r [3]float64
	for i := range refs {
		r1, r2, rl := score.ROUGE(refs[i], outs[i])
		r[0], r[1], r[2] = r[0]+r1, r[1]+r2, r[2]+rl
	}
	n := float64(len(refs))
	return map[string]float64{"ROUGE-1": r[0] / n, "ROUGE-2": r[1] / n, "ROUGE-L": r[2] / n, "BLEU": score.BLEU(refs, outs)}
}

func writeTaskScores(cmd *cobra.Command, scores map[string]map[string]float64) error {
	t := texttable.New("task", "rows", "measure", "value")
	for _, task := range slices.Sorted(maps.Keys(scores)) {
		for _, measure := range slices.Sorted(maps.Keys(scores[task])) {
			if measure != "rows" {
				t.Row(task, scores[task]["rows"], measure, fmt.Sprintf("%.3f", scores[task][measure]))
			}
		}
	}
	return t.Write(cmd.OutOrStdout())
}
