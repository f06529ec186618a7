// Kernels builds the files that are generated from the op table: the code objects for the emulated GPU and those of
// first sessions on others (with clang-19), and docs/ops.md. It is run by go generate in package kernels.
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
	err := errors.Join(build.Write("objects/"+build.Arch), build.WriteFirst("objects/first"))
	if errors.Is(err, build.ErrNoClang) {
		return fmt.Errorf("the code objects were left as they are: %w", err)
	}
	return err
}
