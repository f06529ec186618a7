// %get github.com/agnivade/levenshtein@v1.2.2

package main

import (
	"fmt"
	"github.com/agnivade/levenshtein"
)

func main() {
	fmt.Println(levenshtein.ComputeDistance("kitten", "sitting"))
}

// Output:
// 3
