// %get github.com/Masterminds/sprig/v3@v3.3.0

package main

import (
	"github.com/Masterminds/sprig/v3"
	"os"
	"text/template"
)

func main() {
	t := template.Must(template.New("").Funcs(sprig.TxtFuncMap()).Parse("{{ .x | upper | repeat 2 }} {{ list 1 2 3 | join \"-\" }} {{ dict \"a\" 1 | toJson }}\n"))
	if err := t.Execute(os.Stdout, map[string]any{"x": "ab"}); err != nil {
		panic(err)
	}
}

// Output:
// ABAB 1-2-3 {"a":1}
