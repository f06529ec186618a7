package golang

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/repl/modules"
)

// TestThirdParty runs the programs of package modules, which print in a session what they print when they are compiled.
func TestThirdParty(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go command")
	}
	if testing.Short() {
		t.Skip("needs the network")
	}
	files, err := filepath.Glob("../modules/testdata/programs/*.go")
	if err != nil || len(files) == 0 {
		t.Fatal("no programs", err)
	}
	for _, file := range thorough.Sample(files, 7, 0) {
		t.Run(filepath.Base(file), func(t *testing.T) { compareProgram(t, file) })
	}
}

// compareProgram runs a program in a session, and compares what it prints with what it prints when it is compiled.
func compareProgram(t *testing.T, file string) {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	program, output, _ := strings.Cut(string(text), "\n// Output:\n")
	get, program, _ := strings.Cut(strings.TrimPrefix(program, "// %get "), "\n\npackage main\n")
	want := ""
	for line := range strings.Lines(output) {
		want += strings.TrimPrefix(strings.TrimPrefix(line, "//"), " ")
	}
	var out bytes.Buffer
	e, err := New(Options{Stdout: &out, Stderr: &out, Modules: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := e.Get(t.Context(), get, nil); err != nil {
		var me *modules.Error
		if errors.As(err, &me) && strings.Contains(me.Message, "cannot be downloaded") {
			t.Skip("offline: ", me.Message)
		}
		t.Fatal(err)
	}
	for i, cell := range []string{program, "main()"} {
		if f := e.Eval(context.Background(), i+1, cell).Failure; f != nil {
			t.Fatalf("%s: %s %v %v\n%s", f.Name, f.Message, f.Frames, f.Notes, out.String())
		}
	}
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
}

// TestDotImportAgain: a cell that imports a package with a dot runs again.
func TestDotImportAgain(t *testing.T) {
	e, _ := newEngine(t)
	for range 2 {
		if got := value(t, e, "import . \"math\"\nfunc root(x float64) float64 { return Sqrt(x) }\nroot(4)"); got != "2 float64" {
			t.Error(got)
		}
	}
	if got := value(t, e, "import . `math`\nCbrt(8) + root(Sqrt(16))"); got != "4 float64" {
		t.Error(got)
	}
}
