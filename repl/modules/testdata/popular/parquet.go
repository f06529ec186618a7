// %get github.com/parquet-go/parquet-go@v0.32.0

package main

import (
	"bytes"
	"fmt"
	"github.com/parquet-go/parquet-go"
)

type row struct {
	ID   int64
	Name string
	X    float64
}

func main() {
	var b bytes.Buffer
	fmt.Println(parquet.Write(&b, []row{{1, "a", 0.5}, {2, "b", 1.5}}))
	rows, err := parquet.Read[row](bytes.NewReader(b.Bytes()), int64(b.Len()))
	fmt.Println(rows, err)
}

// Output:
// <nil>
// [{1 a 0.5} {2 b 1.5}] <nil>
