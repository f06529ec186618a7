package repl

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/repl/internal/opened"
	"github.com/gorocm/gorocm/tensor"
)

func newSession(t testing.TB) *Local {
	t.Helper()
	s, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func mustRun(t testing.TB, s Session, code string) {
	t.Helper()
	if r := s.Eval(context.Background(), Request{Code: code}, func(Event) {}); r.Err != nil {
		t.Fatal(r.Err.Text(false))
	}
}

// TestTensorsAreFreed: a session that defines the same variable again and again holds one tensor on the device.
func TestTensorsAreFreed(t *testing.T) {
	thorough.Slow(t)
	dev, err := tensor.NewDevice("rocm")
	if err != nil {
		t.Skip("no rocm device, not even an emulated one: ", err)
	}
	s := newSession(t)
	mustRun(t, s, `dev := Device("rocm")`)
	before := dev.Memory().Buffers
	for range 1000 {
		mustRun(t, s, "x := dev.Randn(tensor.F32, 64)")
	}
	alive := dev.Memory().Buffers - before
	for range 3000 {
		runtime.GC()
		time.Sleep(2 * time.Millisecond) // cleanups run on a goroutine of their own
		if alive = dev.Memory().Buffers - before; alive <= 3 {
			break
		}
	}
	if alive > 3 {
		t.Errorf("%d buffers are alive", alive)
	}
	mustRun(t, s, "x = nil")
	runtime.KeepAlive(s)
}

func TestCountAndHistory(t *testing.T) {
	s := newSession(t)
	for i, tt := range []struct {
		req  Request
		want int
	}{
		{Request{Code: "1"}, 1},
		{Request{Code: "2", Silent: true}, 1},
		{Request{Code: "3", NoHistory: true}, 1},
		{Request{Code: "undefined1"}, 2},
		{Request{Code: " "}, 2},
		{Request{Code: "4"}, 3},
	} {
		events := 0
		if r := s.Eval(context.Background(), tt.req, func(Event) { events++ }); r.Count != tt.want {
			t.Errorf("%d: count %d, want %d", i, r.Count, tt.want)
		}
		if tt.req.Silent && events > 0 {
			t.Errorf("%d: a silent cell shows something", i)
		}
	}
	if got := s.history.Len(); got != 3 {
		t.Errorf("history has %d cells", got)
	}
}

func TestUserExpressions(t *testing.T) {
	s := newSession(t)
	r := s.Eval(context.Background(), Request{Code: "x := 20",
		UserExpressions: map[string]string{"ok": "x + 1", "bad": "y", "call": "strconv.Itoa(x)"}}, func(Event) {})
	if got := r.UserExpressions["ok"].Data.Text(); got != "21" {
		t.Errorf("ok is %q", got)
	}
	if e := r.UserExpressions["bad"].Err; e == nil || !strings.Contains(e.Message, "undefined") {
		t.Errorf("bad is %v", e)
	}
	if got := r.UserExpressions["call"].Data.Text(); got != `"20"` {
		t.Errorf("call is %q", got)
	}
}

// TestEventsAfterTheCell: output of goroutines that a cell left behind reaches the sink of the cell that runs then.
func TestEventsAfterTheCell(t *testing.T) {
	s := newSession(t)
	mustRun(t, s, "c := make(chan bool)\ngo func() { <-c; fmt.Println(\"late\"); c <- true }()")
	var out strings.Builder
	r := s.Eval(context.Background(), Request{Code: "c <- true; <-c;"}, func(e Event) { out.WriteString(e.Text) })
	if r.Err != nil || out.String() != "late\n" {
		t.Errorf("%v %q", r.Err, out.String())
	}
}

func TestInterruptMethod(t *testing.T) {
	s := newSession(t)
	s.Interrupt() // nothing runs
	r := s.Eval(context.Background(), Request{Code: `fmt.Println("on"); for {}`}, func(Event) { s.Interrupt() })
	if r.Err == nil || r.Err.Name != "Interrupted" || r.Err.Frames[0].Line != 1 {
		t.Errorf("%+v", r.Err)
	}
}

// What a cell waits for may be told of the interruption before the cell is.
func TestInterruptAnswers(t *testing.T) {
	s := newSession(t)
	for range 200 {
		input := func(ctx context.Context, _ Prompt) (string, error) {
			go s.Interrupt()
			<-ctx.Done()
			return "", ctx.Err()
		}
		r := s.Eval(context.Background(), Request{Code: `session.Input("?")`, Input: input}, func(Event) {})
		if r.Err == nil || r.Err.Name != "Interrupted" {
			t.Fatalf("%+v", r.Err)
		}
	}
}

func TestErrorText(t *testing.T) {
	e := &Error{Name: "TypeError", Message: "no", Notes: []string{"do this"}, Frames: []Frame{
		{Cell: "cell[2]", Line: 3, Column: 4, Source: "\t\té := x"},
		{Cell: "cell[1]", Line: 1, Func: "f", Source: "f()"}}}
	want := "TypeError: no\n  cell[2], line 3\n    é := x\n     ^\n  cell[1], line 1, in f\n    f()\n  note: do this"
	e.Frames[0].Column = 5
	if got := e.Text(false); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := e.Text(true); !strings.Contains(got, "\x1b[") ||
		strings.NewReplacer(red, "", dim, "", bold, "", reset, "").Replace(got) != want {
		t.Errorf("coloured:\n%q", got)
	}
}

func TestTrace(t *testing.T) {
	s := newSession(t)
	s.Eval(context.Background(), Request{Code: "panic(1)"}, func(Event) {})
	var out strings.Builder
	s.Eval(context.Background(), Request{Code: "%trace"}, func(e Event) { out.WriteString(e.Text) })
	if !strings.Contains(out.String(), "goroutine ") {
		t.Errorf("%q", out.String())
	}
}

func BenchmarkEval(b *testing.B) {
	s := newSession(b)
	for b.Loop() {
		mustRun(b, s, "1")
	}
}

func ExampleLocal() {
	s, err := New(Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	show := func(e Event) { fmt.Print(e.Text, e.Data.Text(), "\n") }
	s.Eval(context.Background(), Request{Code: "x := 20"}, show)
	s.Eval(context.Background(), Request{Code: "x*2 + 2"}, show)
	// Output: 42
}

// TestSilentKeepsSink checks that output of a cell's goroutine reaches the cell's sink after a silent cell has run.
func TestSilentKeepsSink(t *testing.T) {
	s, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	got := make(chan string, 16)
	gate := filepath.Join(t.TempDir(), "gate")
	code := fmt.Sprintf("go func() {\nfor {\nif _, err := os.Stat(%q); err == nil { fmt.Println(\"late\"); return }\ntime.Sleep(time.Millisecond)\n}\n}()", gate)
	s.Eval(context.Background(), Request{Code: code}, func(e Event) { got <- e.Text })
	s.Eval(context.Background(), Request{Code: "1", Silent: true},
		func(e Event) { t.Errorf("a silent cell showed %q", e.Text) })
	if err := os.WriteFile(gate, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if text := <-got; text != "late\n" { // the test's own limit ends a wait in vain
		t.Errorf("got %q", text)
	}
}

// TestEmulatedNotice checks that a session tells once that the device which a cell has opened is emulated.
func TestEmulatedNotice(t *testing.T) {
	s, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	s.earlier = nil // the test opens a device that another may have opened
	var notes []string
	emit := func(e Event) {
		switch {
		case e.Kind == Notice:
			notes = append(notes, e.Text)
		case len(notes) == 0:
			t.Errorf("%q is shown before the notice", e.Text)
		}
	}
	for _, code := range []string{"d := Device(`rocm`)\nfmt.Println(d)\nd", `Device("rocm")`} {
		if r := s.Eval(context.Background(), Request{Code: code}, emit); r.Err != nil {
			t.Fatal(r.Err.Message)
		}
	}
	if !slices.ContainsFunc(opened.Devices(), (*tensor.Device).Emulated) {
		t.Skip("this machine has an AMD GPU, so rocm is not emulated")
	}
	if len(notes) != 1 || !strings.Contains(notes[0], "is an emulated gfx1100") {
		t.Errorf("notices %q", notes)
	}
}

// TestNoticeAuto: a session says once which device auto is, before the first result.
func TestNoticeAuto(t *testing.T) {
	s := newSession(t)
	var notes []string
	for _, code := range []string{"d := Device(`cpu`)", "d = Device(` Auto `)\nd", `Device("auto")`} {
		r := s.Eval(context.Background(), Request{Code: code}, func(e Event) {
			switch {
			case e.Kind == Notice:
				notes = append(notes, e.Text)
			case len(notes) == 0:
				t.Errorf("%q is shown before the notice", e.Text)
			}
		})
		if r.Err != nil {
			t.Fatal(r.Err.Message)
		}
	}
	d, err := tensor.NewDevice("auto")
	if err != nil {
		t.Fatal(err)
	}
	want := `Device("auto") is the CPU: no AMD or NVIDIA GPU was found (gorocm doctor says more)`
	if !d.IsCPU() {
		want = fmt.Sprintf(`Device("auto") is %s (%s)`, d, d.Arch())
	}
	if len(notes) != 1 || notes[0] != want {
		t.Errorf("notices %q, want %q", notes, want)
	}
}
