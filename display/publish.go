package display

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"os"
	"sync"
)

// Message is something to show while a cell runs.
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

// SetPublisher says where Show, Clear and handles send their messages: a session sets it for its cells. The function
// may be called from any goroutine. With nil, as in a program that is no session, the text form goes to standard
// output.
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

// Show shows each value at once, in the middle of a cell, as the last expression of a cell would be shown; but a string
// is a text here, and has no quotes.
func Show(v ...any) {
	for _, value := range v {
		m := Message{Kind: KindDisplay, Data: contentOf(value)}
		if named, ok := value.(interface{ DisplayID() string }); ok {
			m.ID = named.DisplayID()
		}
		send(m)
	}
}

// contentOf is what a value looks like when a program shows it, in contrast to a cell that has it as its value.
func contentOf(v any) Bundle {
	if text, ok := v.(string); ok {
		return Bundle{MIMEText: text}
	}
	return Render(v)
}

// Replace replaces what was shown with an ID: that of a value with a method DisplayID, when Show was given it.
func Replace(id string, b Bundle) { send(Message{Kind: KindUpdate, Data: b, ID: id}) }

// Clear removes what the running cell has shown so far. With wait the old output stays until the next one comes, which
// avoids flicker in loops.
func Clear(wait bool) { send(Message{Kind: KindClear, Wait: wait}) }

// Handle is a place in the output whose content can be replaced.
type Handle struct{ id string }

// Live shows v as Show does and returns a handle that can replace it later, also from other cells and goroutines.
func Live(v any) *Handle {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	h := &Handle{id: hex.EncodeToString(b[:])}
	send(Message{Kind: KindDisplay, Data: contentOf(v), ID: h.id})
	return h
}

// Update replaces what the handle shows by v.
func (h *Handle) Update(v any) { send(Message{Kind: KindUpdate, Data: contentOf(v), ID: h.id}) }

// String names the handle.
func (h *Handle) String() string { return "display handle " + h.id }
