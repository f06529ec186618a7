package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/gorocm/gorocm/tensor/selftest"
)

func selftestCommand() *cobra.Command {
	var o selftest.Options
	var output, device string
	var skip []string
	c := &cobra.Command{
		Use:   "selftest [DEVICE]...",
		Short: "Check and time every device of this machine, and write a report fit for an issue",
		Long: `Check every device of this machine, or those that are named (rocm:0, cuda, cpu): the driver calls that gorocm uses, every operation on
every element type, and a few speeds. The report goes to standard output, and as text and JSON to two files. It contains no user
names, host names or home-directory paths.

The exit status is 1 when a check failed. A device gets two minutes; the first run on a GPU compiles kernels, which are cached, so a second
run gets further.`,
		Example: `  gorocm selftest
  gorocm selftest rocm:0 --time 10m --output /tmp/report`,
		RunE: work(func(cmd *cobra.Command, args []string) error {
			if device != "" {
				return selftest.Work(os.Stdout, device, skip, o.Within)
			}
			o.Devices = args
			return runSelftest(cmd, o, output)
		}),
	}
	c.Flags().DurationVar(&o.Within, "time", 2*time.Minute,
		"how long a device's checks may go on; 0 for as long as they take")
	c.Flags().StringVarP(&output, "output", "o", "gorocm-selftest", "write `FILE`.txt and FILE.json; empty for none")
	c.Flags().StringVar(&device, "work", "", "check this device here, for another selftest")
	c.Flags().StringArrayVar(&skip, "skip", nil, "with --work: leave a check out")
	for _, hidden := range []string{"work", "skip"} {
		_ = c.Flags().MarkHidden(hidden) // fails for unknown flags only
	}
	return c
}

func runSelftest(cmd *cobra.Command, o selftest.Options, output string) error {
	o.Version = version
	program, err := os.Executable()
	if err != nil {
		return err
	}
	o.Command = func(ctx context.Context, device string, skip []string, within time.Duration) *exec.Cmd {
		args := []string{"selftest", "--work", device, "--time", within.String()}
		for _, name := range skip {
			args = append(args, "--skip", name)
		}
		return exec.CommandContext(ctx, program, args...)
	}
	o.Progress = func(device, check string) { fmt.Fprintf(cmd.ErrOrStderr(), "%s: %s\n", device, check) }
	report := selftest.Run(cmd.Context(), o)
	var text strings.Builder
	if err := report.Text(&text); err != nil {
		return err
	}
	fmt.Fprint(cmd.OutOrStdout(), text.String())
	if output != "" {
		if err := writeReport(report, text.String(), output); err != nil {
			return err
		}
		fmt.Fprintf(cmd.OutOrStdout(), "\nThis is in %s.txt and, with all checks, in %s.json.\n", output, output)
	}
	if !report.OK() {
		return status(failed)
	}
	return nil
}

func writeReport(r *selftest.Report, text, output string) error {
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(output), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(output+".txt", []byte(text), 0o644); err != nil {
		return err
	}
	return os.WriteFile(output+".json", append(data, '\n'), 0o644)
}
