// %get github.com/davecgh/go-spew@v1.1.1

package main

import (
	"fmt"
	"github.com/davecgh/go-spew/spew"
)

func main() {
	type point struct{ X, y int }
	fmt.Print(spew.Sdump(map[string]any{"p": point{1, 2}}))
	fmt.Println(spew.Sprintf("%+v", []point{{3, 4}}))
}

// Output:
// (map[string]interface {}) (len=1) {
//  (string) (len=1) "p": (main.point) {
//   X: (int) 1,
//   y: (int) 2
//  }
// }
// [{X:3 y:4}]
