package worker

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/gorocm/gorocm/repl"
)

// TestLateOutput: what a goroutine writes and shows goes to the cell that started it, while another one runs and after
// that.
func TestLateOutput(t *testing.T) {
	c := startTest(t)
	var first, second, silent log
	run := func(l *log, req repl.Request) {
		t.Helper()
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if r := c.Eval(ctx, req, l.sink); r.Err != nil {
			t.Fatal(r.Err.Text(false))
		}
	}
	run(&first, repl.Request{Code: `step, done := make(chan int), make(chan int)
go func() {
	go func() { // two levels down
		for n := range step {
			fmt.Println("first", n)
			fmt.Fprintln(os.Stderr, "warn", n)
			Display(n)
			done <- n
		}
		close(done)
	}()
}()
fmt.Println("begun")`})
	run(&second, repl.Request{Code: `fmt.Println("second"); step <- 1; <-done; os.Stdout.WriteString("raw\n"); step <- 2; <-done; fmt.Println("end")`})
	run(&silent, repl.Request{Code: `fmt.Println("unseen"); step <- 3; <-done`, Silent: true})
	run(&second, repl.Request{Code: `close(step); _ = <-done`})
	if got, want := second.String(), "second\nraw\nend\n"; got != want {
		t.Errorf("the second cell has %q, want %q", got, want)
	}
	want := "begun\nfirst 1\nwarn 1\n[1]\nfirst 2\nwarn 2\n[2]\nfirst 3\nwarn 3\n"
	if got := first.String(); !strings.HasPrefix(got, want) {
		t.Errorf("the first cell has %q, want %q", got, want)
	}
}

// TestLateOutputOfMuch: a goroutine that writes a lot loses nothing, and nothing is out of order.
func TestLateOutputOfMuch(t *testing.T) {
	c := startTest(t)
	var l log
	if r := c.Eval(context.Background(), repl.Request{Code: `begin, over := make(chan bool), make(chan bool)
go func() { <-begin; for i := range 20000 { fmt.Println("line", i) }; close(over) }()`}, l.sink); r.Err != nil {
		t.Fatal(r.Err.Text(false))
	}
	if r, out := eval(t, c, `close(begin); <-over; "end"`); r.Err != nil || out != "[\"end\"]\n" {
		t.Fatalf("%+v %q", r.Err, out)
	}
	lines := strings.Split(strings.TrimSpace(l.String()), "\n")
	if len(lines) != 20000 || lines[0] != "line 0" || lines[19999] != "line 19999" {
		t.Errorf("%d lines, from %q to %q", len(lines), lines[0], lines[len(lines)-1])
	}
}
