package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gorocm/gorocm/tensor/selftest"
)

func selftestCommand() *cobra.Command {
	var o selftest.Options
	var file string
	var job selftest.Job
	c := &cobra.Command{
		Use:   "selftest [DEVICE]...",
		Short: "Check and time every device of this machine, and write a report fit for an issue",
		Long: `Check every device of this machine, or those that are named (rocm:0, cuda, cpu): the driver calls that gorocm uses, the register
layout of matrix cores, every operation on every element type, what a faulty kernel does to its process, and speeds, compared with the
card's data sheet and with the maker's libraries. The report goes to standard output, with a line to paste into an issue at its end, and
as JSON to a file. It contains no user names, host names or home-directory paths.

The exit status is 1 when a check failed. A GPU gets two minutes, the CPU and an emulated GPU ten seconds; the first run on a GPU compiles
kernels, which are cached, so a second run gets further.`,
		Example: `  gorocm selftest
  gorocm selftest rocm:0 --time 10m --json /tmp/report.json`,
		RunE: work(func(cmd *cobra.Command, args []string) error {
			if job.Device != "" {
				job.Within = o.Within
				return selftest.Work(os.Stdout, job)
			}
			o.Devices = args
			return runSelftest(cmd, o, file)
		}),
	}
	c.Flags().DurationVar(&o.Within, "time", 0,
		"how long a device's checks may go on; negative for as long as they take (default 2m0s, 10s without a GPU)")
	c.Flags().StringVar(&file, "json", "gorocm-selftest.json", "write the report with all checks to `FILE`; empty for none")
	c.Flags().StringVar(&job.Device, "work", "", "check this device here, for another selftest")
	c.Flags().StringVar(&job.Part, "part", "", "with --work: a part of it")
	c.Flags().StringArrayVar(&job.Skip, "skip", nil, "with --work: leave a check out")
	for _, hidden := range []string{"work", "part", "skip"} {
		_ = c.Flags().MarkHidden(hidden) // fails for unknown flags only
	}
	return c
}

func runSelftest(cmd *cobra.Command, o selftest.Options, file string) error {
	o.Version = version
	program, err := os.Executable()
	if err != nil {
		return err
	}
	o.Command = func(ctx context.Context, job selftest.Job) *exec.Cmd {
		args := []string{"selftest", "--work", job.Device, "--part", job.Part, "--time", max(job.Within, 1).String()}
		for _, name := range job.Skip {
			args = append(args, "--skip", name)
		}
		return exec.CommandContext(ctx, program, args...)
	}
	o.Progress = func(device, check string) { fmt.Fprintf(cmd.ErrOrStderr(), "%s: %s\n", device, check) }
	report := selftest.Run(cmd.Context(), o)
	out := cmd.OutOrStdout()
	if err := report.Text(out); err != nil {
		return err
	}
	if file != "" {
		if err := writeReport(report, file); err != nil {
			return err
		}
		fmt.Fprintf(out, "\nAll checks and figures are in %s: attach it to an issue.\n", file)
	}
	fmt.Fprintf(out, "\nTo paste:\n%s\n", strings.Join(report.Lines(), "\n"))
	if !report.OK() {
		return status(failed)
	}
	return nil
}

func writeReport(r *selftest.Report, file string) error {
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, append(data, '\n'), 0o644)
}
