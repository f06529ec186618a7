package repl

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// plain is output without what a session shows and Println does not: quotes, and commas between values.
func plain(text string) string { return strings.NewReplacer(`"`, "", ",", "").Replace(text) }

// TestSave saves sessions as programs, which must pass vet, and print what the session has printed. A session is an archive of
// cells in testdata/save; "program" is what it becomes, "output" what both print. A cell whose name begins with
// "fails" does; one called dropped is left out of the program, because it needs what a failed cell has defined.
func TestSave(t *testing.T) {
	files, err := filepath.Glob("testdata/save/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no sessions", err)
	}
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	for i := range files {
		if files[i], err = filepath.Abs(files[i]); err != nil {
			t.Fatal(err)
		}
	}
	module := t.TempDir()
	got := map[string]*txtar.Archive{}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		a, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		dir := filepath.Join(module, name)
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			s, err := New(Options{Version: "v1.2.3"})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			var out strings.Builder
			show := func(e Event) {
				switch e.Kind {
				case Stream:
					out.WriteString(e.Text)
				case Result, Display:
					out.WriteString(e.Data.Text() + "\n")
				}
			}
			r := &txtar.Archive{Comment: a.Comment}
			for _, f := range a.Files {
				if f.Name == "program" || f.Name == "output" || f.Name == "notes" {
					continue
				}
				r.Files = append(r.Files, f)
				see := show
				if f.Name == "dropped" {
					see = func(Event) {}
				} else if strings.HasPrefix(string(f.Data), "%") { // what commands print is not the program's
					see = func(e Event) {
						if e.Kind == Result {
							show(e)
						}
					}
				}
				if reply := s.Eval(context.Background(), Request{Code: string(f.Data)}, see); reply.Err != nil && !strings.HasPrefix(f.Name, "fails") {
					t.Fatalf("%s\n%s", f.Data, reply.Err.Text(false))
				} else if reply.Err == nil && strings.HasPrefix(f.Name, "fails") {
					t.Fatalf("%s\ndoes not fail", f.Data)
				}
			}
			var notes strings.Builder
			reply := s.Eval(context.Background(), Request{Code: "%save " + filepath.Join(dir, "main.go")}, func(e Event) {
				if e.Kind == Notice {
					fmt.Fprintln(&notes, e.Text)
				}
			})
			if reply.Err != nil {
				text, _, _ := s.programOf(s.ran)
				t.Fatalf("%s\n%s", reply.Err.Text(false), text)
			}
			text, err := os.ReadFile(filepath.Join(dir, "main.go"))
			if err != nil {
				t.Fatal(err)
			}
			if notes.Len() > 0 {
				r.Files = append(r.Files, txtar.File{Name: "notes", Data: []byte(notes.String())})
			}
			r.Files = append(r.Files, txtar.File{Name: "program", Data: text}, txtar.File{Name: "output", Data: []byte(out.String())})
			got[name] = r
			if *update {
				if err := os.WriteFile(file, txtar.Format(r), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if g, w := string(txtar.Format(r)), string(txtar.Format(a)); g != w {
				t.Errorf("got:\n%s\nwant:\n%s", g, w)
			}
		})
	}
	if t.Failed() {
		return
	}
	goTool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("the go tool is not in PATH: ", err)
	}
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	// The requirements of this module, so that nothing needs to be found out or downloaded.
	_, requires, _ := strings.Cut(string(mod), "\n")
	for name, content := range map[string]string{
		"go.mod": "module session\n" + requires + fmt.Sprintf("\nrequire %s v0.0.0\n\nreplace %[1]s => %s\n", modulePath, root),
		"go.sum": string(sum),
	} {
		if err := os.WriteFile(filepath.Join(module, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	run := func(args ...string) (string, error) {
		cmd := exec.Command(goTool, args...)
		cmd.Dir = module
		cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if out, err := run("vet", "./..."); err != nil {
		t.Errorf("go vet: %v\n%s", err, out)
	}
	bin := filepath.Join(module, "bin") + string(filepath.Separator)
	if err := os.Mkdir(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	if out, err := run("build", "-o", bin, "./..."); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	for name, a := range got {
		cmd := exec.Command(bin + name)
		cmd.Dir = t.TempDir()
		out, err := cmd.CombinedOutput()
		want := string(a.Files[len(a.Files)-1].Data)
		if err != nil || plain(string(out)) != plain(want) {
			t.Errorf("%s: %v\nthe program prints\n%s\nthe session printed\n%s", name, err, out, want)
		}
	}
}
