package script

import (
	"encoding/json"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/gorocm/gorocm/display"
	"github.com/gorocm/gorocm/repl"
	"github.com/gorocm/gorocm/repl/cells"
)

// WriteNotebook writes the cells of a run with their outputs as a notebook in format 4.5. The Options of the run had
// Outputs.
func WriteNotebook(w io.Writer, r Result) error {
	var ran []cells.Ran
	for _, run := range r.Runs {
		c := cells.Ran{Count: run.Reply.Count}
		for _, o := range run.outputs {
			c.Outputs = append(c.Outputs, o)
		}
		ran = append(ran, c)
	}
	return cells.WriteNotebook(w, r.Script, ran)
}

// output is one thing below a code cell.
type output struct {
	Kind  string           // stream, display_data, execute_result or error
	Name  string           // stream
	text  *strings.Builder // stream
	Data  display.Bundle
	Meta  map[string]any
	Count int // execute_result
	Err   *repl.Error
	id    string // of a display that can be updated
}

// MarshalJSON implements json.Marshaler: each kind has fields of its own.
func (o output) MarshalJSON() ([]byte, error) {
	out := map[string]any{"output_type": o.Kind}
	switch o.Kind {
	case "stream":
		out["name"], out["text"] = o.Name, cells.Text(o.text.String())
	case "error":
		out["ename"], out["evalue"] = o.Err.Name, o.Err.Message
		out["traceback"] = o.Err.Traceback()
	default:
		out["data"], out["metadata"] = mimeData(o.Data), o.Meta
		if o.Meta == nil {
			out["metadata"] = map[string]any{}
		}
		if o.Kind == string(repl.Result) {
			out["execution_count"] = o.Count
		}
	}
	return cells.Marshal(out)
}

// mimeData is a bundle as notebooks hold it: text as lines, JSON as itself, binary data as one string.
func mimeData(b display.Bundle) map[string]any {
	out := map[string]any{}
	for _, mime := range slices.Sorted(maps.Keys(b)) {
		content := b[mime]
		switch {
		case (mime == display.MIMEJSON || strings.HasSuffix(mime, "+json")) && json.Valid([]byte(content)):
			out[mime] = json.RawMessage(content)
		case strings.HasPrefix(mime, "text/") || mime == display.MIMESVG:
			out[mime] = cells.Text(content)
		default:
			out[mime] = content
		}
	}
	return out
}
