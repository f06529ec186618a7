package modules_test

import (
	"errors"
	"fmt"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/repl/modules"
)

// A program is a Go program of testdata/programs or testdata/popular: which modules it needs, and what it prints when it
// is compiled.
type program struct {
	file   string
	get    []string
	output string
}

func programs(t *testing.T, folder string) []program {
	t.Helper()
	files, err := filepath.Glob("testdata/" + folder + "/*.go")
	if err != nil || len(files) == 0 {
		t.Fatal("no programs", err)
	}
	var r []program
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		first, _, _ := strings.Cut(string(text), "\n")
		get, ok := strings.CutPrefix(first, "// %get ")
		_, output, found := strings.Cut(string(text), "\n// Output:\n")
		if !ok || !found {
			t.Fatalf("%s lacks what it needs or prints", file)
		}
		var lines []string
		for line := range strings.Lines(output) {
			lines = append(lines, strings.TrimPrefix(strings.TrimPrefix(strings.TrimRight(line, "\n"), "//"), " "))
		}
		r = append(r, program{file, strings.Fields(get), strings.Join(lines, "\n") + "\n"})
	}
	return r
}

// fetch gets what a program needs from where the user's GOPROXY says.
func fetch(t *testing.T, dir string, p program) {
	t.Helper()
	for _, module := range p.get {
		if _, err := modules.Get(t.Context(), dir, module, nil); err != nil {
			var e *modules.Error
			if errors.As(err, &e) && strings.Contains(e.Message, "cannot be downloaded") {
				t.Skip("offline: ", e.Message)
			}
			t.Fatal(err)
		}
	}
}

// TestPrograms compiles the programs, to see that they print what they say: those of testdata/popular for .ci/modules
// only.
func TestPrograms(t *testing.T) {
	needGo(t)
	if testing.Short() {
		t.Skip("needs the network, and compiles")
	}
	list := thorough.Sample(programs(t, "programs"), 4, 1)
	if os.Getenv("GOROCM_TEST_MODULES") != "" {
		list = append(list, programs(t, "popular")...)
	}
	for _, p := range list {
		t.Run(filepath.Base(p.file), func(t *testing.T) {
			dir := t.TempDir()
			fetch(t, dir, p)
			file, err := filepath.Abs(p.file)
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), "go", "run", "-mod=mod", file)
			cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off", "CGO_ENABLED=0")
			out, err := cmd.Output()
			if err != nil || string(out) != p.output {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// TestExamples checks the packages that the programs need, which a session is expected to run, and tells what they
// consist of.
func TestExamples(t *testing.T) {
	needGo(t)
	if testing.Short() {
		t.Skip("needs the network")
	}
	lib := newStd()
	dir := t.TempDir()
	for _, p := range thorough.Sample(programs(t, "programs"), 4, 1) {
		path, _, _ := strings.Cut(p.get[0], "@")
		t.Run(path, func(t *testing.T) {
			fetch(t, dir, p)
			start := time.Now()
			pkgs, err := modules.Load(t.Context(), dir, path, known)
			if err != nil {
				t.Fatal(err)
			}
			load := time.Since(start)
			for _, p := range pkgs {
				for _, i := range p.Imports {
					if i != "unsafe" && known(i) {
						if _, err := lib.Import(i); err != nil {
							t.Fatal(err)
						}
					}
				}
			}
			start = time.Now()
			fset := token.NewFileSet()
			checked, err := modules.Check(fset, pkgs, lib)
			if err != nil {
				t.Fatal(err)
			}
			check := time.Since(start)
			lines, obstacles, unsafe := 0, []string{}, []string{}
			for _, c := range checked {
				for _, f := range c.Syntax {
					lines += fset.File(f.Pos()).LineCount()
				}
				for _, o := range c.Obstacles {
					obstacles = append(obstacles, fmt.Sprintf("%s: %v (stand-in: %v)", c.Path, o, o.StandIn))
				}
				for _, i := range c.Imports {
					if i == "unsafe" {
						unsafe = append(unsafe, c.Path)
					}
				}
			}
			last := checked[len(checked)-1]
			if last.Path != path || !last.Types.Complete() {
				t.Errorf("the last package is %s, complete %v", last.Path, last.Types.Complete())
			}
			if len(obstacles) > 0 {
				t.Errorf("obstacles:\n%s", strings.Join(obstacles, "\n"))
			}
			t.Logf("%s: %d packages, %d lines, listed in %v, checked in %v, unsafe in %v", last.Version, len(checked),
				lines, load.Round(time.Millisecond), check.Round(time.Millisecond), unsafe)
		})
	}
}

// TestPopularPage: docs/popular-modules.md has a row for each program, with its modules at their versions and a reason.
func TestPopularPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/popular-modules.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]string{}
	for line := range strings.Lines(string(page)) {
		if cells := strings.Split(line, "|"); len(cells) > 3 {
			rows[strings.TrimSpace(cells[1])] = strings.TrimSpace(cells[2])
		}
	}
	for _, dir := range []string{"popular", "programs"} {
		for _, p := range programs(t, dir) {
			text, err := os.ReadFile(p.file)
			if err != nil {
				t.Fatal(err)
			}
			first, _, _ := strings.Cut(strings.TrimPrefix(string(text), "// %get "), "\n")
			if list := "`" + strings.Join(strings.Fields(first), "` `") + "`"; rows[list] == "" {
				t.Errorf("%s: the page has no row | %s | reason", p.file, list)
			}
		}
	}
}
