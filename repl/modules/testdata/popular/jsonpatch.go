// %get github.com/evanphx/json-patch/v5@v5.9.11

package main

import (
	"fmt"
	jsonpatch "github.com/evanphx/json-patch/v5"
)

func main() {
	p, err := jsonpatch.DecodePatch([]byte(`[{"op": "replace", "path": "/a", "value": 2}, {"op": "remove", "path": "/b"}]`))
	if err != nil {
		panic(err)
	}
	out, err := p.Apply([]byte(`{"a": 1, "b": 3}`))
	fmt.Println(string(out), err)
}

// Output:
// {"a":2} <nil>
