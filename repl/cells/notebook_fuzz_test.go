package cells

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// FuzzNotebook: a file is refused as no notebook, or its cells are the same after they were written as one, which has
// what the format asks for.
func FuzzNotebook(f *testing.F) {
	for _, cells := range []string{"", `{"cell_type":"code","source":["a\n","b"],"metadata":{},"outputs":[],"execution_count":1}`,
		`{"cell_type":"markdown","source":"x","id":"a b","attachments":{"p.png":{"image/png":"AA=="}}},{"cell_type":"raw","id":"a"}`,
		`{"cell_type":"code","metadata":5,"source":"\ud800"},{"cell_type":"code","id":"cell-1","attachments":"x"}`} {
		f.Add([]byte(`{"nbformat":4,"nbformat_minor":5,"metadata":{"kernelspec":{"name":"go"}},"cells":[` + cells + `]}`))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := Parse("x.ipynb", data)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "x.ipynb ") {
				t.Fatalf("an error without the file: %v", err)
			}
			return
		}
		var out bytes.Buffer
		if err := WriteNotebook(&out, file, []Ran{{Count: 3}}); err != nil {
			t.Fatal(err)
		}
		again, err := Parse("x.ipynb", out.Bytes())
		if err != nil || len(again.Cells) != len(file.Cells) {
			t.Fatalf("%d cells after %d: %v\n%s", len(again.Cells), len(file.Cells), err, &out)
		}
		taken := map[string]bool{}
		for i, c := range again.Cells {
			if was := file.Cells[i]; c.Kind != was.Kind || c.Source != was.Source {
				t.Fatalf("cell %d is %+v, and was %+v", i, c, was)
			}
			if !validID.MatchString(c.ID) || taken[c.ID] {
				t.Fatalf("cell %d has the id %q", i, c.ID)
			}
			taken[c.ID] = true
			for name, raw := range map[string]json.RawMessage{"metadata": c.Meta, "attachments": c.Attachments} {
				var object map[string]any
				if err := json.Unmarshal(raw, &object); len(raw) > 0 && err != nil {
					t.Fatalf("cell %d has the %s %s", i, name, raw)
				}
			}
		}
		var twice bytes.Buffer
		if err := WriteNotebook(&twice, again, []Ran{{Count: 3}}); err != nil || !bytes.Equal(twice.Bytes(), out.Bytes()) {
			t.Fatalf("%v: a notebook that is read and written differs:\n%s\n%s", err, &out, &twice)
		}
	})
}
