// %get github.com/Masterminds/sprig/v3@v3.3.0

package main

import (
	"bytes"
	"fmt"
	"github.com/Masterminds/sprig/v3"
	"text/template"
)

func main() {
	t := template.Must(template.New("").Funcs(sprig.TxtFuncMap()).Parse("{{ .x | upper | repeat 2 }} {{ list 1 2 3 | join \"-\" }} {{ dict \"a\" 1 | toJson }}\n"))
	var out bytes.Buffer
	err := t.Execute(&out, map[string]any{"x": "ab"})
	fmt.Print(out.String(), err, "\n")
}

// Output:
// ABAB 1-2-3 {"a":1}
// <nil>
