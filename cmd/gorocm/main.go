// Command gorocm is an interactive Go session with tensors on an AMD GPU: in a terminal, as a Jupyter kernel, and for
// scripts.
//
//	gorocm                          a session in this terminal
//	gorocm -e 'Device("rocm")'      run cells from the command line
//	gorocm run demo.go              run a script or a notebook
//	gorocm launch --nproc 2 demo.go run a script in a process for each GPU
//	gorocm serve model.gguf         serve a language model in the form of OpenAI's API
//	gorocm config                   the settings of the terminal session
//	gorocm install                  install the Jupyter kernel
//	gorocm doctor                   show what was found on this machine
//	gorocm selftest                 check and time this machine's GPU
//
// The exit status is 0, 1 when a cell failed or output could not be written, 2 for wrong usage and for a cell whose
// goroutines all wait for each other, n when a cell calls os.Exit(n), and 128+n when signal n has ended the program.
package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gorocm/gorocm/internal/meminfo"
	"github.com/gorocm/gorocm/internal/printing"
	"github.com/gorocm/gorocm/internal/visible"
	"github.com/gorocm/gorocm/repl/term"
	"github.com/gorocm/gorocm/rocm"
)

// version is set by -ldflags "-X main.version=…" in releases.
var version = "0.1.0"

func main() {
	if rocm.ServeCompiler() {
		return
	}
	if why := meminfo.TooLittle(); why != "" {
		fmt.Fprintln(os.Stderr, "gorocm:", why)
		os.Exit(failed)
	}
	os.Exit(run(os.Args[1:]))
}

// Exit statuses.
const (
	failed = 1
	misuse = 2
)

// status is an error that has been reported already: the process ends with it.
type status int

func (s status) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

// failure is an error of the work itself. Errors of any other kind come from cobra and are wrong usage.
type failure struct{ error }

func (f failure) Unwrap() error { return f.error }

// run executes a command line and returns the exit status.
func run(args []string) int {
	root := rootCommand()
	root.SetArgs(scriptFirst(root, args))
	out := &term.Output{W: os.Stdout}
	root.SetOut(out)
	err := root.Execute()
	if err == nil && out.Err() != nil {
		err = failure{out.Err()}
	}
	var s status
	var f failure
	switch {
	case err == nil:
		return 0
	case errors.As(err, &s):
		return int(s)
	case errors.As(err, &f):
		fmt.Fprintln(os.Stderr, "gorocm:", visible.Text(err.Error()))
		return failed
	}
	fmt.Fprintf(os.Stderr, "gorocm: %s\nTry gorocm --help.\n", visible.Text(err.Error()))
	return misuse
}

// scriptFirst makes run FILE of a command line that begins with a file, as that of an executable script does:
// #!/usr/bin/env gorocm. The arguments after the file belong to the script.
func scriptFirst(root *cobra.Command, args []string) []string {
	if len(args) == 0 || strings.HasPrefix(args[0], "-") {
		return args
	}
	for _, c := range root.Commands() {
		if c.Name() == args[0] || c.HasAlias(args[0]) {
			return args
		}
	}
	if info, err := os.Stat(args[0]); err != nil || info.IsDir() {
		return args
	}
	return append([]string{"run", args[0], "--"}, args[1:]...)
}

// work makes f the action of a command: its error is not a usage error.
func work(f func(cmd *cobra.Command, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		err := f(cmd, args)
		var s status
		if err == nil || errors.As(err, &s) {
			return err
		}
		return failure{err}
	}
}

// code is the result of an action that ends with an exit status.
func code(n int) error {
	if n == 0 {
		return nil
	}
	return status(n)
}

// ended is the result of an action whose cells end it with a status; err is what went wrong besides.
func ended(n int, err error) error {
	switch {
	case err == nil:
		return code(n)
	case n <= failed:
		return err
	}
	fmt.Fprintln(os.Stderr, "gorocm:", err)
	return code(n)
}

func rootCommand() *cobra.Command {
	var cells []string
	var o runOptions
	var plain bool
	root := &cobra.Command{
		Use:   "gorocm [-e CELL]... [-- ARGUMENT...]",
		Short: "An interactive Go session for AMD GPUs",
		Long: `gorocm runs Go interactively, with tensors on an AMD GPU: in this terminal, in Jupyter, and for scripts.
Without a command it starts a session in this terminal; cells on standard input run one after the other.`,
		Example: `  gorocm
  gorocm -e 'x := Device("auto").Arange(tensor.F32, 6)' -e 'x.Sqr()'
  gorocm run demo.go
  gorocm run notebook.ipynb --output done.ipynb`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Version:       version,
		Args:          argumentsAfterDash,
		RunE: work(func(cmd *cobra.Command, args []string) error {
			if len(cells) > 0 {
				return runCells(cmd.Context(), cells, args, o)
			}
			return runREPL(cmd.Context(), plain)
		}),
	}
	root.SetVersionTemplate(versionLine() + "\n")
	root.Flags().StringArrayVarP(&cells, "eval", "e", nil, "run `CELL` and leave; may be given several times")
	root.Flags().BoolVar(&o.echo, "echo", false, "with -e: show the cells too, as in a session")
	root.Flags().BoolVar(&o.json, "json", false, "with -e: write events as lines of JSON")
	plainFlag(root, &plain)
	root.AddCommand(replCommand(), runCommand(), launchCommand(), serveCommand(), configCommand(), kernelCommand(),
		lspCommand(), tourCommand(), installCommand(), uninstallCommand(), doctorCommand(), selftestCommand(),
		versionCommand(), workerCommand(), compileCommand())
	refuseUnknown(root)
	help := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		cmd.Long = printing.Document(cmd.Long, cmp.Or(term.NewPrinter(os.Stdout, os.Stderr).Columns(), 80))
		help(cmd, args)
	})
	return root
}

// refuseUnknown makes wrong usage of arguments that the commands which cobra adds answer with their help.
func refuseUnknown(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		switch c.Name() {
		case "completion":
			c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() } // what runs has its arguments checked
		case "help":
			show := c.Run
			c.Run = nil
			c.RunE = func(c *cobra.Command, args []string) error {
				if _, rest, err := root.Find(args); err != nil || len(rest) > 0 {
					return fmt.Errorf("there is no command %s to show the help of", strings.Join(args, " "))
				}
				show(c, args)
				return nil
			}
		}
	}
}

// argumentsAfterDash refuses arguments of the root command, except those of the cells after --.
func argumentsAfterDash(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return nil
	case cmd.ArgsLenAtDash() == 0 && cmd.Flags().Changed("eval"):
		return nil
	case cmd.ArgsLenAtDash() == 0:
		return errors.New("arguments after -- are for the cells of -e")
	}
	near := ""
	if list := cmd.SuggestionsFor(args[0]); len(list) > 0 {
		near = ": did you mean gorocm " + list[0] + "?"
	}
	return fmt.Errorf("unknown command %q, and no file has that name%s", args[0], near)
}
