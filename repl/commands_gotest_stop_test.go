package repl

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/gorocm/gorocm/internal/thorough"
)

// TestTestTimeout: tests that wait for ever are stopped after -timeout, whatever they wait for, and the session goes on
// with the next %test.
func TestTestTimeout(t *testing.T) {
	thorough.Slow(t)
	const stopped = "FAIL\nexit status 1\nFAIL\tcells\tT\n"
	timedOut := stopped + "TestError: test timed out after 300ms\n"
	for _, x := range []struct{ cell, want string }{
		{"func TestA(t *testing.T) { <-make(chan int) }\nfunc TestB(t *testing.T) { panic(\"runs\") }",
			"--- FAIL: TestA (T)\n    test timed out after 300ms\n        cell[1]:1\n" + timedOut},
		{"func TestA(t *testing.T) { for { } }", "--- FAIL: TestA (T)\n    test timed out after 300ms\n        cell[1]:1\n" + timedOut},
		{"func TestA(t *testing.T) { time.Sleep(time.Hour) }", "--- FAIL: TestA (T)\n    test timed out after 300ms\n        cell[1]:1\n" + timedOut},
		{"func TestA(t *testing.T) {\n\tt.Cleanup(func() { t.Log(\"clean\") })\n\tdefer func() { t.Log(\"deferred\") }()\n\tt.Run(\"b\", func(t *testing.T) { select {} })\n}",
			"--- FAIL: TestA (T)\n    --- FAIL: TestA/b (T)\n        test timed out after 300ms\n            cell[1]:4\n    cell[1]:3: deferred\n    test timed out after 300ms\n        cell[1]:4\n    cell[1]:2: clean\n" + timedOut},
		{"var w sync.WaitGroup\nfunc TestA(t *testing.T) { w.Add(1); w.Wait() }",
			"--- FAIL: TestA (T)\n    test timed out after 300ms: it is blocked in a call that cannot be ended\n        cell[1]:2\n" + timedOut},
		{"func TestA(t *testing.T) { for _, n := range []string{\"b\"} { t.Run(n, func(t *testing.T) { t.Parallel(); <-make(chan int) }) } }",
			"--- FAIL: TestA (T)\n    --- FAIL: TestA/b (T)\n        test timed out after 300ms\n            cell[1]:1\n" + timedOut},
		{"again := false\nfunc TestMain(m *testing.M) {\n\tif again = !again; again {\n\t\tselect {}\n\t}\n\tm.Run()\n}", "test timed out after 300ms\n    cell[1]:4\nexit status 2\nFAIL\tcells\tT\nTestError: test timed out after 300ms\n"},
		{"func ExampleA() {\n\tselect {}\n\t// Output:\n}", "--- FAIL: ExampleA (T)\nTestError: test timed out after 300ms\n"},
		{"func FuzzA(f *testing.F) { f.Add(1); f.Fuzz(func(t *testing.T, n int) { select {} }) }",
			"--- FAIL: FuzzA (T)\n    --- FAIL: FuzzA/seed#0 (T)\n        test timed out after 300ms\n            cell[1]:1\n    test timed out after 300ms\n        cell[1]:1\n" + timedOut},
		{"func TestA(t *testing.T) { d, ok := t.Deadline(); t.Log(ok, time.Until(d) < time.Second); t.Fail() }",
			"--- FAIL: TestA (T)\n    cell[1]:1: true true\n" + stopped + "TestError: tests of the cells have failed\n"},
	} {
		last := "fmt.Println(1+1)"
		if strings.Contains(x.cell, "w.Wait") { // no goroutine is left to other tests
			last += "; w.Done()"
		}
		got := testSession(t, x.cell, "%test -timeout 300ms", "func TestZ(t *testing.T) { }",
			"%test -run Z$ -timeout=1h", last)
		want := x.want + "ok  \tcells\tT\n2\n"
		got = strings.ReplaceAll(got, "PASS\n", "")
		if strings.Contains(x.cell, "w.Wait") {
			got = strings.ReplaceAll(got, "TestA is still blocked in a call; it ends when the call returns", "")
		}
		if got != want {
			t.Errorf("%s\ngot\n%s\nwant\n%s", x.cell, got, want)
		}
	}
}

// TestTestInterrupt: an interrupt ends a test that waits, and nothing of the next one.
func TestTestInterrupt(t *testing.T) {
	s, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	eval := func(ctx context.Context, code string) (text string, e *Error) {
		r := s.Eval(ctx, Request{Code: code}, func(e Event) { text += e.Text })
		return text, r.Err
	}
	all := context.Background()
	if _, e := eval(all, "began := make(chan bool, 1)\nfunc TestWait(t *testing.T) { began <- true; <-make(chan int) }\nfunc TestOK(t *testing.T) {}"); e != nil {
		t.Fatal(e)
	}
	ctx, cancel := context.WithCancel(all)
	time.AfterFunc(300*time.Millisecond, cancel)
	text, e := eval(ctx, "%test")
	if e == nil || e.Name != "Interrupted" || !strings.Contains(text, "    interrupted\n        cell[1]:2\n") {
		t.Errorf("%v, and\n%s", e, text)
	}
	if text, e := eval(all, "%test -run OK"); e != nil || !strings.Contains(text, "ok  \tcells") {
		t.Errorf("then: %v, and\n%s", e, text)
	}
}
