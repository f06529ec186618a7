package jupyter

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorocm/gorocm/display"
	"github.com/gorocm/gorocm/display/comm"
	"github.com/gorocm/gorocm/repl"
)

// fakeSession runs cells of its own little language, one command a line, without an interpreter:
//
//	print TEXT, warn TEXT   a line on stdout or stderr
//	raw N                   N numbered lines in one piece each
//	sleep D                 wait, until interrupted
//	deaf D                  wait, and be stopped only by Interrupt
//	hold                    wait until "release" is inspected
//	ask TEXT, secret TEXT   a question, whose answer is printed
//	comm ID, uncomm ID      open or close a comm; what comes on one goes back
//	page TEXT               a page of its own
//	value X                 the cell's value, as text and JSON
//	display ID, update ID   a display with an ID
//	clear                   clear the output
//	note TEXT               a notice of the session
//	late TEXT               a line of a goroutine, once "release" is inspected
//	fail, crash, lose, exit N
type fakeSession struct {
	mu      sync.Mutex
	count   int
	stop    chan struct{}
	release chan struct{}
	closed  chan struct{}
	once    sync.Once
	comms   func(repl.Event)
}

func newFake() (repl.Session, error) {
	return &fakeSession{stop: make(chan struct{}, 1), release: make(chan struct{}, 1), closed: make(chan struct{})}, nil
}

func (s *fakeSession) Eval(ctx context.Context, req repl.Request, sink func(repl.Event)) (reply repl.Reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !req.Silent && !req.NoHistory && req.Code != "" {
		s.count++
	}
	reply.Count = s.count
	s.runLines(ctx, req, sink, &reply)
	return reply
}

// Beside does as Eval, beside it. Only some of the commands may be used there.
func (s *fakeSession) Beside(ctx context.Context, req repl.Request, sink func(repl.Event)) (reply repl.Reply) {
	s.runLines(ctx, req, sink, &reply)
	return reply
}

func (s *fakeSession) SetShells(int) {}

// runLines runs the commands of a cell.
func (s *fakeSession) runLines(ctx context.Context, req repl.Request, sink func(repl.Event), reply *repl.Reply) {
	for n, line := range strings.Split(req.Code, "\n") {
		word, arg, _ := strings.Cut(line, " ")
		switch word {
		case "":
		case "print":
			sink(repl.Event{Kind: repl.Stream, Name: "stdout", Text: arg + "\n"})
		case "warn":
			sink(repl.Event{Kind: repl.Stream, Name: "stderr", Text: arg + "\n"})
		case "raw":
			n, _ := strconv.Atoi(arg)
			for i := range n {
				sink(repl.Event{Kind: repl.Stream, Name: "stdout", Text: fmt.Sprintf("line %d\n", i)})
			}
		case "sleep", "deaf":
			if reply.Err = s.wait(ctx, word, arg); reply.Err != nil {
				return
			}
		case "hold":
			<-s.release
		case "ask", "secret":
			answer, err := req.Input(ctx, repl.Prompt{Text: arg, Secret: word == "secret"})
			if err != nil {
				reply.Err = &repl.Error{Name: "InputError", Message: err.Error()}
				return
			}
			sink(repl.Event{Kind: repl.Stream, Name: "stdout", Text: answer + "\n"})
		case "comm":
			s.comms = sink
			sink(repl.Event{Kind: repl.Comm,
				Packet: &comm.Packet{Kind: comm.KindOpen, ID: arg, Target: "fake", Data: []byte(`{"a":1}`),
					Metadata: []byte(`{"m":2}`), Buffers: [][]byte{{0, 255}}}})
		case "uncomm":
			sink(repl.Event{Kind: repl.Comm, Packet: &comm.Packet{Kind: comm.KindClose, ID: arg}})
		case "page":
			reply.Pages = append(reply.Pages, display.Bundle{"text/plain": arg})
		case "value":
			sink(repl.Event{Kind: repl.Result,
				Data: display.Bundle{"text/plain": arg, "application/json": strconv.Quote(arg)}})
		case "display":
			sink(repl.Event{Kind: repl.Display, ID: arg, Data: display.Bundle{"text/plain": "first"}})
		case "update":
			sink(repl.Event{Kind: repl.Update, ID: arg, Data: display.Bundle{"text/plain": "second"}})
		case "clear":
			sink(repl.Event{Kind: repl.Clear, Wait: true})
		case "note":
			sink(repl.Event{Kind: repl.Notice, Text: arg})
		case "late":
			go func() {
				select {
				case <-s.release:
				case <-s.closed:
					return
				}
				s.mu.Lock()
				defer s.mu.Unlock()
				sink(repl.Event{Kind: repl.Stream, Name: "stdout", Text: arg + "\n"})
			}()
		case "crash":
			panic("the session itself is broken")
		case "lose":
			reply.Lost = true
			reply.Err = &repl.Error{Name: "WorkerCrash", Message: "the worker died"}
			return
		case "exit":
			code, _ := strconv.Atoi(arg)
			reply.Exit = &code
			return
		default:
			frame := repl.Frame{Cell: fmt.Sprintf("cell[%d]", reply.Count), Line: n + 1, Column: 1, Source: line}
			reply.Err = &repl.Error{Name: "TypeError", Message: "undefined: " + word, Frames: []repl.Frame{frame}}
			return
		}
	}
	if len(req.UserExpressions) > 0 {
		reply.UserExpressions = map[string]repl.Value{}
		for name, x := range req.UserExpressions {
			reply.UserExpressions[name] = repl.Value{Data: display.Bundle{"text/plain": x}}
			if x == "bad" {
				reply.UserExpressions[name] = repl.Value{Err: &repl.Error{Name: "TypeError", Message: "undefined: bad"}}
			}
		}
	}
}

func (s *fakeSession) wait(ctx context.Context, word, arg string) *repl.Error {
	d, _ := time.ParseDuration(arg)
	done := ctx.Done()
	if word == "deaf" {
		done = nil
	}
	select {
	case <-time.After(d):
		return nil
	case <-done:
		return &repl.Error{Name: "Interrupted", Message: "by the user"}
	case <-s.stop:
		return &repl.Error{Name: "Interrupted", Message: "by the user, the hard way"}
	case <-s.closed:
		return &repl.Error{Name: "Closed", Message: "the session was closed"}
	}
}

func (s *fakeSession) Deliver(p comm.Packet) {
	go func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.comms == nil || p.Kind == comm.KindOpen {
			p.Kind = comm.KindClose
		}
		if s.comms != nil {
			s.comms(repl.Event{Kind: repl.Comm, Packet: &p})
		}
	}()
}

// Debug answers every command but nothing, and tells that it is initialized.
func (s *fakeSession) Debug(_ context.Context, request json.RawMessage) []json.RawMessage {
	var r debugRequest
	if json.Unmarshal(request, &r) != nil || r.Command == "nothing" {
		return nil
	}
	return []json.RawMessage{
		json.RawMessage(fmt.Sprintf(`{"seq":1,"type":"response","request_seq":%d,"success":true,"command":%q,"body":{}}`,
			r.Seq, r.Command)),
		json.RawMessage(`{"seq":2,"type":"event","event":"initialized","body":{}}`),
	}
}

func (s *fakeSession) Detach() {}

func (s *fakeSession) Interrupt() {
	select {
	case s.stop <- struct{}{}:
	default:
	}
}

func (s *fakeSession) Complete(code string, cursor int) repl.Completion {
	if code == "panic" {
		panic("completion is broken")
	}
	start := strings.LastIndexAny(code[:cursor], " \n") + 1
	prefix := code[start:cursor]
	var ms []repl.Match
	for _, w := range []string{"print", "printé", "sleep"} {
		if prefix != "" && strings.HasPrefix(w, prefix) {
			ms = append(ms, repl.Match{Text: w, Kind: "command", Signature: w + " TEXT"})
		}
	}
	return repl.Completion{Start: start, End: cursor, Matches: ms}
}

func (s *fakeSession) Inspect(code string, cursor, detail int) repl.Inspection {
	if code == "release" {
		s.release <- struct{}{}
	}
	if !strings.HasPrefix(code, "print") {
		return repl.Inspection{}
	}
	return repl.Inspection{Found: true, Data: display.Bundle{"text/plain": fmt.Sprintf("print at %d, detail %d", cursor,
		detail)}}
}

func (s *fakeSession) IsComplete(code string) repl.Completeness {
	if strings.HasSuffix(code, "{") {
		return repl.Completeness{Status: "incomplete", Indent: "\t"}
	}
	return repl.Completeness{Status: "complete"}
}

func (s *fakeSession) Info() repl.Info {
	return repl.Info{Version: "1.2.3", Go: "go1.26", Device: "fake", Banner: "a fake session"}
}

func (s *fakeSession) Close() error {
	s.once.Do(func() { close(s.closed) })
	return nil
}

// TestMain makes the test binary a kernel with a fake session when it is called as "test -kernel FILE", for tests that
// need a process.
func TestMain(m *testing.M) {
	if len(os.Args) != 3 || os.Args[1] != "-kernel" {
		os.Exit(m.Run())
	}
	if err := Serve(context.Background(), os.Args[2], newFake, Options{}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// brokenStart fails the first time.
func brokenStart() func() (repl.Session, error) {
	var mu sync.Mutex
	failed := false
	return func() (repl.Session, error) {
		mu.Lock()
		defer mu.Unlock()
		if !failed {
			failed = true
			return nil, errors.New("no worker to be found")
		}
		return newFake()
	}
}
