package display

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"os"
	"sync"
)

// Message is output of a running cell.
type Message struct {
	Kind string         // display_data, update_display or clear_output
	Data Bundle         // what to show; nil for clear_output
	Meta map[string]any // Jupyter's metadata for Data, usually nil
	ID   string         // names what can be updated later
	Wait bool           // clear_output: only when the next output comes
}

// The kinds of messages, named as Jupyter names them.
const (
	KindDisplay = "display_data"
	KindUpdate  = "update_display"
	KindClear   = "clear_output"
)

var publisher struct {
	sync.Mutex
	publish func(Message)
}

// SetPublisher sets the function that receives the messages of Show, Clear and handles: a session sets it for its
// cells. The function may be called from any goroutine. With nil, as in a program outside a session, the text form goes
// to standard output.
func SetPublisher(publish func(Message)) {
	publisher.Lock()
	defer publisher.Unlock()
	publisher.publish = publish
}

func send(m Message) {
	publisher.Lock()
	publish := publisher.publish
	publisher.Unlock()
	if publish != nil {
		publish(m)
		return
	}
	if m.Kind != KindClear {
		fmt.Fprintln(os.Stdout, m.Data.Text())
	}
}

// Show displays each value immediately, like the last expression of a cell, except that strings are displayed without
// quotes.
func Show(v ...any) {
	for _, value := range v {
		m := Message{Kind: KindDisplay, Data: contentOf(value)}
		if named, ok := value.(interface{ DisplayID() string }); ok {
			m.ID = named.DisplayID()
		}
		send(m)
	}
}

// contentOf is the bundle of a value that a program shows, in contrast to a cell's result.
func contentOf(v any) Bundle {
	if text, ok := v.(string); ok {
		return Bundle{MIMEText: text}
	}
	return Render(v)
}

// Replace replaces the output with an ID: that of a shown value with a method DisplayID.
func Replace(id string, b Bundle) { send(Message{Kind: KindUpdate, Data: b, ID: id}) }

// Clear removes the output of the running cell. With wait the old output stays until the next output, which avoids
// flicker in loops.
func Clear(wait bool) { send(Message{Kind: KindClear, Wait: wait}) }

// Handle is an output that can be replaced.
type Handle struct{ id string }

// Live shows v as Show does and returns a handle that can replace it later, also from other cells and goroutines.
func Live(v any) *Handle {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	h := &Handle{id: hex.EncodeToString(b[:])}
	send(Message{Kind: KindDisplay, Data: contentOf(v), ID: h.id})
	return h
}

// Update replaces the handle's output by v.
func (h *Handle) Update(v any) { send(Message{Kind: KindUpdate, Data: contentOf(v), ID: h.id}) }

// String names the handle.
func (h *Handle) String() string { return "display handle " + h.id }
