// %get github.com/gobwas/glob@v1.1.0

package main

import (
	"fmt"
	"github.com/gobwas/glob"
)

func main() {
	g := glob.MustCompile("*.{go,mod}")
	fmt.Println(g.Match("a.go"), g.Match("a.txt"))
}

// Output:
// true false
