package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"os/user"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/twmb/franz-go/pkg/kgo"
	"golang.org/x/sync/errgroup"

	"sotto/cmd/internal/cli"
	"sotto/config"
	"sotto/config/kafka"
	"sotto/review"
	"sotto/review/input"
	"sotto/review/store"
	"sotto/review/topic"
	"sotto/review/web"
)

type reviewFlags struct {
	store, listen, url  string
	kafka, label        bool
	raw                 []string
	secondPass, redTeam float64
	retention           time.Duration
	users, header       string
	proxies             []string
	issuer, clientID    string
	secretFile          string
	plainHTTP           bool
	guidelines          string
}

func newReview(sys cli.System) *cobra.Command {
	var f reviewFlags
	cmd := &cobra.Command{
		Use:   "review [FILE...]",
		Short: "Serve the page on which people annotate and judge calls",
		Long: "Serves a page on which people mark what anonymization missed, in sampled calls of\n" +
			"the audit topic (--kafka) or in files: events as JSON lines, or 'Speaker: words'\n" +
			"lines in .txt files. With --label the files are raw, and people label all personal\n" +
			"information in them; the engine's findings are the draft.\n\n" +
			"Calls and annotations are kept in a SQLite file, or in PostgreSQL, where several may\n" +
			"serve them (SOTTO_REVIEW_DATABASE). By default only this machine can reach the page,\n" +
			"with the address that is printed, one for each person. See docs/review.md.",
		Example: "  sotto review clean.jsonl\n" +
			"  sotto review --label call.txt\n" +
			"  sotto review --kafka --second-pass 0.2 --red-team 0.1",
		RunE: func(cmd *cobra.Command, files []string) error { return runReview(cmd, sys, f, files) },
	}
	cmd.PersistentFlags().StringVar(&f.store, "store", defaultStore, "file with calls and annotations; SOTTO_REVIEW_DATABASE keeps them in PostgreSQL instead")
	flags := cmd.Flags()
	flags.StringVar(&f.listen, "listen", "127.0.0.1:8380", "address of the page")
	flags.BoolVar(&f.kafka, "kafka", false, "read SOTTO_TOPIC_AUDIT, and keep readings in SOTTO_TOPIC_ANNOTATIONS too")
	flags.BoolVar(&f.label, "label", false, "the files are raw: label all personal information in them")
	flags.StringArrayVar(&f.raw, "raw", nil, "raw events to show beside the clean ones of the same call")
	flags.Float64Var(&f.secondPass, "second-pass", 0.2, "share of calls that two annotators read")
	flags.Float64Var(&f.redTeam, "red-team", 0.1, "share of calls for the red team")
	flags.DurationVar(&f.retention, "retention", 0, "time after which the text of a call is removed; 0: never")
	flags.StringVar(&f.users, "users", "", "file with a name and a role (annotator, adjudicator, admin) on each line")
	flags.StringVar(&f.header, "user-header", "", "header in which a proxy names who has logged in; needs --trusted-proxy and --users")
	flags.StringSliceVar(&f.proxies, "trusted-proxy", nil, "addresses of the proxies, such as 10.0.0.0/8")
	flags.StringVar(&f.issuer, "oidc-issuer", "", "OpenID provider that people log in with; needs --users and --url")
	flags.StringVar(&f.clientID, "oidc-client-id", "", "client ID at the provider")
	flags.StringVar(&f.secretFile, "oidc-secret-file", "", "file with the client secret")
	flags.StringVar(&f.url, "url", "", "address of the page as browsers see it, such as https://review.example.org")
	flags.BoolVar(&f.plainHTTP, "plain-http", false, "listen beyond this machine without TLS, behind a proxy that has it")
	flags.StringVar(&f.guidelines, "guidelines", "", "text file with guidelines of your own, which the page shows")
	cmd.AddCommand(newReviewExport(sys, &f), newReviewRetrain(sys, &f))
	return cmd
}

const defaultStore = "review.db"

func (f *reviewFlags) open(ctx context.Context, settings *config.Settings, o store.Options) (*store.Store, error) {
	db, err := store.DatabaseOf(settings)
	if err != nil {
		return nil, cli.Exit(cli.Usage, err)
	}
	if db != nil {
		if f.store != defaultStore {
			return nil, cli.UsageError("--store and SOTTO_REVIEW_DATABASE exclude each other")
		}
		return store.OpenPostgres(ctx, db.Config, db.Password, o)
	}
	s, err := store.Open(ctx, f.store, o)
	if err != nil {
		return nil, cli.UsageError("%v; name a file that can be written with --store", err)
	}
	return s, nil
}

// openExisting opens a store that somebody has written to.
func (f *reviewFlags) openExisting(ctx context.Context, settings *config.Settings) (*store.Store, error) {
	if settings.ReviewDatabaseSetting() == "" {
		if _, err := os.Stat(f.store); err != nil {
			return nil, cli.UsageError("%v; name the file of 'sotto review' with --store", err)
		}
	}
	return f.open(ctx, settings, store.Options{})
}

func runReview(cmd *cobra.Command, sys cli.System, f reviewFlags, files []string) (err error) {
	if f.secondPass < 0 || f.secondPass > 1 || f.redTeam < 0 || f.redTeam > 1 {
		return cli.UsageError("--second-pass and --red-team must be from 0 to 1")
	}
	settings, err := cli.LoadSettings(sys)
	if err != nil {
		return err
	}
	ctx, stop := cli.UntilSignal(cmd)
	defer stop()
	access, err := reviewAccess(ctx, f)
	if err != nil {
		return err
	}
	guidelines, err := f.readGuidelines()
	if err != nil {
		return err
	}
	calls, err := readForReview(f, files)
	if err != nil {
		return err
	}
	s, err := f.open(ctx, &settings, store.Options{SecondPass: f.secondPass, RedTeam: f.redTeam})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if err := s.Add(ctx, calls); err != nil {
		return err
	}
	// The page shows what any detector saw, whatever the language and the strategy.
	settings.RawOffsets, settings.OtherLanguages, settings.Strategy, settings.StateKeyFile = true, "pass", "typed-numbered", ""
	engine, err := cli.NewEngine(settings)
	if err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), nil))
	server := web.New(web.Options{Store: s, Engine: engine, Access: access, Log: log, Guidelines: guidelines})
	return serveReview(ctx, cmd, f, s, server, access, &settings, log)
}

func (f *reviewFlags) readGuidelines() (string, error) {
	if f.guidelines == "" {
		return "", nil
	}
	data, err := os.ReadFile(f.guidelines)
	if err != nil {
		return "", cli.UsageError("%v; give a file that can be read", err)
	}
	return string(data), nil
}

func readForReview(f reviewFlags, files []string) ([]review.Call, error) {
	mode := review.Missed
	if f.label {
		mode = review.Label
	}
	calls, err := readInput(files, mode)
	if err != nil {
		return nil, err
	}
	raw, err := readInput(f.raw, review.Label)
	if err != nil {
		return nil, err
	}
	if n := input.Beside(calls, raw); n == 0 && len(f.raw) > 0 {
		return nil, cli.UsageError("--raw has no utterance of these calls; it must have their call_id and seq")
	}
	return calls, nil
}

func readInput(files []string, mode review.Mode) (calls []review.Call, err error) {
	for _, name := range files {
		more, err := cli.ReadInput(name, func(in io.Reader, name string) ([]review.Call, error) { return input.Read(in, name, mode) })
		if err != nil {
			return nil, err
		}
		calls = append(calls, more...)
	}
	return calls, nil
}

// reviewAccess decides who may use the page. Nothing listens beyond this machine without a login.
func reviewAccess(ctx context.Context, f reviewFlags) (web.Access, error) {
	access := web.Access{Header: f.header, Secure: strings.HasPrefix(f.url, "https://")}
	for _, p := range f.proxies {
		prefix, err := netip.ParsePrefix(p)
		if err != nil {
			return access, cli.UsageError("--trusted-proxy must be addresses with a length, such as 10.0.0.0/8")
		}
		access.Proxies = append(access.Proxies, prefix)
	}
	if err := f.checkAccess(); err != nil {
		return access, err
	}
	if f.users != "" {
		in, err := cli.OpenInput(f.users)
		if err != nil {
			return access, err
		}
		access.Users, err = web.ReadUsers(in)
		in.Close()
		if err != nil {
			return access, cli.UsageError("%s: %v", f.users, err)
		}
	}
	switch {
	case f.issuer != "":
		secret, err := os.ReadFile(f.secretFile)
		if err != nil {
			return access, cli.UsageError("%v; name a file that can be read", err)
		}
		access.OIDC, err = web.NewOIDC(ctx, f.issuer, f.clientID, strings.TrimSpace(string(secret)), strings.TrimSuffix(f.url, "/"))
		if err != nil {
			return access, fmt.Errorf("the OpenID provider cannot be used: %w", err)
		}
	case f.header == "":
		access.Token = rand.Text()
		if access.Users == nil {
			access.Users = map[string]web.Role{localUser(): web.Admin}
		}
	}
	return access, nil
}

// checkAccess refuses what would let strangers in.
func (f *reviewFlags) checkAccess() error {
	host, _, err := net.SplitHostPort(f.listen)
	if err != nil {
		return cli.UsageError("--listen must be HOST:PORT")
	}
	addr, err := netip.ParseAddr(host)
	loopback := host == "localhost" || err == nil && addr.IsLoopback()
	switch {
	case f.header != "" && f.issuer != "":
		return cli.UsageError("--user-header and --oidc-issuer exclude each other")
	case f.header != "" && (len(f.proxies) == 0 || f.users == ""):
		return cli.UsageError("--user-header needs --trusted-proxy and --users")
	case f.issuer != "" && (f.users == "" || f.url == "" || f.clientID == "" || f.secretFile == ""):
		return cli.UsageError("--oidc-issuer needs --oidc-client-id, --oidc-secret-file, --url and --users")
	case !loopback && f.header == "" && f.issuer == "":
		return cli.UsageError("--listen reaches beyond this machine: add --user-header or --oidc-issuer, or listen on 127.0.0.1")
	case !loopback && !f.plainHTTP:
		return cli.UsageError("the page has no TLS of its own: put it behind a proxy that has it, and confirm with --plain-http")
	}
	return nil
}

// The server gives up on clients that take longer.
const (
	reviewHeaderTime = 10 * time.Second
	reviewReadTime   = time.Minute
)

func serveReview(ctx context.Context, cmd *cobra.Command, f reviewFlags, s *store.Store, server *web.Server, access web.Access,
	settings *config.Settings, log *slog.Logger,
) error {
	listener, err := net.Listen("tcp", f.listen)
	if err != nil {
		return cli.UsageError("%v; choose another address with --listen", err)
	}
	defer listener.Close()
	group, ctx := errgroup.WithContext(ctx)
	if f.kafka {
		options, err := reviewTopics(ctx, settings, log)
		if err != nil {
			return err
		}
		exchange := func(ctx context.Context) error { return topic.Run(ctx, s, options) }
		group.Go(func() error { return s.Exclusive(ctx, exchange) })
	}
	if f.retention > 0 {
		group.Go(func() error { expireCalls(ctx, s, f.retention, log); return nil })
	}
	page := cmp.Or(f.url, "http://"+listener.Addr().String())
	writeAddresses(cmd.OutOrStdout(), page, &access)
	h := &http.Server{Handler: server.Handler(), ReadHeaderTimeout: reviewHeaderTime, ReadTimeout: reviewReadTime}
	group.Go(func() error { return web.Serve(ctx, h, func() error { return h.Serve(listener) }) })
	if err := group.Wait(); !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// writeAddresses says where the page is, with an address of their own for each person if tokens log them in.
func writeAddresses(w io.Writer, page string, a *web.Access) {
	if a.Token == "" {
		fmt.Fprintf(w, "Open %s\n", page)
		return
	}
	for _, name := range slices.Sorted(maps.Keys(a.Users)) {
		q := url.Values{"name": {name}, "token": {a.TokenOf(name)}}
		fmt.Fprintf(w, "Open %s/login?%s\n", page, q.Encode())
	}
}

func reviewTopics(ctx context.Context, settings *config.Settings, log *slog.Logger) (topic.Options, error) {
	o := topic.Options{Audit: settings.TopicAudit, Annotations: settings.TopicAnnotations, Log: log}
	codec, err := kafka.NewCodec(ctx, settings)
	if err != nil {
		return o, err
	}
	o.Codec = codec
	client, err := kafka.Options(settings)
	if err != nil {
		return o, cli.Exit(cli.Usage, err)
	}
	o.Client = append(client, kgo.ClientID("sotto-review"))
	return o, nil
}

func expireCalls(ctx context.Context, s *store.Store, retention time.Duration, log *slog.Logger) {
	tick := time.NewTicker(time.Hour)
	defer tick.Stop()
	for {
		n, err := s.Expire(ctx, time.Now().Add(-retention))
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			log.Error("the text of old calls cannot be removed", "err", err)
		case n > 0:
			log.Info("the text of old calls is removed", "calls", n, "copy_in_journal", s.CopyLeft())
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

func newReviewExport(sys cli.System, f *reviewFlags) *cobra.Command {
	return &cobra.Command{
		Use:   "export [PATH...]",
		Short: "Write finished annotations to files",
		Long: "Writes the readings that are done in two forms: annotated.jsonl for 'sotto risk' and\n" +
			"'sotto train --annotated', gold.jsonl for 'sotto eval' and 'sotto train'. The name of\n" +
			"the file in PATH decides the form; without PATH, both go into the current folder.",
		Example: "  sotto review export exported/annotated.jsonl",
		RunE: func(cmd *cobra.Command, paths []string) error {
			return exportReview(cmd, sys, f, paths)
		},
	}
}

func exportReview(cmd *cobra.Command, sys cli.System, f *reviewFlags, paths []string) (err error) {
	settings, err := cli.LoadSettings(sys)
	if err != nil {
		return err
	}
	if len(paths) == 0 {
		paths = []string{"annotated.jsonl", "gold.jsonl"}
	}
	for _, path := range paths {
		if _, ok := review.Exports[filepath.Base(path)]; !ok {
			return cli.UsageError("%s: the name of the file decides what is written: end the path with annotated.jsonl (what was missed) or gold.jsonl (labelled calls)", path)
		}
		if info, err := os.Stat(filepath.Dir(path)); err != nil || !info.IsDir() {
			return cli.UsageError("%s: there is no folder %s; create it first", path, filepath.Dir(path))
		}
	}
	s, err := f.openExisting(cmd.Context(), &settings)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	for _, path := range paths {
		name := filepath.Base(path)
		form := review.Exports[name]
		read, err := s.Read(cmd.Context(), form.Mode, true)
		if err != nil {
			return err
		}
		if err := s.Record(cmd.Context(), commandLineUser(), "exported "+name, ""); err != nil {
			return err
		}
		if err := writeFile(path, private, func(w io.Writer) error { return form.Write(w, read) }); err != nil {
			return err
		}
		fmt.Fprintf(cmd.OutOrStdout(), "%s: %d calls\n", path, len(read))
	}
	return nil
}

// commandLineUser names who runs a command, for the access log.
func commandLineUser() string { return localUser() + " (command line)" }

// localUser is the name of who runs the command, in the form of a name of the list of users.
func localUser() string {
	name := strconv.Itoa(os.Getuid())
	if u, err := user.Current(); err == nil && u.Username != "" {
		name = u.Username
	}
	name = regexp.MustCompile(`[^A-Za-z0-9._@+-]`).ReplaceAllString(name, "_")
	return cmp.Or(strings.TrimLeft(name, "._@+-"), "user")
}
