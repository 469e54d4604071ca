package main

import (
	"net"

	"github.com/spf13/cobra"

	"sotto/cmd/internal/cli"
	service "sotto/serve"
)

func newServe(sys cli.System) *cobra.Command {
	return cli.Logs(&cobra.Command{
		Use:   "serve",
		Short: "Serve the engine over HTTP",
		Long: "Serves the engine over HTTP until SIGTERM or SIGINT: texts and conversations\n" +
			"(POST /v1/anonymize), live calls, files, and the endpoints of Presidio. GET\n" +
			"/openapi.yaml describes them. All settings come from the environment: see\n" +
			"'sotto config'. It listens on loopback unless SOTTO_SERVE_ADDR says otherwise,\n" +
			"which needs a token file or client certificates.\n\n" +
			"The states of live calls are in memory only: after a restart, a call that continues\n" +
			"starts again.",
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := cli.LoadSettings(sys)
			if err != nil {
				return err
			}
			if err := cli.WithoutRemote(&s, "serve"); err != nil {
				return err
			}
			log := cli.NewLogger(cmd.ErrOrStderr(), s.LogLevel)
			server, err := service.New(s, log, cli.NewRegistry())
			if err != nil {
				return cli.Exit(cli.Usage, err)
			}
			ctx, stop := cli.UntilSignal(cmd)
			defer stop()
			return cli.WithHTTP(s.ServeHealthAddr, server.HealthHandler(), func() error {
				return server.Run(ctx, func(a net.Addr) { log.Info("serving", "address", a.String()) })
			})
		},
	})
}
