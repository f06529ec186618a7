// %get github.com/google/btree@v1.1.3

package main

import (
	"fmt"
	"github.com/google/btree"
)

func main() {
	t := btree.NewOrderedG[int](3)
	for i := range 20 {
		t.ReplaceOrInsert(i * 7 % 20)
	}
	t.AscendRange(5, 9, func(n int) bool { fmt.Print(n, " "); return true })
	fmt.Println(t.Len())
}

// Output:
// 5 6 7 8 20
