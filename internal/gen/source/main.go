// Command source prints the -ldflags by which gorocm knows the folder of its source, which is the current one.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/gorocm/gorocm/repl/modules/compiled"
)

func main() {
	dir, err := os.Getwd()
	if err == nil {
		var flags string
		if flags, err = compiled.LinkerFlags(context.Background(), dir); err == nil {
			fmt.Println(flags)
			return
		}
	}
	fmt.Fprintln(os.Stderr, "source:", err)
	os.Exit(1)
}
