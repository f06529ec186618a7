package repl

import (
	"context"
	"go/ast"
	"go/parser"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/repl/golang/check"
	"golang.org/x/tools/txtar"
)

// elsewhere are the scripts whose output depends on where the code runs.
var elsewhere = map[string]bool{"callers": true, "goroutines": true, "sqlite": true, "vet": true}

// windowCells is how many cells of a script make a session.
const windowCells = 6

// TestSaveModuleScripts: what a session prints, its cells print as a program, or they are refused. The sessions are parts
// of the scripts.
func TestSaveModuleScripts(t *testing.T) {
	thorough.Slow(t)
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go command")
	}
	files, err := filepath.Glob("testdata/script/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	type window struct {
		name  string
		cells []string
	}
	var windows []window
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		a, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if elsewhere[name] || strings.HasPrefix(name, "docs_") || strings.HasPrefix(name, "commands") {
			continue
		}
		var list []string
		for _, f := range a.Files {
			if f.Name == "cell" {
				list = append(list, printsValues(strings.TrimSuffix(string(f.Data), "\n")))
			}
		}
		for i := 0; i < len(list); i += windowCells {
			windows = append(windows, window{name, list[i:min(i+windowCells, len(list))]})
		}
	}
	refused, told := 0, 0
	windows = thorough.Sample(windows, 6, 5) // each is compiled
	for i, w := range windows {
		dir := filepath.Join(t.TempDir(), "saved")
		cells := w.cells
		for { // what a cell has done before it failed is not in the program
			_, good, _ := printed(t, cells)
			if len(good) == len(cells) {
				break
			}
			cells = good
		}
		want, _, wrong := printed(t, append(slices.Clone(cells), "%save "+dir+"/"))
		if strings.HasSuffix(want, again) {
			told++
			continue
		}
		if wrong != nil && !strings.Contains(wrong.Message, "cannot be written as a program") &&
			!strings.Contains(wrong.Message, "there is nothing to save") && !strings.Contains(wrong.Message, "main and statements") {
			t.Errorf("%s %d: %s", w.name, i, wrong.Message)
		}
		mod, _ := os.ReadFile(filepath.Join(dir, "go.mod"))
		if wrong != nil || strings.Contains(string(mod), "require") { // would need to find gorocm's own module
			refused++
			continue
		}
		cmd := exec.Command("go", "build", "-o", filepath.Join(dir, "program"), ".")
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=readonly")
		text, _ := os.ReadFile(filepath.Join(dir, "main.go"))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s %d: %s\n%s", w.name, i, out, text)
			continue
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		cmd = exec.CommandContext(ctx, filepath.Join(dir, "program"))
		cmd.Dir = t.TempDir()
		if got, err := cmd.Output(); string(got) != want {
			t.Errorf("%s %d: %v\n%s\nprints\n%s\nwant\n%s", w.name, i, err, text, got, want)
		}
	}
	t.Logf("%d sessions, %d without a program of the standard library, %d with other declarations", len(windows), refused, told)
}

// printsValues is a cell that shows no value: it prints those that are not results of calls, which may have none.
func printsValues(cell string) string {
	items := check.Split(cell)
	if len(items) == 0 || strings.HasPrefix(cell, "%") || strings.HasPrefix(cell, "!") {
		return cell
	}
	last := items[len(items)-1]
	if last.Kind != check.StmtItem || last.Semicolon {
		return cell
	}
	text := cell[last.Start:last.End]
	if x, err := parser.ParseExpr(text); err == nil {
		if _, isCall := ast.Unparen(x).(*ast.CallExpr); !isCall {
			text = "fmt.Println(" + text + ")"
		}
	}
	return cell[:last.Start] + text + ";" + cell[last.End:]
}

// again stands for the note that %save gives of what is declared again.
const again = "(again)"

// printed runs cells. It returns what they print, those that succeed, and what is wrong with the last one.
func printed(t *testing.T, cells []string) (out string, good []string, wrong *Error) {
	t.Helper()
	s, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	t.Chdir(t.TempDir())
	told := ""
	for _, code := range cells {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		text := ""
		r := s.Eval(ctx, Request{Code: code}, func(e Event) {
			switch {
			case e.Kind == Stream && e.Name == "stdout":
				text += e.Text
			case e.Kind == Notice && strings.HasPrefix(e.Text, "declared again"):
				told = again
			}
		})
		cancel()
		if wrong = r.Err; wrong == nil && !strings.HasPrefix(code, "%save") {
			out, good = out+text, append(good, code)
		}
	}
	return out + told, good, wrong
}
