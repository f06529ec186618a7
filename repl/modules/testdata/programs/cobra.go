// %get github.com/spf13/cobra@v1.10.2

package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
)

func main() {
	var times int
	print := &cobra.Command{
		Use:  "print [string to print]",
		Args: cobra.MinimumNArgs(1),
		Run:  func(cmd *cobra.Command, args []string) { fmt.Println("Print: " + strings.Join(args, " ")) },
	}
	echo := &cobra.Command{
		Use: "times [string to echo]",
		RunE: func(cmd *cobra.Command, args []string) error {
			for range times {
				fmt.Println("Echo: " + strings.Join(args, " "))
			}
			return fmt.Errorf("failed after %d", times)
		},
	}
	echo.Flags().IntVarP(&times, "times", "t", 1, "times to echo the input")
	root := &cobra.Command{Use: "app", SilenceUsage: true}
	root.AddCommand(print, echo)
	root.SetOut(os.Stdout)
	root.SetErr(os.Stdout)
	for _, args := range []string{"print a b", "print", "times -t 2 x", "nosuch"} {
		root.SetArgs(strings.Fields(args))
		fmt.Println(root.Execute())
	}
}

// Output:
// Print: a b
// <nil>
// Error: requires at least 1 arg(s), only received 0
// requires at least 1 arg(s), only received 0
// Echo: x
// Echo: x
// Error: failed after 2
// failed after 2
// Error: unknown command "nosuch" for "app"
// Run 'app --help' for usage.
// unknown command "nosuch" for "app"
