package script

import (
	"encoding/json"
	"io"
	"sync"

	"github.com/gorocm/gorocm/display"
	"github.com/gorocm/gorocm/repl"
	"github.com/gorocm/gorocm/repl/cells"
)

// event is a line of what JSON writes. Which fields there are depends on Event.
type event struct {
	// begin, end, or the kind of what a cell shows: stream, display_data, update_display, execute_result, clear_output,
	// notice
	Event  string         `json:"event"`
	Cell   int            `json:"cell"` // from 1; of output, the cell that runs
	Line   int            `json:"line,omitempty"`
	Code   string         `json:"code,omitempty"`
	Name   string         `json:"name,omitempty"` // of a stream: stdout or stderr
	Text   string         `json:"text,omitempty"`
	Data   display.Bundle `json:"data,omitempty"` // by MIME type
	Meta   map[string]any `json:"metadata,omitempty"`
	ID     string         `json:"id,omitempty"` // of a display that can be updated
	Wait   bool           `json:"wait,omitempty"`
	OK     *bool          `json:"ok,omitempty"`
	Error  *repl.Error    `json:"error,omitempty"`
	Exit   *int           `json:"exit,omitempty"`
	Millis *float64       `json:"ms,omitempty"`
}

// JSON are options that write what happens as JSON, one object a line, for programs.
func JSON(w io.Writer) Options {
	var mu sync.Mutex // events of goroutines that a cell has left behind come at any time
	cell := 0
	put := func(e event) {
		mu.Lock()
		defer mu.Unlock()
		if e.Event == "begin" {
			cell = e.Cell
		}
		e.Cell = cell
		line, err := json.Marshal(e)
		if err != nil { // metadata of the user's own
			e.Meta = nil
			line, _ = json.Marshal(e)
		}
		_, _ = w.Write(append(line, '\n')) // a reader that has gone away ends the program by other means
	}
	return Options{
		Begin: func(number int, c cells.Cell) {
			put(event{Event: "begin", Cell: number, Line: c.Line, Code: c.Source})
		},
		Sink: func(e repl.Event) {
			put(event{Event: string(e.Kind), Name: e.Name, Text: e.Text, Data: e.Data, Meta: e.Meta, ID: e.ID,
				Wait: e.Wait})
		},
		Done: func(r repl.Reply) {
			ok, ms := r.Err == nil, float64(r.Elapsed.Microseconds())/1000
			put(event{Event: "end", OK: &ok, Error: r.Err, Exit: r.Exit, Millis: &ms})
		},
	}
}
