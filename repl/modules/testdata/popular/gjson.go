// %get github.com/tidwall/gjson@v1.20.1

package main

import (
	"fmt"
	"github.com/tidwall/gjson"
)

func main() {
	fmt.Println(gjson.Get(`{"a": {"b": [1, 2, 3]}}`, "a.b.#"), gjson.Get(`{"a": {"b": [1, 2, 3]}}`, "a.b.1"))
}

// Output:
// 3 2
