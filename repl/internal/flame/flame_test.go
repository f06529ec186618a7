package flame

import (
	"flag"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/pprof/profile"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// stacks makes a profile of lines "MILLISECONDS inner outer …"; a name may be FUNCTION@FILE:LINE.
func stacks(t *testing.T, text string) *profile.Profile {
	t.Helper()
	p := &profile.Profile{}
	known := map[string]*profile.Location{}
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		s := &profile.Sample{Value: []int64{int64(len(words[0])), 0}}
		for _, d := range words[0] {
			s.Value[1] = 10*s.Value[1] + int64(d-'0')*1e6
		}
		for _, w := range words[1:] {
			if known[w] == nil {
				name, at, _ := strings.Cut(strings.ReplaceAll(w, "_", " "), "@")
				file, number, _ := strings.Cut(at, ":")
				f := &profile.Function{Name: name, Filename: file}
				for _, d := range number {
					f.StartLine = 10*f.StartLine + int64(d-'0')
				}
				known[w] = &profile.Location{Line: []profile.Line{{Function: f}}}
			}
			s.Location = append(s.Location, known[w])
		}
		p.Sample = append(p.Sample, s)
	}
	return p
}

const some = `100 work@cell[1]:3 cell[2]@cell[2]:1
900 strings.Repeat work@cell[1]:3 cell[2]@cell[2]:1
20 example.com/a/b.(*T[example.com/x.Y]).M work@cell[1]:3 cell[2]@cell[2]:1
300 sort.quick sort.quick sort.quick sort.Sort <odd>&"name"@cell[7]:12 cell[2]@cell[2]:1
4 tiny cell[2]@cell[2]:1
60 the_garbage_collector
`

// TestTree: the text at several widths, and the boxes.
func TestTree(t *testing.T) {
	tree := New(stacks(t, some))
	var all strings.Builder
	for _, columns := range []int{40, 80} {
		text := tree.Text(columns)
		for line := range strings.Lines(text) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > columns && strings.Contains(line, "%") {
				t.Errorf("%d columns at %d: %s", n, columns, line)
			}
		}
		all.WriteString(text + "\n")
	}
	html := tree.HTML()
	_, boxes, _ := strings.Cut(html, "</style>")
	boxes, _, _ = strings.Cut(boxes, "<script>")
	all.WriteString(strings.ReplaceAll(boxes, "><", ">\n<") + "\n")
	const golden = "testdata/tree.golden"
	if *update {
		if err := os.WriteFile(golden, []byte(all.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if all.String() != string(want) {
		t.Errorf("run go test -update and read the difference:\n%s", all.String())
	}
	if strings.Contains(html, "http") || strings.Contains(html, "<odd>") {
		t.Error("the graph loads something, or a name is not escaped")
	}
}

// TestEmpty: a profile without samples says why.
func TestEmpty(t *testing.T) {
	tree := New(&profile.Profile{})
	if text := tree.Text(80); !strings.Contains(text, "no samples") || !strings.Contains(tree.HTML(), "no samples") {
		t.Error(text)
	}
}
