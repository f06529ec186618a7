// %get github.com/fatih/color@v1.19.0

package main

import (
	"fmt"
	"github.com/fatih/color"
)

func main() {
	color.NoColor = false
	fmt.Printf("%q\n", color.New(color.FgRed, color.Bold).Sprintf("red %d", 1))
}

// Output:
// "\x1b[31;1mred 1\x1b[0;22m"
