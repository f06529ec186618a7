//go:build unix

package worker

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/repl"
	"github.com/gorocm/gorocm/repl/modules/compiled"
	"github.com/gorocm/gorocm/repl/modules/modulestest"
)

const movedArchive = `
-- example.com/m@v1.0.0/m.go --
package m

var n = 0

func Next() int { n++; return n }
`

// movedTest prepares a program for sessions that import example.com/m: this test program, or a script.
func movedTest(t *testing.T, script string) (self, dir, program string) {
	t.Helper()
	t.Setenv("TEST_SOURCE_SUM", "sum")
	compiled.Use("", "sum")
	t.Cleanup(func() { compiled.Use("", "") })
	dir = modulestest.World(t, movedArchive)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := movedSession(t, self, dir)
	if got := evalMoved(t, c, "%get example.com/m\nimport \"example.com/m\"\nm.Next()"); !strings.HasSuffix(got, "[1]") {
		t.Fatal(got)
	}
	if c.p.cmd.Path != self {
		t.Fatal("there is no other program yet")
	}
	roots := []string{"example.com/m"}
	key := compiled.Key(dir, roots)
	folder, err := compiled.Prepare(dir, compiled.Folder(dir), key, roots)
	if err != nil {
		t.Fatal(err)
	}
	made := filepath.Join(folder, "made")
	if script == "" {
		data, err := os.ReadFile(self)
		if err != nil {
			t.Fatal(err)
		}
		script = string(data)
	}
	if err := os.WriteFile(made, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := compiled.Put(folder, key, made, roots); err != nil {
		t.Fatal(err)
	}
	program, _ = compiled.Find(compiled.Folder(dir), key)
	if program == "" {
		t.Fatal("the program is not found")
	}
	return self, dir, program
}

func movedSession(t *testing.T, self, dir string) *Client {
	t.Helper()
	c, err := Start(Options{Command: []string{self, "serve-worker"}, Version: "test", Modules: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// evalMoved runs a cell and returns what it shows.
func evalMoved(t *testing.T, c *Client, code string) string {
	t.Helper()
	var l log
	reply := c.Eval(t.Context(), repl.Request{Code: code}, l.sink)
	if reply.Err != nil {
		t.Fatalf("%s: %v", code, reply.Err.Text(false))
	}
	if reply.Lost || reply.Moved != nil {
		t.Fatalf("%s: %+v", code, reply)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.TrimSpace(l.b.String())
}

// TestMoved has a session go on in another program, which runs its imports again and nothing twice.
func TestMoved(t *testing.T) {
	thorough.Slow(t)
	self, dir, program := movedTest(t, "")
	c := movedSession(t, self, dir)
	evalMoved(t, c, "import \"fmt\"")
	const cell = "%get example.com/m\n// the module\nimport \"example.com/m\"\nfmt.Println(\"once\")\nm.Next()"
	got := evalMoved(t, c, cell)
	if c.p.cmd.Path != program {
		t.Errorf("the session is in %s", c.p.cmd.Path)
	}
	if strings.Count(got, "once") != 1 || strings.Count(got, "example.com/m v1.0.0") != 1 || !strings.HasSuffix(got, "[1]") {
		t.Errorf("%q", got)
	}
	if c.count != 2 || c.past.Len() != 2 {
		t.Errorf("%d cells, %d past", c.count, c.past.Len())
	}
	if got := evalMoved(t, c, "fmt.Sprint(m.Next())"); got != `["2"]` {
		t.Error(got)
	}
	if got := evalMoved(t, c, "%history"); !strings.Contains(got, "import \"fmt\"") || strings.Count(got, "once") != 1 {
		t.Error(got)
	}
}

// TestMovedTimed has %time tell of an import in another program, with what it took to get there.
func TestMovedTimed(t *testing.T) {
	thorough.Slow(t)
	self, dir, program := movedTest(t, "")
	for _, cell := range []string{"%time import \"example.com/m\"", "%%time\nimport (\n\t\"fmt\"\n\t\"example.com/m\"\n)"} {
		c := movedSession(t, self, dir)
		start := time.Now()
		got := evalMoved(t, c, "%get example.com/m\n"+cell)
		took := time.Since(start)
		if c.p.cmd.Path != program {
			t.Errorf("%s: the session is in %s", cell, c.p.cmd.Path)
		}
		_, wall, found := strings.Cut(got, "Wall time: ")
		told, err := time.ParseDuration(strings.ReplaceAll(wall, " ", ""))
		if !found || strings.Count(got, "Wall time") != 1 || err != nil || told > took || told <= 0 {
			t.Errorf("%s took %v: %q", cell, took, got)
		}
		if got := evalMoved(t, c, "m.Next()"); got != "[1]" {
			t.Error(got)
		}
	}
}

// TestNotMoved checks that a session stays where it is once it has done anything but imports.
func TestNotMoved(t *testing.T) {
	thorough.Slow(t)
	self, dir, _ := movedTest(t, "")
	for _, first := range []string{"x := 1", "func f() int { return 1 }", "%cd /", "!true", "import \"fmt\"\nfmt.Println()",
		"%env A=b", "1 + 1", "%time x := 1"} {
		c := movedSession(t, self, dir)
		evalMoved(t, c, first)
		if got := evalMoved(t, c, "import \"example.com/m\"\nm.Next()"); !strings.HasSuffix(got, "[1]") {
			t.Errorf("%s: %s", first, got)
		}
		if c.p.cmd.Path != self {
			t.Errorf("after %s the session goes on in another program", first)
		}
	}
}

// TestMovedProgramFails has a program that cannot run: the session goes on in its own, and it is not tried again.
func TestMovedProgramFails(t *testing.T) {
	thorough.Slow(t)
	for _, script := range []string{"#!/bin/sh\nexit 3\n", "not a program"} {
		self, dir, program := movedTest(t, script)
		c := movedSession(t, self, dir)
		var l log
		reply := c.Eval(t.Context(), repl.Request{Code: "import \"example.com/m\"\nm.Next()"}, l.sink)
		if reply.Err != nil || !strings.HasSuffix(strings.TrimSpace(l.b.String()), "[1]") || c.p.cmd.Path != self {
			t.Errorf("%v, %q", reply.Err, l.b.String())
		}
		if file, r := compiled.Find(compiled.Folder(dir), compiled.Key(dir, []string{"example.com/m"})); file != "" ||
			r == nil || r.Err == "" {
			t.Errorf("%s is tried again: %v", program, r)
		}
	}
}

// TestSpare has the program started before the cell that imports: the last session with the same %get went on in it.
func TestSpare(t *testing.T) {
	thorough.Slow(t)
	self, dir, program := movedTest(t, "")
	first := movedSession(t, self, dir)
	evalMoved(t, first, "%get example.com/m")
	if first.spare.p == nil { // though no session has gone on in it
		t.Fatal("the program that has the module is not started")
	}
	evalMoved(t, first, "import \"example.com/m\"")
	if first.spare.p != nil || first.p.cmd.Path != program {
		t.Fatal("the session does not go on in it")
	}

	c := movedSession(t, self, dir)
	evalMoved(t, c, "import \"fmt\"")
	evalMoved(t, c, "%get example.com/m")
	spare := c.spare.p
	if spare == nil || spare.cmd.Path != program {
		t.Fatal("the program is not started")
	}
	got := evalMoved(t, c, "import \"example.com/m\"\nm.Next()")
	if c.p != spare || c.spare.p != nil || !strings.HasSuffix(got, "[1]") {
		t.Errorf("%q, in another process: %t", got, c.p != spare)
	}
	if c.count != 3 || c.past.Len() != 3 {
		t.Errorf("%d cells, %d past", c.count, c.past.Len())
	}
	if got := evalMoved(t, c, "%history"); !strings.Contains(got, "import \"fmt\"") {
		t.Error(got)
	}
	if got := evalMoved(t, c, "fmt.Sprint(m.Next())"); got != `["2"]` {
		t.Error(got)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}

	c = movedSession(t, self, dir)
	evalMoved(t, c, "%get example.com/m@v1.0.0") // which comes to the same modules
	if c.spare.p == nil {
		t.Error("the program is not started after another command")
	}
	for _, cell := range []string{"x := 1", "%cd ."} { // what another program would not have
		c := movedSession(t, self, dir)
		evalMoved(t, c, "%get example.com/m")
		spare := c.spare.p
		if spare == nil {
			t.Fatal("the program is not started")
		}
		evalMoved(t, c, cell)
		<-spare.done
		if c.spare.p != nil {
			t.Errorf("after %s there is still a process for the session", cell)
		}
	}
	c = movedSession(t, self, dir)
	evalMoved(t, c, "%get example.com/m")
	spare = c.spare.p
	spare.kill() // it is started again when it is needed
	if got := evalMoved(t, c, "import \"example.com/m\"\nm.Next()"); c.p.cmd.Path != program || !strings.HasSuffix(got, "[1]") {
		t.Error(got)
	}
	c = movedSession(t, self, dir)
	evalMoved(t, c, "%get example.com/m")
	spare = c.spare.p
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	<-spare.done
}
