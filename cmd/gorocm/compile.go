package main

import (
	"github.com/spf13/cobra"

	"github.com/gorocm/gorocm/repl/modules/compiled"
)

func compileCommand() *cobra.Command {
	return &cobra.Command{
		Use:    compiled.Command + " FOLDER KEY",
		Short:  "Make a program with modules compiled in (sessions start this)",
		Hidden: true,
		Args:   cobra.ExactArgs(2),
		RunE: work(func(cmd *cobra.Command, args []string) error {
			return compiled.Build(cmd.Context(), args[0], args[1])
		}),
	}
}
