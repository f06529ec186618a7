// %get github.com/hashicorp/golang-lru/v2@v2.0.7

package main

import (
	"fmt"
	lru "github.com/hashicorp/golang-lru/v2"
)

func main() {
	c, err := lru.New[string, int](2)
	c.Add("a", 1)
	c.Add("b", 2)
	c.Add("c", 3)
	fmt.Println(c.Keys(), err)
}

// Output:
// [b c] <nil>
