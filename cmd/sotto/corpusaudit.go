package main

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"sotto/cmd/internal/cli"
	"sotto/detectors"
	"sotto/internal/boundedfile"
	"sotto/internal/gold"
	"sotto/training/corpus/audit"
	"sotto/training/corpus/indirect"
	"sotto/training/corpus/words"
)

// Bounds of files.
const (
	maxLM  = 1 << 30
	maxKey = 1 << 16
)

type auditFlags struct {
	url, lm, outputs, model, key, members, others, blacklist, html, canaries string
	references, maxCalls                                                     int
	timeout                                                                  time.Duration
	json, must                                                               bool
	limits                                                                   audit.Limits
}

func newCorpusAuditModel(sys cli.System) *cobra.Command {
	var f auditFlags
	cmd := &cobra.Command{
		Use:   "audit-model",
		Short: "Report what a language model has kept of its calls",
		Long: "Asks a model for identifiers of labelled calls (JSON lines or marked-up text) that it\n" +
			"has learned, and tries to tell these from calls that it has not. It reports which\n" +
			"identifiers the model never predicts (privacy), a low-cost attack, an attack by the\n" +
			"loss, and what outputs repeat. Reports have no words of calls.\n\n" +
			"--url sends the calls to a server with the completions interface of OpenAI that gives\n" +
			"the probabilities of a prompt (echo with logprobs), as vLLM does: use one of your own.\n" +
			"--outputs reads JSON lines with output and, if there was one, prompt instead; it needs no\n" +
			"blacklist. --canaries asks how far a model gives away what 'sotto corpus canaries' has planted,\n" +
			"alone or beside the rest.",
		Example: "  sotto corpus audit-model --url http://vllm:8000/v1 --model own --members learned.jsonl \\\n" +
			"      --others held-out.jsonl --blacklist both.txt --html audit.html --check\n" +
			"  sotto corpus audit-model --outputs outputs.jsonl --check --max-personal 0\n" +
			"  sotto corpus audit-model --url http://vllm:8000/v1 --model own --canaries canaries.json",
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd, sys) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.url, "url", "", "base URL of a server, such as http://vllm:8000/v1")
	flags.StringVar(&f.lm, "lm", "", "model of 'recover.py lm'")
	flags.StringVar(&f.outputs, "outputs", "", "outputs of a model")
	flags.StringVar(&f.members, "members", "", "labelled calls that the model has learned")
	flags.StringVar(&f.others, "others", "", "labelled calls of the same kind that it has not learned")
	flags.StringVar(&f.blacklist, "blacklist", "", "list of 'sotto corpus blacklist' of all these calls")
	flags.StringVar(&f.model, "model", "", "name of the server's model")
	flags.StringVar(&f.key, "key-file", "", "file with the key of the server")
	flags.DurationVar(&f.timeout, "timeout", time.Minute, "how long a request may take")
	flags.StringVar(&f.html, "html", "", "file to write the report to as a page with plots")
	flags.BoolVar(&f.json, "json", false, "print one JSON object")
	flags.BoolVar(&f.must, "check", false, "exit with status 3 if a limit does not hold, or if outputs have identifying words")
	flags.Float64Var(&f.limits.MinPrivacy, "min-privacy", 0.99, "least privacy for --check")
	flags.Float64Var(&f.limits.MaxF1, "max-f1", 0.1, "greatest F1 of the low-cost attack for --check")
	flags.Float64Var(&f.limits.MaxAUC, "max-auc", 0.65, "greatest area under the curve of the attack by the loss for --check; 0.5 is chance")
	flags.IntVar(&f.limits.MaxNames, "max-names", 0, "how many names of people that their prompts do not say outputs may have for --check")
	flags.IntVar(&f.limits.MaxPersonal, "max-personal", -1, "how much personal information outputs may have beside tags for --check; below 0: any")
	flags.StringVar(&f.canaries, "canaries", "", "file that 'sotto corpus canaries' has kept: measure their exposure")
	flags.IntVar(&f.references, "references", 1000, "how many other codes canaries are compared with; each is a request")
	flags.Float64Var(&f.limits.MaxExposure, "max-exposure", 4, "greatest mean exposure of the canaries planted most often for --check, in bits")
	flags.IntVar(&f.maxCalls, "max-calls", 0, "ask about so many members and as many others, spread over the files; 0: about all")
	cmd.MarkFlagsMutuallyExclusive("url", "lm", "outputs")
	cmd.MarkFlagsMutuallyExclusive("canaries", "outputs")
	cmd.MarkFlagsMutuallyExclusive("members", "outputs")
	return cmd
}

// planted reports whether canaries alone are asked about.
func (f *auditFlags) planted() bool {
	return f.canaries != "" && f.members+f.others+f.blacklist == ""
}

func (f *auditFlags) check() error {
	switch u, err := url.Parse(f.url); {
	case f.url != "" && (err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == ""):
		return cli.UsageError("--url must be the base URL of the completions interface, such as http://vllm:8000/v1")
	case f.blacklist == "" && f.outputs == "" && !f.planted():
		return cli.UsageError("--blacklist is missing; make the list of all calls with 'sotto corpus blacklist -o FILE'")
	case f.url+f.lm+f.outputs == "":
		return cli.UsageError("no model; name it with --url, --lm or --outputs")
	case f.outputs == "" && !f.planted() && (f.members == "" || f.others == ""):
		return cli.UsageError("a model is audited with --members and --others, or with --canaries")
	}
	return f.checkLimits()
}

func (f *auditFlags) checkLimits() error {
	within := func(x float64) bool { return 0 <= x && x <= 1 }
	switch {
	case f.references < 1 || f.references > audit.MaxReferences || f.maxCalls < 0 || f.limits.MaxExposure < 0:
		return cli.UsageError("--references must be from 1 to %d, --max-calls and --max-exposure 0 or more", audit.MaxReferences)
	case !within(f.limits.MinPrivacy) || !within(f.limits.MaxF1) || !within(f.limits.MaxAUC) || f.limits.MaxNames < 0 || f.timeout <= 0:
		return cli.UsageError("--min-privacy, --max-f1 and --max-auc must be from 0 to 1, --max-names 0 or more, and --timeout more than 0")
	}
	return nil
}

func (f *auditFlags) run(cmd *cobra.Command, sys cli.System) error {
	if err := f.check(); err != nil {
		return err
	}
	var list *indirect.Blacklist
	if f.blacklist != "" {
		var err error
		if list, err = cli.ReadInput(f.blacklist, indirect.Read); err != nil {
			return err
		}
	}
	ctx, stop := cli.UntilSignal(cmd)
	defer stop()
	r, outputs, err := f.audit(ctx, list)
	if err != nil {
		return err
	}
	if !f.planted() {
		if err := addPersonal(r, sys, outputs); err != nil {
			return err
		}
	}
	return f.report(cmd, r)
}

func (f *auditFlags) audit(ctx context.Context, list *indirect.Blacklist) (*audit.Report, []audit.Output, error) {
	if f.outputs != "" {
		outputs, err := cli.ReadInput(f.outputs, audit.ReadOutputs)
		r := &audit.Report{}
		r.AddOutputs(outputs, list)
		return r, outputs, err
	}
	model, err := f.open()
	if err != nil {
		return nil, nil, err
	}
	r, outputs := &audit.Report{}, []audit.Output(nil)
	if !f.planted() {
		if r, outputs, err = f.calls(ctx, model, list); err != nil {
			return nil, nil, err
		}
	}
	if f.canaries == "" {
		return r, outputs, nil
	}
	c, err := cli.ReadInput(f.canaries, audit.ReadCanaries)
	if err != nil {
		return nil, nil, err
	}
	return r, outputs, r.AddExposure(ctx, model, c, f.references)
}

// calls audits the model with the labelled calls.
func (f *auditFlags) calls(ctx context.Context, model audit.Model, list *indirect.Blacklist) (*audit.Report, []audit.Output, error) {
	members, err := readGold(f.members)
	if err != nil {
		return nil, nil, err
	}
	others, err := readGold(f.others)
	if err != nil {
		return nil, nil, err
	}
	return audit.Run(ctx, model, audit.Sample(members, f.maxCalls), audit.Sample(others, f.maxCalls), list)
}

func (f *auditFlags) open() (audit.Model, error) {
	if f.lm != "" {
		data, err := boundedfile.Read(f.lm, maxLM)
		if err != nil {
			return nil, cli.UsageError("%v; name a model of 'recover.py lm'", err)
		}
		return audit.ReadNGrams(data, f.lm)
	}
	var key []byte
	if f.key != "" {
		var err error
		if key, err = boundedfile.Read(f.key, maxKey); err != nil {
			return nil, cli.UsageError("%v; name a file with the key", err)
		}
	}
	return audit.NewServer(f.url, f.model, strings.TrimSpace(string(key)), f.timeout), nil
}

// addPersonal adds how much the engine finds in outputs beside their tags, by infoType, and how many names of people are
// there that the prompts do not say.
func addPersonal(r *audit.Report, sys cli.System, outputs []audit.Output) error {
	engine, err := entityMasker(sys, "corpus audit-model")
	if err != nil {
		return err
	}
	found, names := map[string]int{}, 0
	for _, o := range outputs {
		text := words.Marker.ReplaceAllString(*o.Output, "…")
		masks, err := engine.Anonymize(&gold.Conversation{Utterances: []gold.Utterance{{Text: text}}})
		if err != nil {
			return err
		}
		said := []rune(text)
		for _, m := range masks[0] {
			found[m.Type]++
			if m.Type == string(detectors.PersonName) && !strings.Contains(strings.ToLower(o.Prompt), strings.ToLower(string(said[m.Start:m.End]))) {
				names++
			}
		}
	}
	r.Add("personal_information", found)
	r.Add("new_names", names)
	return nil
}

func (f *auditFlags) report(cmd *cobra.Command, r *audit.Report) error {
	if f.html != "" {
		if err := writeFile(f.html, private, r.WriteHTML); err != nil {
			return err
		}
	}
	err := writeReport(cmd.OutOrStdout(), f.json, r)
	if failures := r.Failures(f.limits); err == nil && f.must && len(failures) > 0 {
		err = cli.Exit(cli.Check, errors.New(strings.Join(failures, "; ")))
	}
	return err
}
