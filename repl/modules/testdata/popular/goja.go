// %get github.com/dop251/goja@v0.0.0-20260917113740-793a2a65c13b

package main

import (
	"fmt"
	"github.com/dop251/goja"
)

func main() {
	vm := goja.New()
	if err := vm.Set("add", func(a, b int) int { return a + b }); err != nil {
		panic(err)
	}
	v, err := vm.RunString("const xs = [3, 1, 2].sort().map(x => add(x, 1)); xs.join('-') + ` ${typeof xs}`")
	fmt.Println(v, err)
}

// Output:
// 2-3-4 object <nil>
