package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/gorocm/gorocm/repl/cells"
	"github.com/gorocm/gorocm/repl/term"
)

// launchOptions say which part of a job this machine has.
type launchOptions struct {
	processes int // on this machine
	nodes     int
	node      int // the number of this machine
	host      string
	port      int // 0 for a free one
}

func launchCommand() *cobra.Command {
	var o launchOptions
	cmd := &cobra.Command{
		Use:   "launch --nproc N FILE [ARGUMENT...]",
		Short: "Run a script in several processes, one for each GPU",
		Long: `Start N processes of gorocm run FILE on this machine. Each finds its place in the job by the variables that
torchrun sets, which distributed.Environment reads: RANK, LOCAL_RANK, WORLD_SIZE, MASTER_ADDR, MASTER_PORT.
Everything after FILE is os.Args[1:] of the script. The processes read nothing from standard input.

Lines of output begin with the rank of their process. When a process fails, the others are asked to end, and killed
after 5 seconds; the exit status is that of the first that failed. Signals are passed on.

Without GPUs, each process has N emulated ones (GOROCM_EMULATED_DEVICES), so that rocm:LOCAL_RANK is there.
On several machines, run the same command on each with its own --node-rank.`,
		Example: `  gorocm launch --nproc 2 train.go
  gorocm launch --nproc 8 --nnodes 2 --node-rank 0 --master-addr node1 --master-port 29500 train.go --epochs 3`,
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveDefault
			}
			return []string{"go", "ipynb"}, cobra.ShellCompDirectiveFilterFileExt
		},
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 || args[0] == "-" {
				return errors.New("launch: which file? FILE.go or FILE.ipynb")
			}
			return nil
		},
		PreRunE: func(*cobra.Command, []string) error { return o.check() },
		RunE: work(func(_ *cobra.Command, args []string) error {
			if _, err := cells.Read(args[0]); err != nil {
				return err
			}
			file, arguments := args[0], args[1:]
			if len(arguments) > 0 && arguments[0] == "--" {
				arguments = arguments[1:] // as those of gorocm run
			}
			return launch(o, file, arguments)
		}),
	}
	flags := cmd.Flags()
	flags.SetInterspersed(false)
	flags.IntVar(&o.processes, "nproc", 0, "start `N` processes on this machine")
	flags.IntVar(&o.nodes, "nnodes", 1, "the job has `M` machines, with N processes each")
	flags.IntVar(&o.node, "node-rank", 0, "this machine is number `R`, from 0")
	flags.StringVar(&o.host, "master-addr", "127.0.0.1", "the name or address of machine 0 is `HOST`")
	flags.IntVar(&o.port, "master-port", 0, "rank 0 listens at `PORT`; without it at a free one")
	return cmd
}

// check refuses options that describe no job.
func (o launchOptions) check() error {
	switch {
	case o.processes < 1:
		return fmt.Errorf("launch: --nproc %d: how many processes, one for each GPU? At least 1", o.processes)
	case o.nodes < 1 || o.node < 0 || o.node >= o.nodes:
		return fmt.Errorf(
			"launch: --node-rank %d --nnodes %d: machines are numbered from 0 to one less than their number", o.node, o.nodes)
	case o.port < 0 || o.port > 65535:
		return fmt.Errorf("launch: --master-port %d: a port is from 1 to 65535", o.port)
	case o.nodes > 1 && (o.port == 0 || o.host == "127.0.0.1"):
		return errors.New("launch: several machines need --master-addr and --master-port, the same on each")
	}
	return nil
}

// environment is what the process with a number on this machine finds besides the variables of this one.
func (o launchOptions) environment(local int) []string {
	list := []string{
		fmt.Sprint("RANK=", o.node*o.processes+local), fmt.Sprint("LOCAL_RANK=", local),
		fmt.Sprint("WORLD_SIZE=", o.nodes*o.processes), fmt.Sprint("LOCAL_WORLD_SIZE=", o.processes), // torchrun's
		"MASTER_ADDR=" + o.host, fmt.Sprint("MASTER_PORT=", o.port),
	}
	const emulated = "GOROCM_EMULATED_DEVICES"
	if _, set := os.LookupEnv(emulated); !set {
		list = append(list, fmt.Sprint(emulated, "=", o.processes))
	}
	return list
}

// launch runs a script in the processes of this machine.
func launch(o launchOptions, file string, arguments []string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if o.port == 0 {
		if o.port, err = freePort(); err != nil {
			return err
		}
	}
	out, errOut := &term.Output{W: os.Stdout}, &term.Output{W: os.Stderr}
	j := job{out: out, errOut: errOut, patience: stopPatience}
	for local := range o.processes {
		cmd := exec.Command(self, append([]string{"run", file, "--"}, arguments...)...)
		cmd.Env = append(os.Environ(), o.environment(local)...)
		j.add(o.node*o.processes+local, cmd)
	}
	status, err := j.run()
	return ended(status, errors.Join(err, out.Err(), errOut.Err()))
}

// freePort is a port of this machine where nothing listens.
func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(port)
}
