package lsp

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"strings"
	"time"

	"github.com/gorocm/gorocm/repl/modules"
)

// quiet is how long no message must have come before diagnostics are sent.
const quiet = 150 * time.Millisecond

// server answers one client.
type server struct {
	out       io.Writer
	err       error // of writing
	version   string
	modules   string
	ctx       context.Context
	documents map[string]*document // by URI
	texts     map[string]*text
	prefix    prefix
	checked   int  // cells that were checked or declared, each time
	began     bool // initialize was answered
	stopped   bool // shutdown was answered
}

// handler answers a request, or takes a notification.
type handler func(s *server, params json.RawMessage) (any, error)

var handlers = map[string]handler{
	"initialize":                     (*server).initialize,
	"shutdown":                       (*server).shutdown,
	"textDocument/didOpen":           (*server).didOpen,
	"textDocument/didChange":         (*server).didChange,
	"textDocument/didClose":          (*server).didClose,
	"notebookDocument/didOpen":       (*server).notebookOpen,
	"notebookDocument/didChange":     (*server).notebookChange,
	"notebookDocument/didClose":      (*server).notebookClose,
	"textDocument/completion":        (*server).completion,
	"textDocument/hover":             (*server).hover,
	"textDocument/signatureHelp":     (*server).signatureHelp,
	"textDocument/definition":        (*server).definition,
	"textDocument/references":        (*server).references,
	"textDocument/documentHighlight": (*server).highlights,
	"textDocument/prepareRename":     (*server).prepareRename,
	"textDocument/rename":            (*server).rename,
}

// received is a message, or why there is none.
type received struct {
	message
	err error
}

// Serve answers a client until it says exit or closes its end. The error tells of an end without shutdown, of a broken
// message, or of an output that cannot be written to.
func Serve(in io.Reader, out io.Writer, version string) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	s := &server{out: out, version: version, modules: modules.NewDir(), ctx: ctx, documents: map[string]*document{},
		texts: map[string]*text{}}
	messages := make(chan received)
	go func() {
		r := bufio.NewReader(in)
		for {
			m, err := readMessage(r)
			select {
			case messages <- received{m, err}:
			case <-ctx.Done():
				return
			}
			if bad := (*rpcError)(nil); err != nil && !errors.As(err, &bad) {
				return
			}
		}
	}()
	idle := time.NewTimer(time.Hour)
	defer idle.Stop()
	for s.err == nil {
		select {
		case m := <-messages:
			if m.Method == "exit" || errors.Is(m.err, io.EOF) {
				if !s.stopped {
					return errors.New("lsp: the client has gone without shutdown")
				}
				return nil
			}
			if bad := (*rpcError)(nil); m.err != nil && !errors.As(m.err, &bad) {
				return m.err
			}
			s.receive(m)
			idle.Reset(quiet)
		case <-idle.C:
			s.guarded("diagnostics", func() { s.publish() })
		}
	}
	return s.err
}

// receive handles one message. Responses are to requests of ours, of which there are none.
func (s *server) receive(m received) {
	if m.err != nil {
		s.send(message{ID: json.RawMessage("null"), Error: asError(m.err)})
		return
	}
	if m.Method == "" {
		if m.Result == nil && m.Error == nil && m.ID != nil {
			s.send(message{ID: m.ID, Error: &rpcError{codeInvalidRequest, "a request without a method"}})
		}
		return
	}
	var result any
	err := failed(codeNoMethod, "there is no method %s", m.Method)
	switch h := handlers[m.Method]; {
	case h == nil:
	case !s.began && m.Method != "initialize":
		err = failed(codeNotInitialized, "%s before initialize", m.Method)
	case s.stopped:
		err = failed(codeInvalidRequest, "%s after shutdown", m.Method)
	default:
		err = failed(codeInternal, "%s: internal error", m.Method)
		s.guarded(m.Method, func() { result, err = h(s, m.Params) })
	}
	if m.ID == nil {
		if err != nil && handlers[m.Method] != nil {
			s.log("%s: %v", m.Method, err)
		}
		return
	}
	if err != nil {
		s.send(message{ID: m.ID, Error: asError(err)})
		return
	}
	body, err := json.Marshal(result)
	if err != nil {
		s.send(message{ID: m.ID, Error: asError(err)})
		return
	}
	s.send(message{ID: m.ID, Result: body})
}

// guarded logs a panic: half-written code must not end the server.
func (s *server) guarded(what string, f func()) {
	defer func() {
		if r := recover(); r != nil {
			s.log("%s: %v\n%s", what, r, debug.Stack())
		}
	}()
	f()
}

func asError(err error) *rpcError {
	var e *rpcError
	if errors.As(err, &e) {
		return e
	}
	return &rpcError{codeInternal, err.Error()}
}

func (s *server) send(m message) {
	if s.err == nil {
		s.err = writeMessage(s.out, m)
	}
}

func (s *server) notify(method string, params any) {
	body, err := json.Marshal(params)
	if err != nil {
		return
	}
	s.send(message{Method: method, Params: body})
}

// log shows a line in the client's log.
func (s *server) log(format string, args ...any) {
	s.notify("window/logMessage", map[string]any{"type": severityError,
		"message": strings.TrimRight(fmt.Sprintf(format, args...), "\n")})
}

func (s *server) initialize(json.RawMessage) (any, error) {
	s.began = true
	return map[string]any{"capabilities": json.RawMessage(capabilities),
		"serverInfo": map[string]string{"name": "gorocm", "version": s.version}}, nil
}

func (s *server) shutdown(json.RawMessage) (any, error) {
	s.stopped = true
	return nil, nil
}
