// Kernels builds the files that are generated from the op table: the code objects for the emulated GPU (with clang-19)
// and docs/ops.md. It is run by go generate in package kernels.
package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/gorocm/gorocm/internal/gen/kernels/build"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "kernels:", err)
		os.Exit(1)
	}
}

func run() error {
	if err := os.WriteFile("../docs/ops.md", []byte(build.OpsPage()), 0o644); err != nil {
		return err
	}
	err := build.Write("objects/" + build.Arch)
	if errors.Is(err, build.ErrNoClang) {
		return fmt.Errorf("the code objects were left as they are: %w", err)
	}
	return err
}
