package repl

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/gorocm/gorocm/display"
	"github.com/gorocm/gorocm/internal/thorough"
)

// TestPrun: the functions of a cell are in the text, in the flame graph and in the file.
func TestPrun(t *testing.T) {
	thorough.Slow(t)
	s := newSession(t)
	var text, html strings.Builder
	run := func(code string) Reply {
		return s.Eval(t.Context(), Request{Code: code}, func(e Event) {
			text.WriteString(e.Text + e.Data.Text())
			html.WriteString(e.Data[display.MIMEHTML])
		})
	}
	run(`import "syscall"
func used() int64 { var u syscall.Rusage; syscall.Getrusage(syscall.RUSAGE_SELF, &u); return u.Utime.Nano() }
func busy() (n int) { for end := used() + 100_000_000; used() < end; n++ { strings.Repeat("x", 1<<20) }; return n }`)
	if r := run("%prun n := busy()"); r.Err != nil {
		t.Fatal(r.Err)
	}
	for _, want := range []string{"of processor time", "busy (cell[1]:3)"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
	if !strings.Contains(html.String(), ">busy</div>") {
		t.Error("busy is not in the flame graph")
	}
	file := filepath.Join(t.TempDir(), "cpu.pprof")
	text.Reset()
	if r := run("%%prun -o " + file + "\nbusy()\nn > 0"); r.Err != nil || !strings.Contains(text.String(), "true") {
		t.Errorf("%v %s", r.Err, text.String())
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	p, err := profile.ParseData(data)
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, f := range p.Function {
		found = found || f.Name == "busy" && f.Filename == "cell[1]" && f.StartLine == 3
	}
	if !found {
		t.Errorf("no busy in %v", p.Function)
	}
	text.Reset()
	run(`func inner(n int) (s int) { for i := range n { s += i * i % 7 }; return s }
func around(n int) (s int) { for i := range 40 { s += inner(n + i) }; return s }`)
	if r := run("%prun around(2_000_000) > 0"); r.Err != nil || !strings.Contains(text.String(), "around") ||
		!strings.Contains(text.String(), "call others as machine code") {
		t.Errorf("%v %s", r.Err, text.String())
	}
	text.Reset()
	if r := run("%prun inner(60_000_000) > 0"); r.Err != nil || !strings.Contains(text.String(), "inner") ||
		strings.Contains(text.String(), "call others as machine code") {
		t.Errorf("%v %s", r.Err, text.String())
	}
	if r := run("%prun panic(\"deliberate\")"); r.Err == nil || r.Err.Message != "deliberate" {
		t.Errorf("a panic: %+v", r.Err)
	}
	if r := run("%prun -o " + t.TempDir() + " 1"); r.Err == nil || !strings.Contains(r.Err.Message, "is a directory") {
		t.Errorf("a folder: %+v", r.Err)
	}
	if r := run("%prun 1 + 1"); r.Err != nil { // the profile before has ended
		t.Error(r.Err)
	}
}

// TestForeignCommands: a hint names commands that there are, for a name that is none.
func TestForeignCommands(t *testing.T) {
	name := regexp.MustCompile(`%+(\w+)`)
	for foreign, hint := range foreignCommands {
		if commandNames[foreign] != nil {
			t.Errorf("%%%s is a command", foreign)
		}
		for _, m := range name.FindAllStringSubmatch(hint, -1) {
			if commandNames[m[1]] == nil {
				t.Errorf("%s: there is no %s", foreign, m[0])
			}
		}
	}
}
