package lower

import "testing"

// TestAlias: no two packages have the same name inside yaegi, not even errors, whose path is its name, and a module's
// package errors that is compiled into the program.
func TestAlias(t *testing.T) {
	st := &State{Imported: map[string]string{"github.com/pkg/errors": "errorsʹ"}}
	here := map[string]string{"example.com/a/log": "logʹ"}
	seen := map[string]string{"errorsʹ": "github.com/pkg/errors", "logʹ": "example.com/a/log"}
	for _, path := range []string{"errors", "log", "example.com/errors", "example.com/b/log", "fmt"} {
		name := path[len(path)-len("log"):]
		if path == "errors" || path == "example.com/errors" {
			name = "errors"
		}
		a := st.alias(path, name, here)
		if other := seen[a]; other != "" {
			t.Errorf("%s has the name of %s: %s", path, other, a)
		}
		seen[a], here[path] = path, a
	}
	if a := st.alias("github.com/pkg/errors", "errors", here); a != "errorsʹ" {
		t.Error(a)
	}
}
