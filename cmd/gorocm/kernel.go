package main

import (
	"github.com/spf13/cobra"

	"github.com/gorocm/gorocm/jupyter"
	"github.com/gorocm/gorocm/repl/history"
)

func kernelCommand() *cobra.Command {
	var connection string
	var remote jupyter.Remote
	cmd := &cobra.Command{
		Use:   "kernel --connection-file FILE",
		Short: "Serve a Jupyter client (Jupyter starts this)",
		// Jupyter passes its own arguments on to the kernel, such as the file of jupyter run.
		Args:               cobra.ArbitraryArgs,
		FParseErrWhitelist: cobra.FParseErrWhitelist{UnknownFlags: true},
		RunE: work(func(cmd *cobra.Command, _ []string) error {
			opts := jupyter.Options{Version: version, HistoryFile: history.File()}
			if remote.Address != "" {
				return jupyter.ServeRemote(cmd.Context(), remote, startSession, opts)
			}
			return jupyter.Serve(cmd.Context(), connection, startSession, opts)
		}),
	}
	cmd.Flags().StringVarP(&connection, "connection-file", "f", "", "the connection `FILE` that Jupyter wrote")
	cmd.Flags().StringVar(&remote.Address, "response-address", "", "the `IP:PORT` of a gateway that started the kernel")
	cmd.Flags().StringVar(&remote.PublicKey, "public-key", "", "the gateway's `KEY`")
	cmd.Flags().StringVar(&remote.KernelID, "kernel-id", "", "the gateway's `ID` of the kernel")
	cmd.Flags().StringVar(&remote.Ports, "port-range", "", "the ports that the kernel may use, `LOW..HIGH`")
	cmd.MarkFlagsOneRequired("connection-file", "response-address")
	cmd.MarkFlagsRequiredTogether("response-address", "public-key", "kernel-id")
	return cmd
}
