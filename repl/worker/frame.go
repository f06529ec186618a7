package worker

import (
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

// The kinds of frames. Requests carry an id that their answer repeats.
const (
	kindHello      = "hello" // the first frame, from the front end
	kindEval       = "eval"
	kindInterrupt  = "interrupt"
	kindComplete   = "complete"
	kindInspect    = "inspect"
	kindIsComplete = "is_complete"
	kindInfo       = "info"
	kindAnswer     = "answer"
	kindInput      = "input"       // from the worker: the user is to be asked
	kindInputReply = "input_reply" // with the ID of the question
	kindComm       = "comm"        // a packet for a comm of the worker's
	kindMark       = "mark"        // once both output pipes have come to mark ID, an event may be told; then they go on
)

type frame struct {
	Kind string          `json:"kind"`
	ID   uint64          `json:"id,omitempty"`
	Body json.RawMessage `json:"body,omitempty"`
}

// frameWriter writes frames; it is safe for concurrent use.
type frameWriter struct {
	mu sync.Mutex
	w  io.Writer
}

func (w *frameWriter) send(kind string, id uint64, body any) error {
	f := frame{Kind: kind, ID: id}
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return fmt.Errorf("worker: %s: %w", kind, err)
		}
		f.Body = b
	}
	data, err := json.Marshal(f)
	if err != nil {
		return fmt.Errorf("worker: %s: %w", kind, err)
	}
	if len(data) > maxFrame {
		return fmt.Errorf("%w: %s of %d bytes", errTooLarge, kind, len(data))
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	_, err = w.w.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(data))), data...))
	return err
}

// readFrame reads one frame. The error is io.EOF when the other side has closed between frames.
func readFrame(r io.Reader) (frame, error) {
	var f frame
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return f, err
	}
	n := binary.BigEndian.Uint32(head[:])
	if n > maxFrame {
		return f, fmt.Errorf("%w: %d bytes", errTooLarge, n)
	}
	// Not make([]byte, n): a header may promise what never comes.
	data, err := io.ReadAll(io.LimitReader(r, int64(n)))
	if err != nil {
		return f, err
	}
	if len(data) < int(n) {
		return f, io.ErrUnexpectedEOF
	}
	err = json.Unmarshal(data, &f)
	return f, err
}

// The bodies of frames.
type (
	hello struct {
		Version string      `json:"version"`
		Count   int         `json:"count"` // of the cells that the session has run before
		Past    []repl.Past `json:"past,omitempty"`
		Life    int         `json:"life,omitempty"`
		Modules string      `json:"modules"`
		Mark    string      `json:"mark"`  // what a mark in the output begins with
		Input   bool        `json:"input"` // standard input is asked of the front end
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
	codeBody struct {
		Code   string `json:"code"`
		Cursor int    `json:"cursor"`
		Detail int    `json:"detail"`
	}
)
