package assist_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/repl/golang/assist"
)

// halfWritten are seeds: what people have typed so far.
var halfWritten = []string{
	"person.|", "fmt.Println(person.|", "for _, p := range people { p.|", "func f(p Person) {\n\tif p.|\nfunc g() {}",
	"Person{Name: \"a\", |}",
	"x := `raw|", "\"abc|", "/* |", "'|", "import \"|", "import (\n\t|", "switch shape.(type) {\ncase |", "goto |", "a[|", "map[|", "func (|", "func (p |",
	"type T struct {\n|", "select { case |", "go func() { |", "defer |", "1.|", "x.(|", "}}|{{", ")|(", "\x00|",
	"\xff|\xfe", "a\r\nb.|", "//line x:1\n|", "é.|",
	"var x, y |", "const (\n\ta = |", "func f[T |", "Stack[|", "Stack[int]{|", "[...]Person{1: {|", "<-|", "&|", "x |",
	"if x := |; x", "for ; |;", "L: |", "return |",
	"%time person.|", "func() func() { return func() { |", "struct{|", "interface{|", "package |", "_ = |", "...|",
	"a ...|", "load(\"|", "func (p Person) |", "\"\\|", "'\\|",
	"p := Person{\n\tName: |\n}", "setDay(func() Weekday { return | }(), 3)", "cursorꓸ|", "must.|", "out.|",
	"import . \"math\"\n|", "var _ = |", "type P = |", "break |", "(|", "{|",
	"A| \xa30", "000\x8b0000|", "\xd0|0",
}

func addSeeds(f *testing.F) {
	for _, s := range halfWritten {
		cursor := strings.IndexByte(s, '|')
		f.Add(s[:cursor]+s[cursor+1:], cursor)
	}
	for _, tt := range completeTests {
		cursor := strings.LastIndexByte(tt.code, '|')
		f.Add(tt.code[:cursor]+tt.code[cursor+1:], cursor)
	}
	for _, tt := range inspectTests {
		cursor := strings.LastIndexByte(tt.code, '|')
		f.Add(tt.code[:cursor]+tt.code[cursor+1:], cursor)
	}
}

// FuzzComplete: whatever is typed, what is to be replaced holds the cursor, and no match appears twice. Complete
// passes over panics, but not in tests.
func FuzzComplete(f *testing.F) {
	thorough.Slow(f)
	e := completionEngine(f)
	addSeeds(f)
	f.Fuzz(func(t *testing.T, code string, cursor int) {
		if cursor < 0 || cursor > len(code) {
			return
		}
		c := e.Complete(code, cursor)
		if c.Start < 0 || c.Start > cursor || c.End < cursor || c.End > len(code) {
			t.Fatalf("%q at %d: replaces %d to %d", code, cursor, c.Start, c.End)
		}
		seen := map[string]bool{}
		for _, m := range c.Matches {
			if seen[m.Text] || m.Text == "" || strings.Contains(m.Text, assist.CursorMark) || utf8.ValidString(code) &&
				!utf8.ValidString(m.Text) {
				t.Fatalf("%q at %d: match %q", code, cursor, m.Text)
			}
			seen[m.Text] = true
		}
		if c.Text != nil && (c.Text.Start > cursor || c.Text.End < cursor || c.Text.End > len(code)) {
			t.Fatalf("%q at %d: string %+v", code, cursor, c.Text)
		}
	})
}

// FuzzInspect: whatever stands at the cursor, a description has text.
func FuzzInspect(f *testing.F) {
	thorough.Slow(f)
	e := completionEngine(f)
	addSeeds(f)
	f.Fuzz(func(t *testing.T, code string, cursor int) {
		if cursor < 0 || cursor > len(code) {
			return
		}
		for detail := range 2 {
			if d, ok := e.Describe(code, cursor, detail); ok && (d.Text() == "" || d.HTML() == "" || d.Name == "") {
				t.Fatalf("%q at %d: %+v", code, cursor, d)
			}
		}
	})
}

// FuzzRepair: nothing is lost, positions stay in order, and what is whole stays as it is.
func FuzzRepair(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, code string, _ int) {
		text, at := assist.Repair(code)
		last := 0
		for off := 0; off <= len(code); off++ {
			now := at(off)
			if now < last || now > len(text) {
				t.Fatalf("%q: offset %d is at %d of %q", code, off, now, text)
			}
			last = now
			if off < len(code) {
				if next := at(off + 1); text[next-1] != code[off] &&
					!(text[next-1] == ' ' && strings.IndexByte(")]}", code[off]) >= 0) {
					t.Fatalf("%q: byte %d is %q in %q", code, off, text[next-1], text)
				}
			}
		}
		status, _ := assist.IsComplete(code)
		if status == "" {
			t.Fatalf("%q has no status", code)
		}
		if status == "complete" && strings.TrimSpace(code) != "" && text != code {
			t.Fatalf("%q becomes %q", code, text)
		}
	})
}
