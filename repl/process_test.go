package repl

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/display/comm"
)

// TestProcess: two sessions of a process show and ask in turn; neither takes the place of one whose cell runs, and one
// that is closed receives nothing.
func TestProcess(t *testing.T) {
	one, other := newSession(t), newSession(t)
	shown := map[*Local][]string{}
	eval := func(s *Local, code string, input func(context.Context, Prompt) (string, error)) Reply {
		return s.Eval(context.Background(), Request{Code: code, Comms: true, Input: input}, func(e Event) {
			if e.Kind == Display {
				shown[s] = append(shown[s], e.Data.Text())
			}
		})
	}
	asked, answer, ended := make(chan bool), make(chan string), make(chan Reply)
	go func() {
		ended <- eval(one, `name, _ := session.Input("?"); display.Show(name)`,
			func(context.Context, Prompt) (string, error) {
				asked <- true
				return <-answer, nil
			})
	}()
	<-asked
	r := eval(other, `display.Show("too early")`, nil)
	if r.Err == nil || r.Err.Name != "SessionError" || !strings.Contains(r.Err.Text(false), "another session") {
		t.Errorf("beside a cell of another session: %+v", r.Err)
	}
	answer <- "one"
	if r := <-ended; r.Err != nil {
		t.Fatal(r.Err.Text(false))
	}
	if r := eval(other, `display.Show("other")`, nil); r.Err != nil {
		t.Fatal(r.Err.Text(false))
	}
	one.Close() // which has nothing of the other's
	if r := eval(other, `display.Show("again")`, nil); r.Err != nil {
		t.Fatal(r.Err.Text(false))
	}
	if !comm.Connected() {
		t.Error("closing one session has disconnected the other")
	}
	if other.Close(); comm.Connected() {
		t.Error("a closed session is connected")
	}
	if want := []string{"one"}; !slices.Equal(shown[one], want) {
		t.Errorf("one session has shown %q", shown[one])
	}
	if want := []string{"other", "again"}; !slices.Equal(shown[other], want) {
		t.Errorf("the other has shown %q", shown[other])
	}
}
