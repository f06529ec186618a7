package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/gorocm/gorocm/repl/worker"
)

func workerCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "worker [-- ARGUMENTS]",
		Short:  "Hold a session for a front end (front ends start this)",
		Hidden: true,
		RunE: work(func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				os.Args = args // what cells see
			}
			return worker.Serve()
		}),
	}
}
