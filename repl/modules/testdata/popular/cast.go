// %get github.com/spf13/cast@v1.10.0

package main

import (
	"fmt"
	"github.com/spf13/cast"
)

func main() {
	fmt.Println(cast.ToInt("12"), cast.ToBool("true"), cast.ToStringSlice([]any{1, "a"}), cast.ToDuration("2s"))
}

// Output:
// 12 true [1 a] 2s
