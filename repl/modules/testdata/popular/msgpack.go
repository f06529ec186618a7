// %get github.com/vmihailenco/msgpack/v5@v5.4.1

package main

import (
	"fmt"
	"github.com/vmihailenco/msgpack/v5"
)

func main() {
	type item struct {
		Name string `msgpack:"n"`
		List []int
	}
	b, err := msgpack.Marshal(item{"a", []int{1, 2}})
	fmt.Printf("%x %v\n", b, err)
	var back item
	fmt.Println(msgpack.Unmarshal(b, &back), back)
}

// Output:
// 82a16ea161a44c697374920102 <nil>
// <nil> {a [1 2]}
