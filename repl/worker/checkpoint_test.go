package worker

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
)

// TestCheckpointAtEnd: a session that ends has written what %checkpoint -a has due.
func TestCheckpointAtEnd(t *testing.T) {
	c := startTest(t)
	file := filepath.Join(t.TempDir(), "c")
	eval(t, c, "%checkpoint -a "+file)
	eval(t, c, "x := 41")
	eval(t, c, "x++")
	c.Close()
	if r, out := eval(t, startTest(t), "%restore "+file+"\nx"); r.Err != nil || !strings.Contains(out, "[42]") {
		t.Errorf("%v %s", r.Err, out)
	}
}

// TestCheckpointAfterDeath: the death of the worker ends the checkpoints that it wrote by itself, which is said, so that
// the file keeps the variables; when it is restored they are written again.
func TestCheckpointAfterDeath(t *testing.T) {
	thorough.Slow(t)
	c := startTest(t)
	file := filepath.Join(t.TempDir(), "c")
	const die = "syscall.Kill(syscall.Getpid(), syscall.SIGKILL); time.Sleep(time.Hour)"
	const again = "it is written again after cells"
	eval(t, c, "x := 1")
	eval(t, c, "%checkpoint -a "+file)
	for range 2 {
		if _, out := eval(t, c, die); !strings.Contains(out, "%checkpoint -a is off: %restore "+file+" brings back") {
			t.Fatal(out)
		}
		eval(t, c, "other := 2")
		if r, out := eval(t, c, "%restore "+file); r.Err != nil || !strings.Contains(out, "restored: x") ||
			!strings.Contains(out, again) {
			t.Fatalf("%v %s", r.Err, out)
		}
	}
	eval(t, c, "%checkpoint off")
	if _, out := eval(t, c, die); strings.Contains(out, "%checkpoint") {
		t.Error(out)
	}
	if r, out := eval(t, c, "%restore "+file); r.Err != nil || strings.Contains(out, again) {
		t.Errorf("%v %s", r.Err, out)
	}
}
