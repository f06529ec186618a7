// %get github.com/oklog/ulid/v2@v2.1.2

package main

import (
	"bytes"
	"fmt"
	"github.com/oklog/ulid/v2"
)

func main() {
	id := ulid.MustNew(1469918176385, bytes.NewReader(make([]byte, 16)))
	fmt.Println(id, id.Time())
}

// Output:
// 01ARYZ6S410000000000000000 1469918176385
