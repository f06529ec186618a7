package worker

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gorocm/gorocm/repl"
)

// record is what one cell has shown.
type record struct {
	mu     sync.Mutex
	events []string
}

func (r *record) sink(e repl.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, strings.TrimSpace(string(e.Kind)+" "+e.Name+" "+e.Text+e.Data.Text()))
}

func (r *record) has(s string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Contains(r.events, s)
}

// TestBesideOutput: output, displays and values of a cell of a subshell, and of its goroutines, go to its own sink, and
// those of the running cell to that one's.
func TestBesideOutput(t *testing.T) {
	c := startTest(t)
	c.SetShells(1)
	eval(t, c, "a, b := make(chan int), make(chan int)")
	var main, side record
	ended := make(chan repl.Reply)
	go func() {
		ended <- c.Eval(t.Context(), repl.Request{Code: `fmt.Println("main 1")
display.Show("main shows")
a <- 0
<-b
fmt.Println("main 2")
"main value"`}, main.sink)
	}()
	reply := c.Beside(t.Context(), repl.Request{Code: `<-a
fmt.Println("side 1")
println("side error")
display.Show("side shows")
done := make(chan int)
go func() { fmt.Println("side goroutine"); close(done) }()
<-done
"side value"`}, side.sink)
	if reply.Err != nil || reply.Count != 1 {
		t.Fatalf("%+v", reply)
	}
	if r := c.Beside(t.Context(), repl.Request{Code: "!echo from the shell"}, side.sink); r.Err != nil {
		t.Error(r.Err)
	}
	if r := c.Beside(t.Context(), repl.Request{Code: "close(b)"}, side.sink); r.Err != nil {
		t.Error(r.Err)
	}
	if r := <-ended; r.Err != nil {
		t.Error(r.Err)
	}
	check := func(name string, r *record, want, not []string) {
		for _, w := range want {
			if !r.has(w) {
				t.Errorf("%s: no %q in %q", name, w, r.events)
			}
		}
		for _, e := range r.events {
			for _, n := range not {
				if strings.Contains(e, n) {
					t.Errorf("%s got %q", name, e)
				}
			}
		}
	}
	check("main", &main, []string{"stream stdout main 1", "display_data  main shows", "stream stdout main 2", "execute_result  \"main value\""},
		[]string{"side"})
	check("side", &side, []string{"stream stdout side 1", "stream stderr side error", "display_data  side shows",
		"stream stdout side goroutine", "execute_result  \"side value\"", "stream stdout from the shell"}, []string{"main"})
}

// TestBesideRefusals: what a cell of a subshell cannot do is said.
func TestBesideRefusals(t *testing.T) {
	c := startTest(t)
	for _, tt := range []struct{ code, want string }{
		{"%reset -f", "%reset runs in the main shell only"},
		{"%tensors", "%tensors runs in the main shell only"},
		{"%nosuch", "there is no command %nosuch"},
		{"session.Input(\"name? \")", "a cell of a subshell cannot ask for input"},
	} {
		var r record
		reply := c.Beside(t.Context(), repl.Request{Code: tt.code}, r.sink)
		if reply.Err == nil || !strings.Contains(reply.Err.Message, tt.want) {
			t.Errorf("%s: %+v", tt.code, reply.Err)
		}
	}
	var r record
	if reply := c.Beside(t.Context(), repl.Request{Code: "%version", UserExpressions: map[string]string{"x": "1+1"}}, r.sink); reply.Err != nil ||
		reply.UserExpressions["x"].Data.Text() != "2" || len(r.events) == 0 {
		t.Errorf("%+v %q", reply, r.events)
	}
}
