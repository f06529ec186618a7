package main

import (
	"github.com/spf13/cobra"

	"github.com/gorocm/gorocm/jupyter"
	"github.com/gorocm/gorocm/repl/history"
)

func kernelCommand() *cobra.Command {
	var connection string
	cmd := &cobra.Command{
		Use:   "kernel --connection-file FILE",
		Short: "Serve a Jupyter client (Jupyter starts this)",
		// Jupyter passes its own arguments on to the kernel, such as the file of jupyter run.
		Args:               cobra.ArbitraryArgs,
		FParseErrWhitelist: cobra.FParseErrWhitelist{UnknownFlags: true},
		RunE: work(func(cmd *cobra.Command, _ []string) error {
			return jupyter.Serve(cmd.Context(), connection, startSession,
				jupyter.Options{Version: version, HistoryFile: history.File()})
		}),
	}
	cmd.Flags().StringVarP(&connection, "connection-file", "f", "", "the connection `FILE` that Jupyter wrote")
	if err := cmd.MarkFlagRequired("connection-file"); err != nil {
		panic(err) // the flag of the line above
	}
	return cmd
}
