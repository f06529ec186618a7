// Package jupyter drives a repl.Session from Jupyter clients: notebooks, JupyterLab, VS Code, jupyter console,
// nbconvert.
//
//	err := jupyter.Serve(ctx, "kernel-123.json", start, jupyter.Options{})
//
// It speaks the Jupyter messaging protocol 5.5 over ZMTP 3.0. Files, from the wire up:
//
//	listener.go   accepts connections; guard.go bounds what a peer may make us read, hold or wait for; eviction.go: who is evicted
//	curve.go      decrypts connections with CurveZMQ, if the connection file has keys
//	link.go       one connected peer: a reader, a writer and a queue between
//	pace.go       what peers without the key can have answered in a second, and written to the log
//	sockets.go    the five sockets of a connection file
//	wire.go       frames <-> signed messages
//	kernel.go     Serve, and the dispatcher: one table row and one function per message type
//	stdin.go      input requests of cells
//	debug.go      the debugger's requests and events
//	subshell.go   the shells beside the main one, whose cells run beside its cell
//	comms.go      messages between widgets and cells
//	iopub.go      output of cells, in one order, to every subscriber; subscribe.go: the subscriptions
//
// # Threads
//
// Cells run one after the other on one goroutine; a second reports them to clients, so that the next cell runs
// meanwhile. Completion, inspection, history and kernel_info are answered on a third, control messages on a fourth,
// debug requests on a fifth, so that all of them work while a cell runs or is stopped. Each subshell has a goroutine
// that answers all its requests, in their order. A link's reader verifies messages and queues them; it never runs a
// handler.
//
// # Invariants
//
//   - Every message that is accepted gets status busy before and status idle after it, whatever happens between.
//   - A cell's output, error and result reach iopub in the session's order, and before idle.
//   - Output of goroutines that a cell left behind is shown under that cell. Output that cannot be attributed to a cell
//     (of C libraries, of programs, and of functions called by timers of package time) is shown under the running cell,
//     or else under the last one.
//   - Nothing that a peer sends ends the kernel, and no length from the wire is allocated before it is checked.
//   - A subscriber that stops reading holds the session up for at most one write deadline; then its connection is cut.
//
// # Why zmq4's sockets are not used
//
// github.com/go-zeromq/zmq4 does the ZMTP greeting, handshake and framing (zmq4.Open and zmq4.Conn). Its socket types
// are not used: they accept one handshake at a time without a deadline, allocate whatever length a frame announces,
// panic on an empty subscription, let one slow peer hold up the others, route by identities that peers choose, and
// close without sending what is queued. What a kernel needs of ROUTER and PUB is small: a reply goes to the link that
// asked, and an iopub message goes to every link that has subscribed to its topic.
package jupyter
