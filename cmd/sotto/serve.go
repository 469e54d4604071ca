package main

import (
	"net"

	"github.com/spf13/cobra"

	service "sotto/serve"
)

func newServe(sys system) *cobra.Command {
	return &cobra.Command{
		Use:   "serve",
		Short: "Serve the engine over HTTP",
		Long: "Serves the engine over HTTP until SIGTERM or SIGINT: texts and conversations\n" +
			"(POST /v1/anonymize), live calls, files, and the endpoints of Presidio. GET\n" +
			"/openapi.yaml describes them. All settings come from the environment: see\n" +
			"'sotto config'. It listens on loopback unless SOTTO_SERVE_ADDR says otherwise,\n" +
			"which needs a token file or client certificates.\n\n" +
			"The states of live calls are in memory only: after a restart, a call that continues\n" +
			"starts again.",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := loadSettings(sys)
			if err != nil {
				return err
			}
			if err := withoutRemote(&s, "serve"); err != nil {
				return err
			}
			log := newLogger(cmd.ErrOrStderr(), s.LogLevel)
			server, err := service.New(s, log, newRegistry())
			if err != nil {
				return &commandError{exitUsage, err}
			}
			ctx, stop := untilSignal(cmd)
			defer stop()
			return withHTTP(s.ServeHealthAddr, server.HealthHandler(), func() error {
				return server.Run(ctx, func(a net.Addr) { log.Info("serving", "address", a.String()) })
			})
		},
	}
}
