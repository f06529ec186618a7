package worker

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/gorocm/gorocm/repl"
)

// maxFrame is the size that no frame may exceed. A larger result becomes an error.
const maxFrame = 256 << 20

var errTooLarge = errors.New("worker: frame too large")

// kind is that of a frame. Requests carry an id that their answer repeats.
type kind byte

const (
	kindHello kind = iota // the first frame, from the front end; once more when a session comes from another program
	kindEval
	kindInterrupt
	kindComplete
	kindInspect
	kindIsComplete
	kindInfo
	kindSettle // the output is to be marked
	kindAnswer
	kindInput      // from the worker: the user is to be asked
	kindInputReply // with the ID of the question
	kindComm       // a packet for a comm of the worker's
	kindReady      // from the worker: its session has begun
	kindBegun      // from the worker: it has begun with the cell of the request with that ID
	kindExit       // from the worker: a cell has called os.Exit, and the process ends
	kindDebug      // a request of the debug adapter protocol; the answer is a list of messages
	kindDetach     // the client of the debugger has gone away
	kindBeside     // a request to run a cell beside those that run
	kindStop       // interrupts the cell of kindBeside that has this ID
	kindShells     // how many shells there are beside the main one
	kindExpects    // from the worker: the session may soon go on in another program
	kindMark       // once both output pipes have come to mark ID, an event may be told; then they go on
)

// frame is, on the pipe, four bytes with the size of what follows, a byte with its kind, eight with its ID, and its
// body in JSON.
type frame struct {
	Kind kind
	ID   uint64
	Body json.RawMessage
}

const (
	sizeLen = 4
	headLen = 1 + 8
)

// frameWriter writes frames; it is safe for concurrent use.
type frameWriter struct {
	mu sync.Mutex
	w  io.Writer
}

func (w *frameWriter) send(k kind, id uint64, body any) error {
	var b bytes.Buffer
	b.Write(make([]byte, sizeLen))
	b.WriteByte(byte(k))
	b.Write(binary.BigEndian.AppendUint64(b.AvailableBuffer(), id))
	if body != nil {
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		if err := e.Encode(body); err != nil {
			return fmt.Errorf("worker: %w", err)
		}
	}
	data := b.Bytes()
	if n := len(data) - sizeLen; n > maxFrame {
		return fmt.Errorf("%w: %d bytes", errTooLarge, n)
	}
	binary.BigEndian.PutUint32(data, uint32(len(data)-sizeLen))
	w.mu.Lock()
	defer w.mu.Unlock()
	_, err := w.w.Write(data)
	return err
}

// readFrame reads one frame. The error is io.EOF when the other side has closed between frames.
func readFrame(r io.Reader) (frame, error) {
	var f frame
	var head [sizeLen + headLen]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return f, err
	}
	n := binary.BigEndian.Uint32(head[:])
	if n > maxFrame {
		return f, fmt.Errorf("%w: %d bytes", errTooLarge, n)
	}
	if n < headLen {
		return f, fmt.Errorf("worker: a frame of %d bytes", n)
	}
	f.Kind, f.ID = kind(head[sizeLen]), binary.BigEndian.Uint64(head[sizeLen+1:])
	f.Body = make([]byte, min(n-headLen, bodyStep))
	for at := 0; ; { // a header may promise what never comes
		if _, err := io.ReadFull(r, f.Body[at:]); err != nil {
			return f, unexpected(err)
		}
		at = len(f.Body)
		if at == int(n-headLen) {
			return f, nil
		}
		f.Body = append(f.Body, make([]byte, min(int(n-headLen)-at, at))...)
	}
}

// bodyStep is how much of a body is read before room is made for more of it.
const bodyStep = 64 << 10

// unexpected is the error of a read that ended in the middle of a frame.
func unexpected(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// The bodies of frames.
type (
	hello struct {
		Version string      `json:"version"`
		Count   int         `json:"count"` // of the cells that the session has run before
		Past    []repl.Past `json:"past,omitempty"`
		Life    int         `json:"life,omitempty"`
		Modules string      `json:"modules"`
		Shells  int         `json:"shells,omitempty"` // beside the main one
		Mark    string      `json:"mark"`             // what a mark in the output begins with
		Input   bool        `json:"input"`            // standard input is asked of the front end
	}
	markBody struct {
		Skip  [2]bool     `json:"skip"` // the worker could not write the mark
		Event *repl.Event `json:"event,omitempty"`
		Cell  uint64      `json:"cell,omitempty"` // the request of the event's cell; 0: the running one
	}
	inputReply struct {
		Text string `json:"text"`
		End  bool   `json:"end,omitempty"`   // of the input
		Err  string `json:"error,omitempty"` // why there is none
	}
	exitBody struct {
		Code int `json:"code"`
	}
	codeBody struct {
		Code   string `json:"code"`
		Cursor int    `json:"cursor"`
		Detail int    `json:"detail"`
	}
)
