package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/gorocm/gorocm/internal/owned"
	"github.com/gorocm/gorocm/repl"
	"github.com/gorocm/gorocm/repl/cells"
	"github.com/gorocm/gorocm/repl/script"
	"github.com/gorocm/gorocm/repl/term"
)

type runOptions struct {
	output    string // notebook to write, or empty
	keepGoing bool
	echo      bool
	json      bool
}

func runCommand() *cobra.Command {
	var o runOptions
	cmd := &cobra.Command{
		Use:   "run FILE|- [--output NOTEBOOK] [ARGUMENT...]",
		Short: "Run a script or a notebook",
		Long: `Run the cells of a .go file, of a .ipynb notebook, or of standard input (-), up to the first one that fails.
A .go file is split into cells by lines that start with // %%; without one it is a single cell.
Arguments after the file are os.Args[1:] of the cells; put those that begin with a dash after --.
A file whose first line is #!/usr/bin/env gorocm can be made executable and run by its name, with all arguments its own.

With --json, standard output is one JSON object per line: begin and end of each cell, with its output between them. docs/terminal.md lists the fields.`,
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveDefault
			}
			return []string{"go", "ipynb"}, cobra.ShellCompDirectiveFilterFileExt
		},
		Args: fileThenArguments,
		RunE: work(func(cmd *cobra.Command, args []string) error {
			f, err := readCells(args[0])
			if err != nil {
				return err
			}
			return execute(cmd.Context(), f, args[1:], o)
		}),
	}
	cmd.Flags().StringVarP(&o.output, "output", "o", "", "write the cells with what they showed to `NOTEBOOK` (.ipynb)")
	cmd.Flags().BoolVarP(&o.keepGoing, "keep-going", "k", false,
		"run the cells after one that failed; the exit status is still 1")
	cmd.Flags().BoolVar(&o.json, "json", false, "write events as lines of JSON, for programs")
	cmd.Flags().BoolVar(&o.echo, "echo", false, "show the cells too, as in a session")
	cmd.MarkFlagsMutuallyExclusive("json", "echo")
	return cmd
}

func fileThenArguments(cmd *cobra.Command, args []string) error {
	if len(args) == 0 || cmd.ArgsLenAtDash() == 0 {
		return errors.New("run: which file? FILE.go, FILE.ipynb, or - for standard input")
	}
	return nil
}

// readCells reads a file, or standard input where path is -.
func readCells(path string) (cells.File, error) {
	if path != "-" {
		return cells.Read(path)
	}
	data, err := cells.ReadAll(os.Stdin)
	if err != nil {
		return cells.File{}, fmt.Errorf("standard input: %w", err)
	}
	return cells.Parse("standard input", data)
}

// runCells runs the cells of the command line.
func runCells(ctx context.Context, sources, args []string, o runOptions) error {
	f := cells.File{Name: "-e"}
	for _, c := range sources {
		f.Cells = append(f.Cells, cells.Cell{Kind: cells.Code, Source: c})
	}
	return execute(ctx, f, args, o)
}

// execute runs a script in a session of its own and prints the output of its cells.
func execute(ctx context.Context, f cells.File, args []string, o runOptions) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	session, err := startScript(f.Name, args, os.Stdin, !o.json && !isTerminal(os.Stdout))
	if err != nil {
		return err
	}
	signalled := interruptBySignals(stop, session)
	out, errOut := &term.Output{W: os.Stdout}, &term.Output{W: os.Stderr}
	how := o.script(out, errOut)
	how.Outputs = o.output != ""
	r := script.Execute(ctx, session, f, how)
	err = errors.Join(out.Err(), errOut.Err(), session.Close())
	if o.output != "" {
		err = errors.Join(err, writeNotebook(o.output, r))
	}
	return ended(exitStatus(r, signalled(), err), err)
}

// exitStatus is a script's exit status: from os.Exit, from the signal that ended it, or from the success of its cells.
func exitStatus(r script.Result, s syscall.Signal, err error) int {
	switch {
	case r.Exit != nil && *r.Exit != 0:
		return *r.Exit
	case s != 0:
		return 128 + int(s)
	case r.Failed > 0:
		return r.Status()
	case err != nil:
		return failed
	}
	return 0
}

// interruptBySignals interrupts the running cell at the first signal that asks the program to end, and closes the
// session at a second one: see term.OneSignal. signalled returns the first one, 0 if none came.
func interruptBySignals(interrupt func(), session repl.Session) (signalled func() syscall.Signal) {
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, term.EndSignals()...)
	var first atomic.Int32
	go func() {
		var came time.Time
		for s := range signals {
			if number, _ := s.(syscall.Signal); first.CompareAndSwap(0, int32(number)) {
				came = time.Now()
				interrupt()
			} else if time.Since(came) >= term.OneSignal {
				_ = session.Close() // it ends a cell that does not stop
			}
		}
	}()
	return func() syscall.Signal { return syscall.Signal(first.Load()) }
}

// script describes how the cells are run and printed.
func (o runOptions) script(out, errOut io.Writer) script.Options {
	if o.json {
		so := script.JSON(out)
		so.KeepGoing = o.keepGoing
		return so
	}
	p := term.NewPrinter(os.Stdout, os.Stderr)
	p.Out, p.Err = out, errOut
	p.Labels = o.echo
	begin := func(number int, cell cells.Cell) {
		p.Begin(number)
		if o.echo {
			p.Echo(cell.Source)
		}
	}
	return script.Options{KeepGoing: o.keepGoing, Begin: begin, Sink: p.Event, Done: p.Reply,
		Columns: p.Columns}
}

// writeNotebook writes the file atomically.
func writeNotebook(path string, r script.Result) error {
	var b bytes.Buffer
	if err := script.WriteNotebook(&b, r); err != nil {
		return err
	}
	if err := owned.Replaceable(path); err != nil {
		return fmt.Errorf("--output: %w", err)
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".gorocm-")
	if err != nil {
		return fmt.Errorf("--output %s: %w", path, err)
	}
	defer os.Remove(f.Name())
	_, err = f.Write(b.Bytes())
	if err := errors.Join(err, f.Chmod(0o644), f.Close()); err != nil {
		return fmt.Errorf("--output %s: %w", path, err)
	}
	return os.Rename(f.Name(), path)
}
