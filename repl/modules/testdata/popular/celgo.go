// %get cel.dev/cel-go@v0.33.2

package main

import (
	"cel.dev/cel-go/cel"
	"fmt"
)

func main() {
	env, err := cel.NewEnv(cel.Variable("name", cel.StringType))
	if err != nil {
		panic(err)
	}
	ast, iss := env.Compile(`name.startsWith("a") && size(name) == 3`)
	if iss.Err() != nil {
		panic(iss.Err())
	}
	p, err := env.Program(ast)
	if err != nil {
		panic(err)
	}
	out, _, err := p.Eval(map[string]any{"name": "ada"})
	fmt.Println(out, err)
}

// Output:
// true <nil>
