package jupyter

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/gorocm/gorocm/repl"
)

// Options of Serve. The zero value suits a kernel started by Jupyter.
type Options struct {
	// Log receives protocol errors, and with level debug every message. nil logs warnings to standard error.
	Log *slog.Logger
	// Version is gorocm's version, for clients that ask before the session has begun.
	Version string
	// HistoryFile keeps the cells of earlier sessions for clients that ask (jupyter console's arrow-up): see package
	// history. Empty keeps only this session's, in memory.
	HistoryFile string
	// ParentPID is the process whose end ends the kernel. 0 means JPY_PARENT_PID, which Jupyter sets (on Windows to a
	// handle), or none without it. Negative means none.
	ParentPID int
}

const (
	lingerTime = time.Second     // for clients to read the last messages of a kernel that ends
	closeTime  = 2 * time.Second // for the session to close; Jupyter kills after five
	askTime    = 5 * time.Second // for the session to complete or inspect
)

// Serve runs a kernel on the sockets of a connection file until a client shuts it down, a cell calls os.Exit, ctx is
// cancelled, the process gets SIGTERM, or its parent ends. SIGINT interrupts the running cell. start is called at once,
// concurrently with the sockets; if it fails, cells fail with its error, and the next cell calls it again. The session
// is closed when Serve returns. The error is nil after an orderly end, and otherwise describes an unusable connection
// file or address.
func Serve(ctx context.Context, connectionFile string, start func() (repl.Session, error), opts Options) error {
	return serve(ctx, connectionFile, start, opts, defaultLimits)
}

func serve(ctx context.Context, connectionFile string, start func() (repl.Session, error), opts Options,
	lim limits) error {
	conn, err := readConnection(connectionFile)
	if err != nil {
		return err
	}
	searches := slices.ContainsFunc(conn.portFields(), func(p *int) bool { return *p == 0 })
	return serveOn(ctx, &conn, start, opts, lim, func(chan<- os.Signal) (io.Closer, error) {
		if !searches {
			return nil, nil
		}
		return nil, conn.savePorts(connectionFile)
	})
}

// serveOn is serve for a connection. When its sockets are open, opened tells the client of them; what it returns is
// closed at the end. It may pass on signals that come another way.
func serveOn(ctx context.Context, conn *connection, start func() (repl.Session, error), opts Options, lim limits,
	opened func(signals chan<- os.Signal) (io.Closer, error)) error {
	log := opts.Log
	if log == nil {
		log = slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	}
	log = newSparse(log)
	ss, err := openSockets(conn, lim, log)
	if err != nil {
		return err
	}
	signals := make(chan os.Signal, 4)
	more, err := opened(signals)
	if err != nil {
		ss.close(0)
		return err
	}
	if more != nil {
		defer more.Close()
	}
	if conn.Key == "" {
		log.Warn("the connection file has no key: whoever can reach the ports can run code")
	}
	k := newKernel(*conn, ss, start, opts, lim, log)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	watchInterrupts(ctx, signals)
	orphaned := watchParent(ctx, opts.ParentPID)
	k.run()
	defer k.end()
	for {
		select {
		case s := <-signals:
			if s == syscall.SIGTERM {
				return nil
			}
			k.interrupt()
		case <-orphaned:
			log.Info("the process that started the kernel has ended, the kernel ends too")
			return nil
		case <-ctx.Done():
			return nil
		case <-k.stopping:
			return nil
		}
	}
}

// kernel answers messages.
type kernel struct {
	conn      connection
	codec     *codec
	sockets   *sockets
	pub       *iopub
	log       *slog.Logger
	version   string
	info      atomic.Pointer[repl.Info] // the session's, once it is all known
	session   *sessionHolder
	history   past
	cells     *cells
	shells    atomic.Int32 // how many subshells there are
	subshells subshells
	// serveSubshell answers the requests of a subshell; a field, because the handlers lead to it
	serveSubshell func(*subshell)
	input         input
	comms         comms
	usage         usage
	debugs        debugs

	prompt    chan *request // what is answered beside a running cell
	control   chan *request
	debugging chan *request // debug requests, which may wait for what they evaluate

	stopOnce sync.Once
	stopping chan struct{} // closed when the kernel is to end
	ended    chan struct{} // closed when handlers are to return
	workers  sync.WaitGroup
}

// request is a message with the destination of its reply.
type request struct {
	*message
	link    *link
	channel string
	started time.Time
	ctx     context.Context // of a cell, cancelled to interrupt it
	cancel  context.CancelFunc
	aborted bool // a cell that must not run any more; guarded by cells.mu
	last    bool // the kernel ends when this is answered
}

func newKernel(
	conn connection, ss *sockets, start func() (repl.Session, error), opts Options, lim limits, log *slog.Logger,
) *kernel {
	c := newCodec(conn.Key, conn.hash)
	k := &kernel{
		conn:      conn,
		codec:     c,
		sockets:   ss,
		pub:       &iopub{codec: c, socket: ss.iopub, log: log},
		log:       log,
		version:   opts.Version,
		session:   &sessionHolder{start: start},
		history:   past{file: opts.HistoryFile, log: log},
		cells:     newCells(),
		debugs:    debugs{away: lim.away},
		prompt:    make(chan *request, 64),
		control:   make(chan *request, 64),
		debugging: make(chan *request, 64),
		stopping:  make(chan struct{}),
		ended:     make(chan struct{}),
	}
	k.serveSubshell = k.answerSubshell
	ss.shell.handle = k.receive
	ss.control.handle = k.receive
	ss.stdin.handle = k.receive
	ss.iopub.handle = k.pub.subscribe
	return k
}

func (k *kernel) run() {
	k.workers.Go(func() { k.session.get(false) })
	k.workers.Go(func() { k.answer(k.prompt) })
	k.workers.Go(func() { k.answer(k.control) })
	k.workers.Go(func() { k.answer(k.debugging) })
	k.workers.Go(k.runCells)
	k.pub.announce(nil, "status", statusContent{"starting"})
	k.sockets.serve()
}

// stop makes Serve return.
func (k *kernel) stop() { k.stopOnce.Do(func() { close(k.stopping) }) }

// end closes the session, then the sockets after all replies have been sent.
func (k *kernel) end() {
	close(k.ended)
	k.cells.end()
	k.subshells.end()
	k.session.close(closeTime)
	done := make(chan struct{})
	go func() {
		k.workers.Wait()
		close(done)
	}()
	select { // a session that does not return from Eval must not keep the process
	case <-done:
	case <-time.After(lingerTime):
		k.log.Warn("the running cell did not end with its session")
	}
	k.history.close()
	k.sockets.close(lingerTime)
}

// receive verifies a message and queues it. It runs on the link's reader.
func (k *kernel) receive(l *link, frames [][]byte) {
	m, err := k.codec.decode(frames)
	if err != nil {
		k.log.Warn("dropping a message", "socket", l.socket.name, "error", err)
		l.pace.wait(l)
		return
	}
	l.authenticated.Store(true)
	k.log.Debug("received", "socket", l.socket.name, "type", m.Type, "id", m.ID)
	r := &request{message: m, link: l, channel: l.socket.name}
	lane := k.prompt
	switch {
	case r.channel == "stdin":
		if err := k.input.answer(r); err != nil {
			k.log.Warn("dropping a message", "socket", "stdin", "error", err)
		}
		return
	case r.Type == "debug_request":
		lane = k.debugging
	case r.channel == "control":
		lane = k.control
	case r.Subshell != "":
		k.receiveBeside(r)
		return
	case r.Type == "execute_request":
		k.cells.add(r)
		return
	}
	select {
	case lane <- r:
	case <-k.ended:
	}
}

func (k *kernel) answer(lane chan *request) {
	for {
		select {
		case r := <-lane:
			k.dispatch(r)
		case <-k.ended:
			return
		}
	}
}

// handler answers one type of message. The content is that of the reply; nil sends none. An error becomes a reply too.
type handler func(k *kernel, r *request) (content any, err error)

// handlers by message type. An unknown type gets busy and idle but no reply, as the specification requires. For
// execute_request, which only shell accepts, see runCells.
var handlers = map[string]handler{
	"kernel_info_request": (*kernel).kernelInfo,
	"connect_request":     (*kernel).connect,
	"complete_request":    (*kernel).complete,
	"inspect_request":     (*kernel).inspect,
	"is_complete_request": (*kernel).isComplete,
	"history_request":     (*kernel).historyRequest,
	"comm_info_request":   (*kernel).commInfo,
	"comm_open":           (*kernel).comm,
	"comm_msg":            (*kernel).comm,
	"comm_close":          (*kernel).comm,
	"interrupt_request":   (*kernel).interruptRequest,
	"shutdown_request":    (*kernel).shutdown,
	"debug_request":       (*kernel).debug,
	"usage_request":       (*kernel).usageRequest,

	"create_subshell_request": (*kernel).createSubshell,
	"delete_subshell_request": (*kernel).deleteSubshell,
	"list_subshell_request":   (*kernel).listSubshells,
}

// busy tells clients that a request is being answered, until what it returns is called. The last request ends the
// kernel then.
func (k *kernel) busy(r *request) (answered func()) {
	r.started = k.codec.now()
	k.pub.status(r.message, "busy")
	return func() {
		k.pub.status(r.message, "idle")
		if r.last {
			k.stop()
		}
	}
}

// dispatch runs the handler of a message between busy and idle, and sends its reply.
func (k *kernel) dispatch(r *request) {
	defer k.busy(r)()
	h := handlers[r.Type]
	if h == nil {
		k.log.Warn("unknown message type", "type", r.Type, "socket", r.channel)
		return
	}
	content, err := k.guarded(h, r)
	if err != nil {
		content = k.failure(r, err)
	}
	if content != nil {
		k.reply(r, content)
	}
}

// failure is the error reply to a request.
func (k *kernel) failure(r *request, err error) errorReply {
	k.log.Warn("cannot answer", "type", r.Type, "error", err)
	return errorReply{statusError, "RequestError", err.Error(), []string{err.Error()}}
}

// guarded converts a panic of a handler, or of the session below it, to an error.
func (k *kernel) guarded(h handler, r *request) (content any, err error) {
	defer func() {
		if p := recover(); p != nil {
			k.log.Error("panic while answering", "type", r.Type, "panic", p, "stack", string(debug.Stack()))
			content, err = nil, fmt.Errorf("%s: internal error: %v", r.Type, p)
		}
	}()
	return h(k, r)
}

func (k *kernel) reply(r *request, content any) {
	base, ok := strings.CutSuffix(r.Type, "_request")
	if !ok {
		return // comm messages have no reply
	}
	var metadata any
	if r.Type == "execute_request" {
		metadata = map[string]any{"started": timestamp(r.started)} // JupyterLab's cell timing reads it
	}
	frames, err := k.codec.encode(r.routes, base+"_reply", r.message, metadata, content)
	if err != nil {
		k.log.Error("cannot encode a reply", "type", r.Type, "error", err)
		return
	}
	r.link.send(frames)
}

// parse reads a request's content. A content of the wrong shape is the client's mistake, and the error says so.
func parse(r *request, into any) error {
	if err := json.Unmarshal(r.content, into); err != nil {
		return fmt.Errorf("%s: bad content: %w", r.Type, err)
	}
	return nil
}
