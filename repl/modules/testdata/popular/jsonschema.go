// %get github.com/santhosh-tekuri/jsonschema/v5@v5.3.1

package main

import (
	"fmt"
	"github.com/santhosh-tekuri/jsonschema/v5"
)

func main() {
	s, err := jsonschema.CompileString("s.json", `{"type": "object", "required": ["n"], "properties": {"n": {"type": "integer", "minimum": 1}}}`)
	fmt.Println(err)
	fmt.Println(s.Validate(map[string]any{"n": 2.0}), s.Validate(map[string]any{"n": 0.0}) != nil, s.Validate(map[string]any{}) != nil)
}

// Output:
// <nil>
// <nil> true true
