package repl

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestGet uses a module in a folder, which needs no network.
func TestGet(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go command")
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":            "module example.com/zoo\n\ngo 1.21\n",
		"note.txt":          "do not feed",
		"cage/cage.go":      "package cage\n\nimport \"example.com/zoo/internal/key\"\n\nfunc Open() string { return key.Key }\n",
		"internal/key/k.go": "package key\n\nvar Key = make()\n\nfunc make() string { return \"golden\" }\n",
		"zoo.go": `// Package zoo has animals.
package zoo

import (
	_ "embed"
	"fmt"
	"strings"
)

//go:embed note.txt
var Note string

// Animal is one of them.
type Animal struct {
	Name string ` + "`json:\"name\"`" + `
	legs int
}

var made = 0

func init() { made = 10 }

// New makes an animal.
func New(name string, legs int) *Animal {
	made++
	return &Animal{name, legs}
}

func (a *Animal) String() string { return fmt.Sprintf("%s on %d legs", a.Name, a.legs) }

func (a Animal) Fall() { panic(a.Name + " fell") }

func Made() int { return made }

func Map[T, U any](list []T, f func(T) U) (r []U) {
	for _, x := range list {
		r = append(r, f(x))
	}
	return r
}

func Shout(s fmt.Stringer) string { return strings.ToUpper(s.String()) }
`,
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s, err := New(Options{Modules: filepath.Join(t.TempDir(), "session")})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, tt := range []struct{ code, want string }{
		{"import \"example.com/zoo\"", "ImportError: no module has been added that has package example.com/zoo"},
		{"%get", "CommandError: "},
		{"%get fmt", "ImportError: fmt is not a module path"},
		{"%get " + dir, "example.com/zoo in " + dir + ": 2 packages, example.com/zoo, example.com/zoo/cage\n"},
		{"import \"example.com/zoo\"\na := zoo.New(\"ibis\", 2)\na", "ibis on 2 legs"},
		{"fmt.Printf(\"%v %+v %T\\n\", a, *a, a)", "ibis on 2 legs {Name:ibis legs:2} *zoo.Animal\n"},
		{"zoo.Shout(a)", `"IBIS ON 2 LEGS"`},
		{"zoo.Made()", "11"},
		{"zoo.Note", `"do not feed"`},
		{"b, err := json.Marshal(a)\nstring(b)", `"{\"name\":\"ibis\"}"`},
		{"zoo.Map([]int{1, 2}, func(i int) string { return strings.Repeat(\"x\", i) })", `["x" "xx"]`},
		{"type dog struct{ zoo.Animal }\nd := dog{*a}\nd.Fall()", "Panic: ibis fell"},
		{"a.legs", "TypeError: a.legs undefined (cannot refer to unexported field legs)"},
		{"import \"example.com/zoo/cage\"\ncage.Open()", `"golden"`},
		{"import \"example.com/zoo/lake\"", "ImportError: "},
		{"%reset", "everything is forgotten"},
		{"import \"example.com/zoo\"\nzoo.Made()", "10"},
	} {
		out, r := run(t, s, tt.code)
		if r.Err != nil {
			out = r.Err.Name + ": " + r.Err.Message
		}
		if !strings.HasPrefix(out, tt.want) {
			t.Errorf("%s:\n%s\nwant %s", tt.code, out, tt.want)
		}
	}
}
