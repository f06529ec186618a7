// %get github.com/expr-lang/expr@v1.17.8

package main

import (
	"fmt"
	"github.com/expr-lang/expr"
)

func main() {
	env := map[string]any{"greet": "hi", "names": []string{"ada"}}
	p, err := expr.Compile(`greet + ", " + names[0] + string(1+2*3)`, expr.Env(env))
	fmt.Println(err)
	fmt.Println(expr.Run(p, env))
}

// Output:
// <nil>
// hi, ada7 <nil>
