package worker

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/repl"
)

func TestReplay(t *testing.T) {
	thorough.Slow(t)
	c := startTest(t)
	for _, code := range []string{"x := 1", "func twice(n int) int { return 2 * n }", "undefined",
		"x = twice(x) + 5; fmt.Println(\"x is\", x)"} {
		eval(t, c, code)
	}
	r, out := eval(t, c, `syscall.Kill(syscall.Getpid(), syscall.SIGKILL); time.Sleep(time.Hour)`)
	if !r.Lost || !strings.Contains(out, "these variables are gone: x; %replay runs its cells again") {
		t.Fatalf("%+v %s", r, out)
	}
	r, out = eval(t, c, "%replay")
	if r.Err != nil || out != "x is 7\n<run again: 1, 2, 4>\n" {
		t.Fatalf("%+v %q", r.Err, out)
	}
	if r, out := eval(t, c, "y := x + 1; y"); r.Err != nil || out != "[8]\n" || r.Count != 7 {
		t.Errorf("%+v %q", r, out)
	}
	if r, out := eval(t, c, "%history -n 1-2"); r.Err != nil ||
		out != "[1] x := 1\n[2] func twice(n int) int { return 2 * n }\n" {
		t.Errorf("%+v %q", r, out)
	}
	// A life in which %replay was used has those cells too.
	if r, _ := eval(t, c, "%restart"); r.Err != nil {
		t.Fatal(r.Err)
	}
	if r, out := eval(t, c, "%replay"); r.Err != nil ||
		out != "x is 7\n[8]\n[1] x := 1\n[2] func twice(n int) int { return 2 * n }\n<run again: 1, 2, 4, 7, 8>\n" {
		t.Errorf("%+v %q", r.Err, out)
	}
	if r, out := eval(t, c, "y"); r.Err != nil || out != "[8]\n" {
		t.Errorf("%+v %q", r.Err, out)
	}
	// Cells by their numbers; one that fails now ends it.
	if r, out := eval(t, c, "%reset -f\n%replay 1 4"); r.Err == nil || r.Err.Frames[0].Cell != "cell[4]" ||
		!strings.HasSuffix(out, "<everything is forgotten>\n") {
		t.Errorf("%+v %q", r.Err, out)
	}
	if r, _ := eval(t, c, "%replay 3"); r.Err == nil || !strings.Contains(r.Err.Message, "none of these cells") {
		t.Errorf("%+v", r.Err)
	}
}

// TestReplayOfOutputAndPasswords: cells run again print all that they printed, and passwords are asked for again: they
// are kept nowhere.
func TestReplayOfOutputAndPasswords(t *testing.T) {
	thorough.Slow(t)
	c := startTest(t)
	asked, printed := 0, 0
	run := func(code string) repl.Reply {
		return c.Eval(t.Context(), repl.Request{Code: code, Input: func(_ context.Context, p repl.Prompt) (string, error) {
			if asked++; !p.Secret || p.Text != "Key: " {
				t.Errorf("%+v is asked for", p)
			}
			return "secret" + strconv.Itoa(asked), nil
		}}, func(e repl.Event) {
			if e.Kind == repl.Stream {
				printed += strings.Count(e.Text, "x")
			}
		})
	}
	const most = 20 << 20
	for _, code := range []string{`key := session.Password("Key: ")`, `line := strings.Repeat("x", 1<<10) + "\n"
for range 20 << 10 { fmt.Print(line) }`, "n := len(line)"} {
		if r := run(code); r.Err != nil {
			t.Fatal(r.Err.Text(false))
		}
	}
	if asked != 1 || printed != most {
		t.Fatalf("asked %d times, %d bytes", asked, printed)
	}
	run("%restart")
	printed = 0
	if r := run("%replay"); r.Err != nil || asked != 2 || printed != most {
		t.Errorf("%+v: asked %d times, %d bytes", r.Err, asked, printed)
	}
	if r, out := eval(t, c, "fmt.Println(key, n)"); r.Err != nil || out != "secret2 1025\n" {
		t.Errorf("%+v %q", r.Err, out)
	}
	// Where nobody answers, the cell fails, and those after it are not run with a key that is empty.
	run("%restart")
	r, _ := eval(t, c, "%replay")
	if r.Err == nil || !slices.Contains(r.Err.Notes, "3 cells after it did not run again") {
		t.Errorf("%+v", r.Err)
	}
	if r, out := eval(t, c, "%history"); r.Err != nil || strings.Contains(out, "secret") {
		t.Errorf("%+v %s", r.Err, out)
	}
}

func TestReplayOfNothing(t *testing.T) {
	c := startTest(t)
	if r, _ := eval(t, c, "%replay"); r.Err == nil || !strings.Contains(r.Err.Message, "no cell ran before") {
		t.Errorf("%+v", r.Err)
	}
}
