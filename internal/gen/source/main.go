// Command source prints the -ldflags by which gorocm knows its source: that it is in the current folder, or, for a
// release, that it is a version of gorocm's module. Target is the system and processor of the program that gets them.
//
//	source [-version v1.2.3] [-target linux/arm64]
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"github.com/gorocm/gorocm/repl/modules/compiled"
)

func main() {
	version := flag.String("version", "", "the version of a release")
	target := flag.String("target", "", "system/processor, this machine's unless given")
	flag.Parse()
	dir, err := os.Getwd()
	if err == nil {
		var flags string
		if flags, err = compiled.LinkerFlags(context.Background(), dir, *version, *target); err == nil {
			fmt.Println(flags)
			return
		}
	}
	fmt.Fprintln(os.Stderr, "source:", err)
	os.Exit(1)
}
