// %get github.com/rivo/uniseg@v0.4.7

package main

import (
	"fmt"
	"github.com/rivo/uniseg"
)

func main() {
	fmt.Println(uniseg.GraphemeClusterCount("Käse 🇩🇪"), uniseg.StringWidth("世界"))
}

// Output:
// 6 4
