// %get github.com/klauspost/compress@v1.20.3

package main

import (
	"bytes"
	"fmt"
	"github.com/klauspost/compress/zstd"
)

func main() {
	e, err := zstd.NewWriter(nil)
	if err != nil {
		panic(err)
	}
	text := bytes.Repeat([]byte("gorocm "), 1000)
	packed := e.EncodeAll(text, nil)
	d, err := zstd.NewReader(nil)
	if err != nil {
		panic(err)
	}
	back, err := d.DecodeAll(packed, nil)
	fmt.Println(len(packed) < 200, bytes.Equal(back, text), err)
}

// Output:
// true true <nil>
