package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/gorocm/gorocm/repl/history"
	"github.com/gorocm/gorocm/repl/term"
)

func replCommand() *cobra.Command {
	var plain bool
	cmd := &cobra.Command{
		Use:   "repl",
		Short: "Start a session in this terminal (as gorocm alone does)",
		Args:  cobra.NoArgs,
		RunE:  work(func(cmd *cobra.Command, _ []string) error { return runREPL(cmd.Context(), plain) }),
	}
	plainFlag(cmd, &plain)
	return cmd
}

func plainFlag(cmd *cobra.Command, plain *bool) {
	cmd.Flags().BoolVar(plain, "no-config", false, "read neither the configuration nor the start-up file")
}

// runREPL runs a session in the terminal, or the cells of a pipe, without the user's start-up file.
func runREPL(ctx context.Context, plain bool) error {
	s := defaults()
	var startup []string
	if !plain {
		var err error
		if s, err = readSettings(); err != nil {
			return err
		}
		if interactive() {
			if startup, err = s.startup(); err != nil {
				return err
			}
		}
	}
	n, err := term.Run(ctx, startSession, term.Options{
		HistoryFile: history.File(),
		Startup:     startup,
		Settings: term.Settings{Colour: s.Colour, NoHints: !s.Hints, Status: s.Status, Elapsed: s.elapsed(),
			Editor: s.Editor, History: s.History},
	})
	return ended(n, err)
}
