package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"google.golang.org/api/option"

	"sotto/anonymize"
	"sotto/config"
	"sotto/detectors/remote"
	"sotto/detectors/remote/dlp"
	"sotto/detectors/remote/presidio"
)

// newRemoteTier returns the remote detection tier of the settings, nil if there is none. done ends
// its connections. It asks the service about a harmless word first: a configuration that the service
// refuses is an error, and a service that does not answer is not.
func newRemoteTier(ctx context.Context, s *config.Settings) (tier *remote.Tier, done func(), err error) {
	var service remote.Service
	done = func() {}
	switch s.RemoteTier {
	case "":
		return nil, done, nil
	case config.TierPresidio:
		analyzer := presidio.New(s.RemoteURL)
		service, done = analyzer, func() { _ = analyzer.Close() }
	case config.TierDLP:
		types, rules, err := s.RemoteRules()
		if err != nil {
			return nil, nil, &commandError{exitUsage, err}
		}
		var opts []option.ClientOption
		if s.RemoteURL != "" {
			opts = append(opts, option.WithEndpoint(s.RemoteURL))
		}
		google, err := dlp.New(ctx, s.RemoteDLPParent, types, rules, opts...)
		if err != nil {
			return nil, nil, &commandError{exitUsage, fmt.Errorf("SOTTO_REMOTE_TIER: %w", err)}
		}
		service, done = google, func() { _ = google.Close() }
	}
	tier, err = s.NewRemoteTier(service)
	if err == nil {
		if r := tier.Ask(ctx, []remote.Utterance{{Text: "hello"}}); errors.Is(r[0].Err, remote.ErrRefused) {
			err = fmt.Errorf("SOTTO_REMOTE_TIER: the service refuses the configuration: %w", r[0].Err)
		}
	}
	if err != nil {
		done()
		return nil, nil, &commandError{exitUsage, err}
	}
	return tier, done, nil
}

// newRemoteAsker returns what asks the remote tier of the settings about whole calls; nil if there
// is none. done ends its connections and says what was used.
func newRemoteAsker(cmd *cobra.Command, s *config.Settings) (asker *anonymize.RemoteAsker, done func(), err error) {
	tier, closeTier, err := newRemoteTier(cmd.Context(), s)
	if err != nil || tier == nil {
		return nil, closeTier, err
	}
	stderr := cmd.ErrOrStderr()
	fmt.Fprintf(stderr, "sotto: raw text is sent to the remote detection tier %s\n", tier.Name())
	return s.NewRemoteAsker(tier), func() {
		closeTier()
		n := tier.TakeUsage()
		fmt.Fprintf(stderr, "sotto: %s: %d requests (%d failed), %d characters, cost %.6g; %d utterances answered, %d remembered, %d unavailable, %d refused\n",
			tier.Name(), n.Requests, n.Failed, n.Characters, n.Cost, n.Answered, n.Remembered, n.Unavailable, n.Refused)
	}, nil
}

// withoutRemote fails if the settings name a remote tier, which a command does not ask: its result
// would look as if the tier had been asked.
func withoutRemote(s *config.Settings, command string) error {
	if s.RemoteTier == "" {
		return nil
	}
	return usageError("'sotto %s' does not ask remote detection tiers; unset SOTTO_REMOTE_TIER", command)
}
