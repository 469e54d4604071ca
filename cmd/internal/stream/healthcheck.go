package stream

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"sotto/cmd/internal/cli"

	"github.com/spf13/cobra"
)

func newHealthcheck(sys cli.System) *cobra.Command {
	var ready, serving bool
	cmd := &cobra.Command{
		Use:   "healthcheck",
		Short: "Ask a running process on this machine whether it is healthy",
		Long: "Asks /livez of the process that runs with the same settings, and with --ready\n" +
			"/readyz. The image has no shell and no curl, so this is the health check of a\n" +
			"container. The exit status is 0 if the process is healthy and 3 if it is not.",
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := cli.LoadSettings(sys)
			if err != nil {
				return err
			}
			addr, name := s.HTTPAddr, "SOTTO_HTTP_ADDR"
			if serving {
				addr, name = s.ServeHealthAddr, "SOTTO_SERVE_HEALTH_ADDR"
			}
			if addr == "off" {
				return cli.UsageError("%s is off: the process does not report its health", name)
			}
			path := "/livez"
			if ready {
				path = "/readyz"
			}
			if err := askHealth(cmd.Context(), addr, path); err != nil {
				return cli.Exit(cli.Check, err)
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), "ok")
			return err
		},
	}
	cmd.Flags().BoolVar(&ready, "ready", false, "ask whether it is ready, not only alive")
	cmd.Flags().BoolVar(&serving, "serve", false, "ask a process of 'sotto serve' (SOTTO_SERVE_HEALTH_ADDR)")
	return cmd
}

func askHealth(ctx context.Context, addr, path string) error {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return err
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "localhost" // it listens on every address
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+net.JoinHostPort(host, port)+path, nil)
	if err != nil {
		return err
	}
	// Not through a proxy of the environment.
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		return fmt.Errorf("the process does not answer: %w", err)
	}
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusOK {
		return nil
	}
	var status struct{ Why string }
	_ = json.NewDecoder(io.LimitReader(resp.Body, 64<<10)).Decode(&status) // the status alone says enough
	return fmt.Errorf("not healthy: %s", cmp.Or(status.Why, resp.Status))
}
