// %get github.com/google/go-cmp@v0.7.0

package main

import (
	"fmt"
	"github.com/google/go-cmp/cmp"
	"strings"
)

type point struct{ X, Y int }

func main() {
	d := cmp.Diff([]point{{1, 2}}, []point{{1, 3}})
	fmt.Println(strings.Contains(d, "+"), cmp.Equal(point{1, 2}, point{1, 2}))
}

// Output:
// true true
