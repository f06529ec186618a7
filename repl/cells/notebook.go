package cells

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"regexp"
	"strings"
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
	Outputs     *[]any          `json:"outputs,omitempty"`
	Source      Text            `json:"source"`
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

// Text is a string that notebooks write as a list of lines and may also hold as one string.
type Text string

// MarshalJSON implements json.Marshaler.
func (t Text) MarshalJSON() ([]byte, error) {
	lines := strings.SplitAfter(string(t), "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return Marshal(lines)
}

// UnmarshalJSON implements json.Unmarshaler.
func (t *Text) UnmarshalJSON(data []byte) error {
	var s string
	if json.Unmarshal(data, &s) == nil {
		*t = Text(s)
		return nil
	}
	var lines []string
	if err := json.Unmarshal(data, &lines); err != nil {
		return err
	}
	*t = Text(strings.Join(lines, ""))
	return nil
}

// Marshal is json.Marshal that leaves <, > and & as they are.
func Marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimRight(b.Bytes(), "\n"), err
}

func parseNotebook(path string, data []byte) (File, error) {
	var nb struct {
		notebook
		Cells []struct {
			notebookCell
			Count   json.RawMessage `json:"execution_count"`
			Outputs json.RawMessage `json:"outputs"`
		} `json:"cells"`
	}
	if err := json.Unmarshal(data, &nb); err != nil {
		return File{}, fmt.Errorf("%s is not a notebook: %w", path, err)
	}
	if nb.Format != 4 {
		return File{}, fmt.Errorf("%s has notebook format %d, and this reads format 4: Jupyter converts it (File > Save, or jupyter nbconvert --to notebook)", path, nb.Format)
	}
	s := File{Name: path, Meta: nb.Metadata}
	for _, c := range nb.Cells {
		switch c.Kind {
		case Code, Markdown, Raw:
		default:
			return File{}, fmt.Errorf("%s has a cell of kind %q: want code, markdown or raw", path, c.Kind)
		}
		s.Cells = append(s.Cells, Cell{Kind: c.Kind, Source: string(c.Source), ID: c.ID, Meta: c.Metadata,
			Attachments: c.Attachments})
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
	return Marshal(all)
}

// Ran is what a notebook keeps of a code cell that has run.
type Ran struct {
	Count   int   // 0 when it has not run
	Outputs []any // in the form of the notebook format
}

// WriteNotebook writes cells as a notebook in format 4.5. ran has what became of the first cells, in their order.
func WriteNotebook(w io.Writer, f File, ran []Ran) error {
	meta, err := metadata(f.Meta)
	if err != nil {
		return err
	}
	nb := notebook{Cells: []notebookCell{}, Metadata: meta, Format: 4, Minor: 5}
	ids := cellIDs(f.Cells)
	for i, c := range f.Cells {
		out := notebookCell{Kind: c.Kind, ID: ids[i], Metadata: object(c.Meta, json.RawMessage("{}")),
			Attachments: object(c.Attachments, nil), Source: Text(c.Source)}
		if c.Kind == Code {
			n, outputs := count(0), []any{}
			if i < len(ran) {
				n, outputs = count(ran[i].Count), append(outputs, ran[i].Outputs...)
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

// object is what a file has where the format has an object, or instead where it has something else.
func object(raw, instead json.RawMessage) json.RawMessage {
	if len(raw) == 0 || raw[0] != '{' {
		return instead
	}
	return raw
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
