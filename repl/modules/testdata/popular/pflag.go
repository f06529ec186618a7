// %get github.com/spf13/pflag@v1.1.0

package main

import (
	"fmt"
	"github.com/spf13/pflag"
)

func main() {
	fs := pflag.NewFlagSet("x", pflag.ContinueOnError)
	n := fs.IntP("count", "c", 1, "how many")
	l := fs.StringSlice("list", nil, "some")
	fmt.Println(fs.Parse([]string{"-c3", "--list=a,b", "rest"}), *n, *l, fs.Args())
	fmt.Print(fs.FlagUsages())
}

// Output:
// <nil> 3 [a b] [rest]
//   -c, --count int      how many (default 1)
//       --list strings   some
