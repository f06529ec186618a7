// Package jupyter drives a repl.Session from Jupyter clients: notebooks, JupyterLab, VS Code, jupyter console,
// nbconvert.
//
//	err := jupyter.Serve(ctx, "kernel-123.json", start, jupyter.Options{})
//
// It speaks the Jupyter messaging protocol 5.5 over ZMTP 3.0. Files, from the wire up:
//
//	listener.go   accepts connections; guard.go bounds what a peer may make us read, hold or wait for; places.go: who goes when too many come
//	curve.go      takes the encryption of CurveZMQ off a connection, where the connection file has keys
//	link.go       one connected peer: a reader, a writer and a queue between
//	sockets.go    the five sockets of a connection file
//	wire.go       frames <-> signed messages
//	kernel.go     Serve, and the dispatcher: one table row and one function per message type
//	stdin.go      what cells ask the user
//	comms.go      what widgets and cells tell each other
//	iopub.go      what cells show, in one order, to every subscriber; subscribe.go: who they are
//
// # Threads
//
// Cells run one after the other on one goroutine; a second tells clients of them, so that the next cell runs meanwhile.
// Completion, inspection, history and kernel_info are answered on a third, control messages on a fourth, so that all of
// them work while a cell runs. A link's reader verifies messages and queues them; it never runs a handler.
//
// # Invariants
//
//   - Every message that is accepted gets status busy before and status idle after it, whatever happens between.
//   - A cell's output, error and result reach iopub in the order in which the session gave them, and before idle.
//   - Output of goroutines that a cell left behind is shown under that cell. What cannot be told to come from a cell
//     (output of C libraries, of programs, and of what the timers of package time call) is shown under the cell that
//     runs then, or else under the last one.
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
