package golang

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/repl/golang/library"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "write the output of compiled Go to testdata/programs, and take what passes off the lists of what fails")

const (
	programsDir = "testdata/programs"
	failingList = programsDir + "/failing.txt"
)

// A program is a section NAME.go of testdata/programs/TOPIC.txtar. NAME.out is what it prints on stdout as compiled Go,
// and NAME.exit its exit status, where that is not 0.
type program struct {
	name, src, out string
	exit           int
}

// TestPrograms runs programs and compares what they print with what they print as compiled Go. There are three ways to
// run one: the whole program as one cell, the same under the debugger, and each of its declarations as a cell of its own.
// All end with a cell main(). A run that is not thorough tries every other program in one or two ways, with -short one
// program in eight.
func TestPrograms(t *testing.T) {
	thorough.Slow(t)
	files, err := filepath.Glob(programsDir + "/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no programs", err)
	}
	lib, err := library.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	failing := readFailing(t, failingList)
	for n, file := range files {
		topic := strings.TrimSuffix(filepath.Base(file), ".txtar")
		t.Run(topic, func(t *testing.T) {
			if *update {
				regenerate(t, file)
			}
			for i, p := range readPrograms(t, file) {
				ways := []string{"whole", "cells", "stepped"}
				if thorough.Race { // the debugger reads variables that other goroutines write
					ways = ways[:2]
				}
				if !*update {
					ways = thorough.Sample(ways, 2, i/2)
				}
				if !thorough.On() && (n+i)%4 != 0 && !*update || thorough.Short() && (n+i)%8 != 0 {
					continue
				}
				t.Run(p.name, func(t *testing.T) {
					for _, way := range ways {
						t.Run(way, func(t *testing.T) {
							failing.run(t, topic+"/"+p.name+"/"+way, p.runAs(way, lib))
						})
					}
				})
			}
		})
	}
	if *update {
		failing.write(t)
	}
}

// runAs runs the whole program as one cell, also under the debugger, or each declaration as a cell of its own.
func (p program) runAs(way string, lib *library.Library) error {
	if way == "whole" {
		return p.run([]string{strings.Replace(p.src, "package main", "", 1)})
	}
	if way == "stepped" {
		return p.run([]string{strings.Replace(p.src, "package main", "", 1)}, stepped)
	}
	cells, err := typedCells(lib, p.src)
	if err != nil {
		return err
	}
	return p.run(cells)
}

// run evaluates cells and then main() in a session of their own. It says what differs from compiled Go.
func (p program) run(cells []string, prepare ...func(*Engine)) error {
	got, exit, fails := evaluate(append(cells, "main()"), prepare...)
	if p.exit == 0 && fails != nil {
		return fails
	}
	g, w := strings.Split(got, "\n"), strings.Split(p.out, "\n")
	for i := range max(len(g), len(w)) {
		if i >= len(g) || i >= len(w) || g[i] != w[i] {
			return fmt.Errorf("line %d: got %q, want %q", i+1, g[min(i, len(g)):min(i+1, len(g))],
				w[min(i, len(w)):min(i+1, len(w))])
		}
	}
	switch {
	case p.exit == 2 && fails == nil:
		return errors.New("compiled Go panics")
	case p.exit != 2 && p.exit != exit:
		return fmt.Errorf("exit status %d, want %d", exit, p.exit)
	}
	return nil
}

// evaluate runs cells in a session whose output, os.Stdout's too, is one file. prepare may set the session up.
func evaluate(cells []string, prepare ...func(*Engine)) (stdout string, exit int, fails error) {
	dir, err := os.MkdirTemp("", "programs")
	if err != nil {
		return "", 0, err
	}
	defer os.RemoveAll(dir)
	f, err := os.OpenFile(filepath.Join(dir, "stdout"), os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
	if err != nil {
		return "", 0, err
	}
	defer f.Close()
	saved := os.Stdout
	os.Stdout = f
	defer func() { os.Stdout = saved }()
	e, err := New(Options{Stdout: f})
	if err != nil {
		return "", 0, err
	}
	for _, f := range prepare {
		f(e)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for i, code := range cells {
		out := e.Eval(ctx, i+1, code)
		if out.Exit != nil {
			exit = *out.Exit
			break
		}
		if out.Failure != nil {
			fails = fmt.Errorf("%s: %s %v\ncell %d:\n%s", out.Failure.Name, out.Failure.Message, out.Failure.Frames,
				i+1, code)
			break
		}
	}
	b, err := os.ReadFile(f.Name())
	if err != nil {
		return "", 0, err
	}
	return string(b), exit, fails
}

func readPrograms(t *testing.T, file string) []program {
	t.Helper()
	a, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	data := map[string]string{}
	for _, f := range a.Files {
		if _, twice := data[f.Name]; twice {
			t.Fatalf("%s has two sections %s", file, f.Name)
		}
		data[f.Name] = string(f.Data)
	}
	var r []program
	for _, f := range a.Files {
		name, ok := strings.CutSuffix(f.Name, ".go")
		if !ok {
			continue
		}
		out, ok := data[name+".out"]
		if !ok {
			t.Fatalf("%s: %s has no output: go test ./repl/golang -run TestPrograms -update", file, f.Name)
		}
		p := program{name: name, src: data[f.Name], out: out}
		p.exit, _ = strconv.Atoi(strings.TrimSpace(data[name+".exit"]))
		r = append(r, p)
	}
	return r
}

// regenerate compiles the programs of an archive in one go and writes what they print.
func regenerate(t *testing.T, file string) {
	t.Helper()
	a, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name string, data []byte) {
		name = filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, data, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", []byte("module programs\n\ngo 1.26\n"))
	for _, f := range a.Files {
		if name, ok := strings.CutSuffix(f.Name, ".go"); ok {
			write(filepath.Join(name, "main.go"), f.Data)
		}
	}
	bin := filepath.Join(dir, "bin")
	build := exec.Command("go", "build", "-ldflags=-s -w", "-o", bin+string(filepath.Separator), "./...")
	build.Dir = dir
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	r := &txtar.Archive{Comment: a.Comment}
	for _, f := range a.Files {
		name, ok := strings.CutSuffix(f.Name, ".go")
		if !ok {
			continue
		}
		out, err := exec.Command(filepath.Join(bin, name)).Output()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		if len(out) > 0 && out[len(out)-1] != '\n' || bytes.Contains(out, []byte("\n-- ")) {
			t.Fatalf("%s: an archive cannot hold this output exactly", f.Name)
		}
		r.Files = append(r.Files, f, txtar.File{Name: name + ".out", Data: out})
		if exit != nil {
			r.Files = append(r.Files, txtar.File{Name: name + ".exit",
				Data: []byte(strconv.Itoa(exit.ExitCode()) + "\n")})
		}
	}
	if err := os.WriteFile(file, txtar.Format(r), 0o644); err != nil {
		t.Fatal(err)
	}
}

// failingTests is a list of tests that fail, each with the reason. What is on it must fail, so it can only shrink.
type failingTests struct {
	file    string
	head    []string          // comments
	reasons map[string]string // those that are listed
	passed  map[string]bool   // those of them that pass
}

func readFailing(t *testing.T, file string) *failingTests {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	f := &failingTests{file: file, reasons: map[string]string{}, passed: map[string]bool{}}
	for line := range strings.Lines(string(b)) {
		line = strings.TrimSuffix(line, "\n")
		if name, reason, _ := strings.Cut(line, " "); line != "" && name != "#" {
			f.reasons[name] = reason
		} else if line != "" {
			f.head = append(f.head, line)
		}
	}
	return f
}

// run judges one test by its error and by the list.
func (f *failingTests) run(t *testing.T, name string, err error) {
	t.Helper()
	_, listed := f.reasons[name]
	switch {
	case err == nil && listed && *update:
		f.passed[name] = true
	case err == nil && listed:
		t.Errorf("it passes: take %s off %s", name, f.file)
	case err != nil && !listed:
		t.Error(err)
	case err != nil:
		t.Skipf("listed in %s: %v", f.file, err)
	}
}

// write leaves on the list what did not pass.
func (f *failingTests) write(t *testing.T) {
	t.Helper()
	lines := slices.Clone(f.head)
	for _, name := range slices.Sorted(maps.Keys(f.reasons)) {
		if !f.passed[name] {
			lines = append(lines, strings.TrimRight(name+" "+f.reasons[name], " "))
		}
	}
	if err := os.WriteFile(f.file, []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
}
