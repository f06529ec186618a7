package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/gorocm/gorocm/repl/term"
)

func replCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "repl",
		Short: "Start a session in this terminal (as gorocm alone does)",
		Args:  cobra.NoArgs,
		RunE:  work(func(cmd *cobra.Command, _ []string) error { return runREPL(cmd.Context()) }),
	}
}

func runREPL(ctx context.Context) error {
	n, err := term.Run(ctx, startSession, term.Options{HistoryFile: stateFile("history.sqlite")})
	if err != nil {
		return err
	}
	return code(n)
}
