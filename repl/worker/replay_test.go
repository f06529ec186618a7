package worker

import (
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
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

func TestReplayOfNothing(t *testing.T) {
	c := startTest(t)
	if r, _ := eval(t, c, "%replay"); r.Err == nil || !strings.Contains(r.Err.Message, "no cell ran before") {
		t.Errorf("%+v", r.Err)
	}
}
