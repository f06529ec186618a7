// %get github.com/RoaringBitmap/roaring/v2@v2.30.0

package main

import (
	"fmt"
	"github.com/RoaringBitmap/roaring/v2"
)

func main() {
	a, b := roaring.BitmapOf(1, 2, 3, 100000), roaring.BitmapOf(3, 100000)
	a.And(b)
	fmt.Println(a, a.GetCardinality())
}

// Output:
// {3,100000} 2
