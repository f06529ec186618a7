package repl

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/gorocm/gorocm/display"
	"github.com/gorocm/gorocm/display/comm"
)

// Session is what a front end drives: Go cells in, events and values out. It knows no terminal and no Jupyter. One cell
// runs at a time (Eval blocks the next Eval; see Shells for those beside it); every other method may be called while a
// cell runs and answers at once. Cursor positions are byte offsets into the code.
type Session interface {
	// Eval runs one cell. Events reach sink in order, never two at once, and never after Eval has returned, except what
	// goroutines show that the cell left behind. Where it can be told which cell a goroutine comes from, that cell's
	// sink gets it; otherwise the sink of the cell that runs then, or of the last one. Cancelling ctx interrupts the
	// cell as Interrupt does. A user's mistake is a Reply, not a Go error.
	Eval(ctx context.Context, req Request, sink func(Event)) Reply
	// Interrupt stops the running cell and keeps every variable. It does nothing when no cell runs.
	Interrupt()
	Complete(code string, cursor int) Completion
	Inspect(code string, cursor int, detail int) Inspection
	IsComplete(code string) Completeness
	// Info describes the session for banners, kernel_info and version.
	Info() Info
	Close() error
}

// Shells is a Session that runs cells of subshells beside the running cell, each on a goroutine of its own. They share
// the session's variables, functions and types as goroutines do.
type Shells interface {
	// Beside runs one cell beside those that run. It is not counted: Reply.Count is how many cells of subshells have
	// run. Events reach sink as those of Eval do. It cannot ask for input. Cancelling ctx interrupts it, and nothing
	// else does.
	Beside(ctx context.Context, req Request, sink func(Event)) Reply
	// SetShells says how many shells there are beside the main one. Its cells may wait for those of the others.
	SetShells(n int)
}

// Communicator is a Session that takes packets for the comms of its cells. Deliver does not wait for what they call.
type Communicator interface {
	Deliver(p comm.Packet)
}

// Debuggable is a Session whose cells can be debugged. Debug takes a request of the debug adapter protocol, in the form
// that Jupyter gives it, and returns the response, and events that follow it. Other events are of kind Debug. Requests
// may come while a cell runs. Detach ends debugging for a client that has gone away.
type Debuggable interface {
	Debug(ctx context.Context, request json.RawMessage) []json.RawMessage
	Detach()
}

// Request is one cell to run.
type Request struct {
	Code string
	// File and Line say where a script has the code: what the code itself learns of its place, by runtime.Caller and in
	// logs.
	File   string
	Line   int
	Silent bool // show and count nothing, keep no history
	// NoHistory runs the cell without counting it or keeping it in In/Out.
	NoHistory bool
	// UserExpressions are evaluated after a cell that succeeded: name to Go expression (Jupyter's user_expressions).
	UserExpressions map[string]string
	// Input asks the user for a line, without its newline. It is called when the cell wants one, by session.Input,
	// fmt.Scan or a read of os.Stdin; ctx ends with the cell or its interruption. io.EOF says that there is no more
	// input. With nil, cells read the standard input of the process that they run in.
	Input func(ctx context.Context, p Prompt) (string, error) `json:"-"`
	// Pages says that the front end shows what Reply.Pages holds. Without it, answers to NAME? are output.
	Pages bool
	// Timed says that the front end tells how long slow cells took: Reply.Devices is wanted.
	Timed bool
	// Columns is the width of the terminal that shows the cell's output, 0 where there is none. Charts are as wide, and
	// lines of numbers no wider.
	Columns int
	// Comms says that the front end takes Comm events and knows what to do with them. Without it, widgets are text.
	Comms bool
	// Moved says that the session has come from another program, in the middle of this cell.
	Moved *Moved
}

// Prompt is a question to the user.
type Prompt struct {
	Text   string `json:"text"`   // shown before what is typed; what a cell has printed stands there already
	Secret bool   `json:"secret"` // what is typed must not be shown
}

// ErrNoInput is what Request.Input returns where nobody can be asked.
var ErrNoInput = errors.New("the cell asks for input, and this front end gives none (allow_stdin is false)")

// ErrInputBeside is why a cell of a subshell has no input: what it asked would stand among the questions of the main
// shell's cell.
var ErrInputBeside = errors.New("a cell of a subshell cannot ask for input: run it in the main shell")

// EventKind says what an Event carries.
type EventKind string

// The kinds of events.
const (
	Stream  EventKind = "stream"         // Name is stdout or stderr, Text the next piece of output
	Display EventKind = "display_data"   // Data; ID when it can be updated later
	Update  EventKind = "update_display" // Data replaces what ID showed
	Result  EventKind = "execute_result" // Data is the value of the cell's last expression
	Clear   EventKind = "clear_output"   // Wait: only when the next output comes
	// Text from the session itself; Name is stderr where it tells of something that has gone wrong, as of a worker that
	// died
	Notice EventKind = "notice"
	Comm   EventKind = "comm" // Packet is for a widget, or another peer of package comm
	// Message is an event of the debug adapter protocol, for the clients of Debuggable
	Debug EventKind = "debug"
)

// Event is one thing that a running cell shows.
type Event struct {
	Kind EventKind      `json:"kind"`
	Name string         `json:"name,omitempty"`
	Text string         `json:"text,omitempty"`
	Data display.Bundle `json:"data,omitempty"`
	Meta map[string]any `json:"meta,omitempty"`
	ID   string         `json:"id,omitempty"`
	Wait bool           `json:"wait,omitempty"`

	Packet  *comm.Packet    `json:"packet,omitempty"`
	Message json.RawMessage `json:"message,omitempty"`
}

// Reply says how a cell ended.
type Reply struct {
	Count   int           `json:"count"` // the cell's number, from 1
	Err     *Error        `json:"err,omitempty"`
	Exit    *int          `json:"exit,omitempty"` // os.Exit's code, when the cell called it
	Lost    bool          `json:"lost,omitempty"` // the worker died and was replaced: variables are gone
	Elapsed time.Duration `json:"elapsed"`
	// Next is text for the next cell, which the front end offers for editing.
	Next string `json:"next,omitempty"`
	// Edit says that Next is to be opened in the user's own editor first, where the front end has one.
	Edit bool `json:"edit,omitempty"`
	// Devices is how long each device worked, of a cell that took long. The cell was waited for on them.
	Devices []DeviceTime `json:"devices,omitempty"`
	// Pages are answers to NAME?, to be shown apart from the cell's output.
	Pages []display.Bundle `json:"pages,omitempty"`
	// Restart asks the front end for a new process in place of the session's; the session itself has begun anew
	// already.
	Restart bool `json:"restart,omitempty"`
	// Moved asks the front end to go on with this cell in another program.
	Moved *Moved `json:"moved,omitempty"`
	// UserExpressions holds a bundle per requested name, or an error per name.
	UserExpressions map[string]Value `json:"user_expressions,omitempty"`
}

// DeviceTime is how long a device worked for a cell.
type DeviceTime struct {
	Device   string        `json:"device"`
	Emulated bool          `json:"emulated,omitempty"` // its kernels run on the host: the time is part of the cell's
	Time     time.Duration `json:"time"`
}

// Value is the outcome of one user expression.
type Value struct {
	Data display.Bundle `json:"data,omitempty"`
	Err  *Error         `json:"err,omitempty"`
}

// Error is a user's mistake or a failed cell, in fields so that front ends need not parse text.
type Error struct {
	// SyntaxError, TypeError, Panic, RuntimeError, TensorError, Interrupted, WorkerCrash, …
	Name    string   `json:"name"`
	Message string   `json:"message"` // what is wrong, without position
	Notes   []string `json:"notes,omitempty"`
	Frames  []Frame  `json:"frames,omitempty"` // innermost first; the first one is where it happened
	Trace   string   `json:"trace,omitempty"`  // the full stack, for %trace
}

// Frame is a place in a cell.
type Frame struct {
	Cell   string `json:"cell"` // cell[3]
	Line   int    `json:"line"` // from 1
	Column int    `json:"column,omitempty"`
	Func   string `json:"func,omitempty"`
	Source string `json:"source,omitempty"` // the text of that line
}

// Completion lists what may stand at the cursor, best first. Matches replace code[Start:End].
type Completion struct {
	Start   int     `json:"start"`
	End     int     `json:"end"`
	Matches []Match `json:"matches"`
	// Hint is the signature of the call whose arguments the cursor is in, with the current parameter between ‹ and ›.
	Hint string `json:"hint,omitempty"`
}

// Match is one possible completion.
type Match struct {
	Text string `json:"text"`
	// function, method, field, variable, constant, type, package, keyword, label, command, file, folder
	Kind      string `json:"kind,omitempty"`
	Signature string `json:"signature,omitempty"`
	Doc       string `json:"doc,omitempty"`    // the first sentence of the documentation; of the best matches only
	Import    string `json:"import,omitempty"` // the path of a package that the cell imports by using the name
}

// Inspection is what is known of the name or call at the cursor. Found is false when nothing is.
type Inspection struct {
	Found bool           `json:"found"`
	Data  display.Bundle `json:"data,omitempty"`
}

// Completeness says whether a cell can run as it stands: "complete", "incomplete" (Indent is for the next line),
// "invalid" or "unknown".
type Completeness struct {
	Status string `json:"status"`
	Indent string `json:"indent,omitempty"`
}

// Info describes a session.
type Info struct {
	Version string `json:"version"` // gorocm's
	Go      string `json:"go"`      // the language version of cells, go1.26
	Device  string `json:"device"`  // rocm:0 emulated gfx1100 (no AMD GPU found)
	Banner  string `json:"banner"`
	// Memory is that of the devices that cells have opened.
	Memory []DeviceMemory `json:"memory,omitempty"`
	// Busy is what the running cell waits for, where that is known: a kernel, or a compiler.
	Busy string `json:"busy,omitempty"`
}

// DeviceMemory is the memory of a device, in bytes.
type DeviceMemory struct {
	Device   string `json:"device"`
	InUse    int64  `json:"in_use"`
	Reserved int64  `json:"reserved"`
	Total    int64  `json:"total,omitempty"` // 0 where it is not known
}
