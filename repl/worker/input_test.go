package worker

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/repl"
)

// user answers questions in turn, and notes what stood on the screen at each.
type user struct {
	log     log
	mu      sync.Mutex
	answers []string // "EOF" is the end of the input
	asked   []string
}

func (u *user) input(_ context.Context, p repl.Prompt) (string, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	text := p.Text
	if p.Secret {
		text += " (secret)"
	}
	u.asked = append(u.asked, u.log.String()+text)
	if len(u.answers) == 0 {
		return "", errors.New("too many questions")
	}
	a := u.answers[0]
	u.answers = u.answers[1:]
	if a == "EOF" {
		return "", io.EOF
	}
	return a, nil
}

func TestInput(t *testing.T) {
	c := startTest(t)
	for _, tt := range []struct {
		name, code string
		answers    []string
		asked      []string
		want       string
	}{
		{"Scan", `var a, b int; fmt.Print("two? "); fmt.Scan(&a, &b); a + b`, []string{"1", "2"},
			[]string{"two? ", "two? "}, "two? [3]\n"},
		{"Scan of one line", `var c, d string; fmt.Scanln(&c, &d); c + "-" + d`, []string{"x y"}, []string{""},
			"[\"x-y\"]\n"},
		{"Scanner", `s := bufio.NewScanner(os.Stdin); n := 0; for s.Scan() { n += len(s.Text()) }; n`,
			[]string{"abc", "de", "EOF"}, []string{"", "", ""}, "[5]\n"},
		{"Reader", `r := bufio.NewReader(os.Stdin); line, err := r.ReadString('\n'); fmt.Printf("%q %v\n", line, err)`,
			[]string{"é"}, []string{""}, "\"é\\n\" <nil>\n"},
		{"again after the end", `var w string; fmt.Scan(&w); w`, []string{"more"}, []string{""}, "[\"more\"]\n"},
		{"Input", `fmt.Print("a "); session.Input("name: ")`, []string{"Ada"}, []string{"a name: "}, "a [\"Ada\"]\n"},
		{"Password", `len(session.Password("key: "))`, []string{"secret"}, []string{"key:  (secret)"}, "[6]\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			u := &user{answers: tt.answers}
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			r := c.Eval(ctx, repl.Request{Code: tt.code, Input: u.input}, u.log.sink)
			if r.Err != nil {
				t.Fatal(r.Err.Text(false))
			}
			if got := u.log.String(); got != tt.want {
				t.Errorf("shown %q, want %q", got, tt.want)
			}
			if got := strings.Join(u.asked, "|"); got != strings.Join(tt.asked, "|") {
				t.Errorf("asked %q, want %q", got, tt.asked)
			}
		})
	}
}

func TestNoInput(t *testing.T) {
	c := startTest(t)
	for _, code := range []string{`var a int; fmt.Scan(&a)`, `io.ReadAll(os.Stdin)`, `session.Input("?")`} {
		r, _ := eval(t, c, code)
		if r.Err == nil || !strings.Contains(r.Err.Message, "allow_stdin is false") {
			t.Errorf("%s: %+v %#v", code, r.Err, r.Err)
		}
	}
	if r, out := eval(t, c, "1 + 1"); r.Err != nil || out != "[2]\n" {
		t.Errorf("after it: %+v %+v %q", r.Err, r, out)
	}
}

func TestInterruptInput(t *testing.T) {
	c := startTest(t)
	for _, code := range []string{`var a int; fmt.Scan(&a)`, `session.Input("?")`} {
		asked := make(chan struct{})
		ended := make(chan struct{})
		input := func(ctx context.Context, _ repl.Prompt) (string, error) {
			close(asked)
			<-ctx.Done()
			close(ended)
			return "", ctx.Err()
		}
		go func() {
			<-asked
			c.Interrupt()
		}()
		var l log
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		r := c.Eval(ctx, repl.Request{Code: code, Input: input}, l.sink)
		cancel()
		if r.Err == nil || r.Err.Name != "Interrupted" || r.Lost {
			t.Fatalf("%s: %+v", code, r.Err)
		}
		if len(r.Err.Notes) > 0 {
			if !thorough.Race {
				t.Fatalf("%s: %v", code, r.Err.Notes)
			}
			t.Skip("under the race detector this machine is so busy that the cell was left behind, which still reads: ",
				r.Err.Notes)
		}
		<-ended
	}
	// The next question is the next cell's.
	u := &user{answers: []string{"7"}}
	if r := c.Eval(context.Background(), repl.Request{Code: `var a int; fmt.Scan(&a); a`, Input: u.input},
		u.log.sink); r.Err != nil || u.log.String() != "[7]\n" {
		t.Errorf("after it: %+v %+v %q", r.Err, r, u.log.String())
	}
}

// A goroutine that a cell has left behind asks while the next cell runs.
func TestInputBetweenCells(t *testing.T) {
	c := startTest(t)
	got := `got := make(chan string, 1); go func() { var s string; fmt.Scan(&s); got <- s }()`
	if r, _ := eval(t, c, got); r.Err != nil {
		t.Fatal(r.Err.Text(false))
	}
	u := &user{answers: []string{"late"}}
	if r := c.Eval(context.Background(), repl.Request{Code: `<-got`, Input: u.input}, u.log.sink); r.Err != nil ||
		u.log.String() != "[\"late\"]\n" {
		t.Errorf("%+v %q", r.Err, u.log.String())
	}
}
