// %get github.com/olekukonko/tablewriter@v0.0.5

package main

import (
	"github.com/olekukonko/tablewriter"
	"os"
)

func main() {
	t := tablewriter.NewWriter(os.Stdout)
	t.SetHeader([]string{"Name", "N"})
	t.Append([]string{"ada", "1"})
	t.Render()
}

// Output:
// +------+---+
// | NAME | N |
// +------+---+
// | ada  | 1 |
// +------+---+
