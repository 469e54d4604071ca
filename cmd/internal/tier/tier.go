// Package tier makes the remote detection tier of the settings for commands.
package tier

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"sotto/anonymize"
	"sotto/cmd/internal/cli"
	"sotto/config"
	"sotto/detectors/remote"
	"sotto/detectors/remote/dlp"
	"sotto/detectors/remote/llm"
	"sotto/detectors/remote/presidio"
)

// New returns the remote detection tier of the settings, nil if there is none. done ends
// its connections. It asks the service about a harmless word first: a configuration that the service
// refuses is an error, and a service that does not answer is not.
func New(ctx context.Context, s *config.Settings) (tier *remote.Tier, done func(), err error) {
	if s.RemoteTier == "" {
		return nil, func() {}, nil
	}
	types, err := s.RemoteTypes()
	if err != nil {
		return nil, nil, cli.Exit(cli.Usage, err)
	}
	rules, err := s.Policy()
	if err != nil {
		return nil, nil, cli.Exit(cli.Usage, err)
	}
	var service interface {
		remote.Service
		io.Closer
	}
	switch s.RemoteTier {
	case config.TierPresidio:
		service = presidio.New(s.RemoteURL)
	case config.TierLLM:
		service = llm.New(s.RemoteURL, s.RemoteModel, s.RemoteToken, types, rules)
	case config.TierDLP:
		if service, err = dlp.New(ctx, s.RemoteURL, s.RemoteDLPParent, types, rules); err != nil {
			return nil, nil, cli.Exit(cli.Usage, fmt.Errorf("SOTTO_REMOTE_TIER: %w", err))
		}
	}
	done = func() { _ = service.Close() }
	tier, err = s.NewRemoteTier(service)
	if err == nil {
		if r := tier.Ask(ctx, []remote.Utterance{{Text: "hello"}}); errors.Is(r[0].Err, remote.ErrRefused) {
			err = fmt.Errorf("SOTTO_REMOTE_TIER: the service refuses the configuration: %w", r[0].Err)
		}
	}
	if err != nil {
		done()
		return nil, nil, cli.Exit(cli.Usage, err)
	}
	return tier, done, nil
}

// NewAsker returns what asks the remote tier of the settings about whole calls; nil if there
// is none. done ends its connections and says what was used.
func NewAsker(cmd *cobra.Command, s *config.Settings) (asker *anonymize.RemoteAsker, done func(), err error) {
	tier, closeTier, err := New(cmd.Context(), s)
	if err != nil || tier == nil {
		return nil, closeTier, err
	}
	stderr := cmd.ErrOrStderr()
	fmt.Fprintf(stderr, "sotto: raw text is sent to the remote detection tier %s\n", tier.Name())
	return s.NewRemoteAsker(tier), func() {
		closeTier()
		n := tier.TakeUsage()
		fmt.Fprintf(stderr, "sotto: %s: %d requests (%d failed), %d bytes; %d utterances answered, %d remembered, %d unavailable, %d refused\n",
			tier.Name(), n.Requests, n.Failed, n.Bytes, n.Answered, n.Remembered, n.Unavailable, n.Refused)
	}, nil
}
