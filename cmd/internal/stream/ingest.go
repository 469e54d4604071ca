package stream

import (
	"net"

	"github.com/spf13/cobra"

	"sotto/cmd/internal/cli"
	"sotto/processor/ingest"
)

func newIngest(sys cli.System) *cobra.Command {
	return cli.Logs(&cobra.Command{
		Use:   "ingest",
		Short: "Receive webhooks and write them to the raw topic",
		Long: "Receives webhooks over HTTP until SIGTERM or SIGINT, checks who sends them\n" +
			"(SOTTO_INGEST_SIGNATURE), and writes their bodies, unchanged, to the raw topic, under\n" +
			"the ID of the call that the mapping (SOTTO_RAW_FORMAT) finds in them. It answers with\n" +
			"200 after all in-sync replicas have a body, and else asks to send it again. All\n" +
			"settings come from the environment: see 'sotto config' and docs/ingest.md.",
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := cli.LoadSettings(sys)
			if err != nil {
				return err
			}
			log := cli.NewLogger(cmd.ErrOrStderr(), s.LogLevel)
			server, err := ingest.New(s, log, cli.NewRegistry())
			if err != nil {
				return cli.Exit(cli.Usage, err)
			}
			ctx, stop := cli.UntilSignal(cmd)
			defer stop()
			return cli.WithHTTP(s.HTTPAddr, server.HealthHandler(), func() error {
				return server.Run(ctx, func(a net.Addr) { log.Info("receiving webhooks", "address", a.String()) })
			})
		},
	})
}
