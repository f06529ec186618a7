package term

import (
	"context"
	"encoding/base64"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gorocm/gorocm/display"
	"github.com/gorocm/gorocm/repl"
)

// fake is a session whose cells are commands for these tests.
type fake struct {
	count     int
	interrupt chan struct{}
	closed    chan struct{}
	cells     []string
}

func newFake() *fake {
	return &fake{interrupt: make(chan struct{}, 1), closed: make(chan struct{})}
}

func (f *fake) Eval(ctx context.Context, req repl.Request, sink func(repl.Event)) repl.Reply {
	f.count++
	f.cells = append(f.cells, req.Code)
	r := repl.Reply{Count: f.count, Elapsed: time.Millisecond}
	text := func(name, s string) { sink(repl.Event{Kind: repl.Stream, Name: name, Text: s}) }
	show := func(kind repl.EventKind, id, s string) {
		sink(repl.Event{Kind: kind, ID: id, Data: display.Bundle{display.MIMEText: s}})
	}
	fail := func(name, message string) {
		r.Err = &repl.Error{Name: name, Message: message,
			Frames: []repl.Frame{{Cell: fmt.Sprintf("cell[%d]", f.count), Line: 1, Column: 1, Source: req.Code}}}
	}
	word, rest, _ := strings.Cut(strings.TrimSpace(req.Code), " ")
	switch word {
	case "print":
		text("stdout", rest)
	case "warn":
		text("stderr", rest+"\n")
	case "fail":
		fail("TypeError", rest)
	case "exit":
		n, _ := strconv.Atoi(rest)
		r.Exit = &n
	case "slow":
		r.Elapsed = 1200 * time.Millisecond
		r.Devices = []repl.DeviceTime{{Device: "rocm:0", Time: 800 * time.Millisecond}}
	case "crash": // of the front end: this session is in its process
		panic("the front end crashes")
	case "nap": // long enough to type ahead
		time.Sleep(300 * time.Millisecond)
	case "load", "edit":
		r.Edit = word == "edit"
		r.Next = "func f() {\n\tx\n}"
	case "picture":
		img := display.Image([][]float64{{0, 255}, {255, 0}})
		sink(repl.Event{Kind: repl.Result, Data: display.Bundle{
			display.MIMEText: img.String(), display.MIMEPNG: base64.StdEncoding.EncodeToString(img.PNG())}})
	case "bars": // one inside the other, with output between; the second stays half full
		bar := func(kind repl.EventKind, id, s, state string) {
			sink(repl.Event{Kind: kind, ID: id, Data: display.Bundle{display.MIMEText: s},
				Meta: map[string]any{display.MetaProgress: state}})
		}
		bar(repl.Display, "a", "outer  50% █████░░░░░", display.ProgressRuns)
		bar(repl.Display, "b", "inner  90% █████████░", display.ProgressRuns)
		text("stdout", "loss 1\nloss")
		bar(repl.Update, "b", "", display.ProgressDone)
		text("stdout", " 2\n")
		if rest == "" {
			bar(repl.Update, "a", "outer 100% ██████████", display.ProgressDone)
		}
	case "resized": // a bar that goes on when the terminal has another size, and once more
		bar := func(kind repl.EventKind, id, s, state string) {
			sink(repl.Event{Kind: kind, ID: id, Data: display.Bundle{display.MIMEText: s},
				Meta: map[string]any{display.MetaProgress: state}})
		}
		text("stdout", "loss 1\n")
		bar(repl.Display, "a", "outer  50% "+strings.Repeat("█", 12)+strings.Repeat("░", 12)+" 5/10, 2 s", display.ProgressRuns)
		for i := range 2 {
			before, _ := terminalSize(os.Stdout)
			for columns := before; columns == before; time.Sleep(5 * time.Millisecond) {
				columns, _ = terminalSize(os.Stdout)
			}
			text("stdout", fmt.Sprintf("loss %d\n", 2+i))
		}
		bar(repl.Update, "a", "outer 100% "+strings.Repeat("█", 24)+" 10/10, 3 s", display.ProgressDone)
	case "restarted":
		r.Lost = true
	case "progress":
		show(repl.Display, "p", "10%")
		show(repl.Update, "p", "20%")
		show(repl.Update, "p", "100%")
	case "replace":
		text("stdout", "one\ntwo\n")
		sink(repl.Event{Kind: repl.Clear, Wait: true})
		text("stdout", "three\n")
	case "ask", "secret": // TEXT; what is typed becomes the value
		text("stdout", "and ")
		ctx, cancel := context.WithCancel(ctx)
		watched := make(chan struct{})
		go func() {
			defer close(watched)
			select {
			case <-f.interrupt:
				cancel()
			case <-ctx.Done():
			}
		}()
		defer func() { // a watcher that outlived its cell could take the interrupt of a later one
			cancel()
			<-watched
		}()
		line, err := req.Input(ctx, repl.Prompt{Text: rest + " ", Secret: word == "secret"})
		if err != nil {
			fail("InputError", err.Error())
			break
		}
		if word == "ask" && rest == "two" {
			more, err := req.Input(ctx, repl.Prompt{})
			line += fmt.Sprint(" and ", more, err)
		}
		show(repl.Result, "", "typed "+strconv.Quote(line))
	case "wait": // until it is interrupted
		text("stdout", "waiting\n")
		select {
		case <-f.interrupt:
			fail("Interrupted", "the cell was interrupted")
		case <-ctx.Done():
			fail("Interrupted", "the cell was cancelled")
		case <-f.closed:
		}
	case "defer": // what it defers takes longer than a session has to close
		text("stdout", "waiting\n")
		<-f.interrupt
		select {
		case <-f.closed:
		case <-time.After(1200 * time.Millisecond):
			text("stdout", "deferred\n")
		}
	case "late": // a goroutine that the cell leaves behind
		go func() {
			<-f.interrupt
			text("stdout", "late output")
		}()
	case "stuck": // until the session is closed
		for stuck := true; stuck; {
			text("stdout", "still stuck\n")
			select {
			case <-f.interrupt:
			case <-f.closed:
				stuck = false
			}
		}
	default:
		show(repl.Result, "", strconv.Quote(req.Code))
	}
	return r
}

func (f *fake) Interrupt() {
	select {
	case f.interrupt <- struct{}{}:
	default:
	}
}

func (f *fake) Inspect(code string, cursor, detail int) repl.Inspection {
	if at := strings.LastIndexAny(code[:cursor], "(,"); at >= 0 && strings.HasPrefix(code, "f(") {
		doc := "func f(‹x int›, y float64) (z string)\n\nf makes a text of two numbers. It panics with the others."
		if code[at] == ',' {
			doc = "func f(x int, ‹y float64›) (z string)\n\nf makes a text of two numbers. It panics with the others."
		}
		return repl.Inspection{Found: true, Data: display.Bundle{display.MIMEText: doc}}
	}
	if code != "tensor" {
		return repl.Inspection{}
	}
	return repl.Inspection{Found: true, Data: display.Bundle{display.MIMEText: fmt.Sprintf("package tensor, detail %d",
		detail)}}
}

func (f *fake) Complete(code string, cursor int) repl.Completion {
	if code == "speak" { // lets the goroutine of late go on, in the middle of a line
		f.Interrupt()
	}
	start := cursor
	for start > 0 && !strings.ContainsRune(" \n.(", rune(code[start-1])) {
		start--
	}
	c := repl.Completion{Start: start, End: cursor}
	if strings.HasSuffix(code[:cursor], "f(") {
		c.Hint = "f(‹x int›)"
		c.Matches = []repl.Match{{Text: "tensor", Kind: "package"}}
		return c
	}
	for _, m := range []repl.Match{
		{Text: "tensor", Kind: "package"},
		{Text: "MatMul", Kind: "method", Signature: "func (*Tensor) MatMul(b *Tensor) *Tensor"},
		{Text: "MatVec", Kind: "method"}, {Text: "print", Kind: "function"},
	} {
		if strings.HasPrefix(code, "many.") {
			break
		}
		if strings.HasPrefix(strings.ToLower(m.Text), strings.ToLower(code[start:cursor])) {
			c.Matches = append(c.Matches, m)
		}
	}
	if strings.HasPrefix(code, "many.") {
		for i := range 27 {
			m := repl.Match{Text: fmt.Sprintf("Name%02d", i), Kind: "method", Signature: "(x int) *tensor.Tensor",
				Doc: fmt.Sprintf("Name%02d does the work.", i)}
			if strings.HasPrefix(m.Text, code[start:cursor]) {
				c.Matches = append(c.Matches, m)
			}
		}
	}
	return c
}

func (f *fake) IsComplete(code string) repl.Completeness {
	depth := strings.Count(code, "{") - strings.Count(code, "}")
	if depth > 0 {
		return repl.Completeness{Status: "incomplete", Indent: strings.Repeat("\t", depth)}
	}
	return repl.Completeness{Status: "complete"}
}

func (f *fake) Info() repl.Info {
	return repl.Info{Version: "0", Banner: "gorocm test session", Busy: "matmul_f32 on rocm:0",
		Memory: []repl.DeviceMemory{{Device: "rocm:0", InUse: 3 << 20, Reserved: 5 << 20, Total: 16 << 30}}}
}

func (f *fake) Close() error {
	close(f.closed)
	return nil
}

// TestMain runs the front end itself when a test starts this binary again on a terminal, or a shell with a command for
// that.
func TestMain(m *testing.M) {
	if os.Getenv("GOROCM_TERM_CHILD") == "" {
		os.Exit(m.Run())
	}
	if os.Getenv("GOROCM_TERM_SHELL") != "" {
		os.Unsetenv("GOROCM_TERM_SHELL")
		self, err := os.Executable()
		if err == nil {
			err = syscall.Exec("/bin/bash",
				[]string{"bash", "--norc", "-c",
					"front() { " + self + "; }; export -f front; PS1='$ ' exec bash --norc -i"}, os.Environ())
		}
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code, err := Run(context.Background(), func() (repl.Session, error) { return newFake(), nil },
		Options{HistoryFile: os.Getenv("GOROCM_TERM_HISTORY"),
			Settings: Settings{Status: os.Getenv("GOROCM_TERM_STATUS") != ""}})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(code)
}
