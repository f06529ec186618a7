package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gorocm/gorocm/repl/worker"
)

func workerCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "worker [-- ARGUMENTS]",
		Short:  "Run a session for a front end (front ends start this)",
		Hidden: true,
		RunE: work(func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				os.Args = args // what cells see
			}
			findable()
			err := worker.Serve()
			if exited := worker.Exited(0); errors.As(err, &exited) {
				return code(int(exited))
			}
			return err
		}),
	}
}

// findable appends this program's folder to the path if the path has no gorocm: a Jupyter server may have been started
// without the user's profile, and cells run gorocm, too.
func findable() {
	if _, err := exec.LookPath("gorocm"); err == nil {
		return
	}
	if self, err := os.Executable(); err == nil && strings.TrimSuffix(filepath.Base(self), ".exe") == "gorocm" {
		// without it, the cell's error names the missing program
		_ = os.Setenv("PATH", os.Getenv("PATH")+string(os.PathListSeparator)+filepath.Dir(self))
	}
}
