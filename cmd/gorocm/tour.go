package main

import (
	"errors"
	"os"
	"os/signal"

	"github.com/spf13/cobra"

	"github.com/gorocm/gorocm/repl/term"
	"github.com/gorocm/gorocm/repl/tour"
)

func tourCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "tour",
		Short: "Take a guided tour: a few cells, in five minutes",
		Long: `Show what a session can do, in steps that run real cells: Enter for the next, b for the one before, r to run it
again, q to quit. Any other line is run as Go. The notebook notebooks/00-tour.ipynb has the same cells.`,
		Args: cobra.NoArgs,
		RunE: work(func(cmd *cobra.Command, _ []string) error {
			session, err := startSession()
			if err != nil {
				return err
			}
			interrupts := make(chan os.Signal, 1)
			signal.Notify(interrupts, os.Interrupt)
			defer signal.Stop(interrupts)
			go func() {
				for range interrupts {
					session.Interrupt()
				}
			}()
			p := term.NewPrinter(os.Stdout, os.Stderr)
			p.Labels = true
			return errors.Join(tour.Run(cmd.Context(), session, os.Stdin, os.Stdout, p, p.Columns), session.Close())
		}),
	}
}
