// %get github.com/fxamacker/cbor/v2@v2.10.0

package main

import (
	"fmt"
	"github.com/fxamacker/cbor/v2"
)

func main() {
	b, err := cbor.Marshal(map[string]int{"a": 1})
	fmt.Printf("%x %v\n", b, err)
	var m map[string]int
	fmt.Println(cbor.Unmarshal(b, &m), m)
}

// Output:
// a1616101 <nil>
// <nil> map[a:1]
