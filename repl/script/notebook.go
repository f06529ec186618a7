package script

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/gorocm/gorocm/display"
	"github.com/gorocm/gorocm/repl"
)

// notebook is Jupyter's file format, version 4.5: https://nbformat.readthedocs.io/en/latest/format_description.html
type notebook struct {
	Cells    []notebookCell  `json:"cells"`
	Metadata json.RawMessage `json:"metadata"`
	Format   int             `json:"nbformat"`
	Minor    int             `json:"nbformat_minor"`
}

type notebookCell struct {
	Attachments json.RawMessage `json:"attachments,omitempty"`
	Kind        string          `json:"cell_type"`
	Count       *count          `json:"execution_count,omitempty"`
	ID          string          `json:"id,omitempty"`
	Metadata    json.RawMessage `json:"metadata"`
	Outputs     *[]output       `json:"outputs,omitempty"`
	Source      text            `json:"source"`
}

// count is an execution count, written as null when the cell has not run.
type count int

// MarshalJSON implements json.Marshaler.
func (c count) MarshalJSON() ([]byte, error) {
	if c == 0 {
		return []byte("null"), nil
	}
	return json.Marshal(int(c))
}

// text is a string that notebooks write as a list of lines and may also hold as one string.
type text string

// MarshalJSON implements json.Marshaler.
func (t text) MarshalJSON() ([]byte, error) {
	lines := strings.SplitAfter(string(t), "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return marshal(lines)
}

// UnmarshalJSON implements json.Unmarshaler.
func (t *text) UnmarshalJSON(data []byte) error {
	var s string
	if json.Unmarshal(data, &s) == nil {
		*t = text(s)
		return nil
	}
	var lines []string
	if err := json.Unmarshal(data, &lines); err != nil {
		return err
	}
	*t = text(strings.Join(lines, ""))
	return nil
}

// marshal is json.Marshal that leaves <, > and & as they are.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimRight(b.Bytes(), "\n"), err
}

func parseNotebook(path string, data []byte) (Script, error) {
	var nb struct {
		notebook
		Cells []struct {
			notebookCell
			Count   json.RawMessage `json:"execution_count"`
			Outputs json.RawMessage `json:"outputs"`
		} `json:"cells"`
	}
	if err := json.Unmarshal(data, &nb); err != nil {
		return Script{}, fmt.Errorf("%s is not a notebook: %w", path, err)
	}
	if nb.Format != 4 {
		return Script{}, fmt.Errorf("%s has notebook format %d, and this reads format 4: Jupyter converts it (File > Save, or jupyter nbconvert --to notebook)", path, nb.Format)
	}
	s := Script{Name: path, Meta: nb.Metadata}
	for _, c := range nb.Cells {
		switch c.Kind {
		case Code, Markdown, Raw:
		default:
			return Script{}, fmt.Errorf("%s has a cell of kind %q: want code, markdown or raw", path, c.Kind)
		}
		s.Cells = append(s.Cells, Cell{Kind: c.Kind, Source: string(c.Source), ID: c.ID, Meta: c.Metadata, Attachments: c.Attachments})
	}
	return s, nil
}

// defaultMetadata says which kernel runs the notebook.
const defaultMetadata = `{
"kernelspec": {"display_name": "Go (gorocm)", "language": "go", "name": "gorocm"},
"language_info": {"codemirror_mode": "go", "file_extension": ".go", "mimetype": "text/x-go", "name": "go", "pygments_lexer": "go"}
}`

// metadata is the notebook's own, with the kernel and the language as they are here.
func metadata(own json.RawMessage) (json.RawMessage, error) {
	all, ours := map[string]json.RawMessage{}, map[string]json.RawMessage{}
	if len(own) > 0 {
		if err := json.Unmarshal(own, &all); err != nil || all == nil {
			all = map[string]json.RawMessage{}
		}
	}
	if err := json.Unmarshal([]byte(defaultMetadata), &ours); err != nil {
		return nil, err
	}
	maps.Copy(all, ours)
	return marshal(all)
}

// WriteNotebook writes the cells of a run with their outputs as a notebook in format 4.5.
func WriteNotebook(w io.Writer, r Result) error {
	meta, err := metadata(r.Script.Meta)
	if err != nil {
		return err
	}
	nb := notebook{Cells: []notebookCell{}, Metadata: meta, Format: 4, Minor: 5}
	ids := cellIDs(r.Script.Cells)
	for i, c := range r.Script.Cells {
		out := notebookCell{Kind: c.Kind, ID: ids[i], Metadata: object(c.Meta), Attachments: c.Attachments, Source: text(c.Source)}
		if c.Kind == Code {
			n, outputs := count(0), []output{}
			if i < len(r.Runs) {
				n = count(r.Runs[i].Reply.Count)
				outputs = append(outputs, r.Runs[i].outputs...)
			}
			out.Count, out.Outputs = &n, &outputs
		}
		nb.Cells = append(nb.Cells, out)
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	return e.Encode(nb)
}

// object is meta, or an empty object where there is none.
func object(meta json.RawMessage) json.RawMessage {
	if len(meta) == 0 || string(meta) == "null" {
		return json.RawMessage("{}")
	}
	return meta
}

var validID = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// cellIDs returns an id for each cell: its own where it is valid and not taken.
func cellIDs(cells []Cell) []string {
	ids, taken := make([]string, len(cells)), map[string]bool{}
	for i, c := range cells {
		if validID.MatchString(c.ID) && !taken[c.ID] {
			ids[i] = c.ID
			taken[c.ID] = true
		}
	}
	next := 0
	for i := range ids {
		for ids[i] == "" {
			next++
			if id := fmt.Sprintf("cell-%d", next); !taken[id] {
				ids[i], taken[id] = id, true
			}
		}
	}
	return ids
}

// output is one thing below a code cell.
type output struct {
	Kind  string // stream, display_data, execute_result or error
	Name  string // stream
	Text  string // stream
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
		out["name"], out["text"] = o.Name, text(o.Text)
	case "error":
		out["ename"], out["evalue"] = o.Err.Name, o.Err.Message
		out["traceback"] = strings.Split(o.Err.Text(true), "\n")
	default:
		out["data"], out["metadata"] = mimeData(o.Data), o.Meta
		if o.Meta == nil {
			out["metadata"] = map[string]any{}
		}
		if o.Kind == string(repl.Result) {
			out["execution_count"] = count(o.Count)
		}
	}
	return marshal(out)
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
			out[mime] = text(content)
		default:
			out[mime] = content
		}
	}
	return out
}
