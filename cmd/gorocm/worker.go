package main

import (
	"github.com/spf13/cobra"

	"github.com/gorocm/gorocm/repl/worker"
)

func workerCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "worker",
		Short:  "Hold a session for a front end (front ends start this)",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE:   work(func(*cobra.Command, []string) error { return worker.Serve() }),
	}
}
