package term

import (
	"bytes"
	"context"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/gorocm/gorocm/display"
	"github.com/gorocm/gorocm/internal/printing"
	"github.com/gorocm/gorocm/repl"
)

func TestKeys(t *testing.T) {
	key := func(r rune) string { return string(r) }
	for _, c := range []struct{ name, in, want string }{
		{"text", "x := 1\r", "x := 1\r"},
		{"umlaut", "ä日", "ä日"},
		{"home, end", "\x1b[1~\x1b[4~\x1b[H\x1bOF", home + end + home + end},
		{"arrows", "\x1b[A\x1bOB\x1b[1;5C", up + down + wordRight},
		{"delete", "\x1b[3~", key(keyDelete)},
		{"alt-enter", "\x1b\r", key(keyNewline)},
		{"alt-b", "\x1bb", wordLeft},
		{"alt and a key that is none", "\x1bq", ""},
		{"page keys", "a\x1b[5~b", "a" + key(keyPageUp) + "b"},
		{"typed tab", "\t", "\t"},
		{"unknown sequence", "a\x1b[15~\x1b[?1;2cb", "ab"},
		{"function key of the Linux console", "\x1b[[B", key(keyStatus)},
		{"no sequence after all", "\x1b[\rx", "\rx"},
		{"a zero byte", "a\x00b", "ab"},
		{"paste", "\x1b[200~a\r\n\tb\rc\nd\x03\x1b[A\x7f\x1b[201~\r", key(keyPaste) + "\r<a\n\tb\nc\nd[A>"},
		{"paste without an end", "\x1b[200~a\nb", key(keyPaste) + "<a\nb>"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for name, in := range map[string]io.Reader{
				"at once":      strings.NewReader(c.in),
				"byte by byte": iotest.OneByteReader(strings.NewReader(c.in)),
			} {
				got, err := readKeys(in)
				if err != nil || got != c.want {
					t.Errorf("%s: %q, %v; want %q", name, got, err, c.want)
				}
			}
		})
	}
}

// readKeys returns all keys, and after them the pasted blocks.
func readKeys(in io.Reader) (string, error) {
	k := &keyReader{in: in}
	text, err := allKeys(k)
	for range strings.Count(text, string(keyPaste)) {
		text += "<" + k.paste() + ">"
	}
	return text, err
}

func allKeys(k *keyReader) (string, error) {
	var keys strings.Builder
	for {
		key, err := k.next()
		if err == io.EOF {
			return keys.String(), nil
		}
		if err != nil {
			return keys.String(), err
		}
		keys.WriteString(key)
	}
}

func TestEscapeKey(t *testing.T) {
	waited := false
	k := &keyReader{in: strings.NewReader("\x1b"), more: func(time.Duration) bool { waited = true; return false }}
	got, err := allKeys(k)
	if err != nil || got != string(keyEscape) || !waited {
		t.Errorf("an escape with nothing behind it is %q, %v", got, err)
	}
}

func FuzzKeys(f *testing.F) {
	f.Add([]byte("\x1b[200~a\n\x1b[201~"), 3)
	f.Add([]byte("\x1b[1;5C\x1bOA\x1b"), 2)
	f.Add([]byte("0\x1b\x1b[A"), 3)
	f.Fuzz(func(t *testing.T, in []byte, cut int) {
		whole, _ := readKeys(bytes.NewReader(in))
		cut = max(0, min(cut, len(in)))
		parts := io.MultiReader(bytes.NewReader(in[:cut]), bytes.NewReader(in[cut:]))
		if got, _ := readKeys(parts); got != whole {
			t.Fatalf("%q read in two parts at %d gives %q, at once %q", in, cut, got, whole)
		}
	})
}

// TestControlsInCell: control characters of a cell, such as those of a file's name, are shown, and the cursor knows how
// wide they are.
func TestControlsInCell(t *testing.T) {
	text := []rune("%run a\x1b]0;x\x07b\u009b31m\x7f")
	f := layout("> ", ". ", text, nil, len(text), nil, 200, 10)
	want := `> %run a\x1b]0;x\x07b\u009b31m\x7f`
	if len(f.rows) != 1 || f.rows[0] != want || f.col != len(want) {
		t.Errorf("%q, the cursor at %d of %d", f.rows, f.col, len(want))
	}
	m := menu{matches: []repl.Match{{Text: "a\x1b[2J", Kind: "file", Signature: "\x1b[2J", Doc: "\x1b[2J"}}}
	for m.chosen = range 1 {
		if rows := strings.Join(m.rows(look{}, 80, 10), "\n"); strings.Contains(rows, "\x1b") {
			t.Errorf("%q", rows)
		}
	}
}

// painted is a cell as it is drawn with colours, on one very wide row for each line.
func painted(text string, pos int) string {
	runes := []rune(text)
	return strings.Join(layout("", "", runes, highlight(runes, pos), pos, nil, 10_000, 10_000).rows, "\n")
}

func TestHighlight(t *testing.T) {
	pairOf := bold + underline
	for _, c := range []struct {
		text string
		pos  int
		want string
	}{
		{"x + y", -1, "x + y"},
		{"return 1", -1, bold + "return" + reset + " " + magenta + "1" + reset},
		{"x := `a\n%d`", 0, "x := " + green + "`a" + reset + "\n" + magenta + "%d`" + reset},
		{`"日" // c`, -1, green + `"日"` + reset + " " + dim + "// c" + reset},
		{`"open`, -1, green + `"open` + reset},
		{"for\nif", -1, bold + "for" + reset + "\n" + bold + "if" + reset},
		{"`a\nb`", -1, green + "`a" + reset + "\n" + green + "b`" + reset},
		{"len(x.len)", -1, magenta + "len" + reset + "(x.len)"},
		{"%time for", -1, magenta + "%time for" + reset},
		{"x ||\n!y", -1, "x ||\n!y"},
		{"f(a[0])", 7, "f" + pairOf + "(" + reset + "a[" + magenta + "0" + reset + "]" + pairOf + ")" + reset},
		{"f(a[b])", 6, "f(a" + pairOf + "[" + reset + "b" + pairOf + "]" + reset + ")"},
		{"f(日)", 1, "f" + pairOf + "(" + reset + "日" + pairOf + ")" + reset},
		{"f(]", 3, "f(" + red + reverse + "]" + reset},
		{`f("(")`, 4, `f(` + green + `"("` + reset + `)`},
		{"!echo é\n1", 0, magenta + "!echo é" + reset + "\n" + magenta + "1" + reset},
	} {
		if got := painted(c.text, c.pos); got != c.want {
			t.Errorf("%q with the cursor at %d is painted %q, want %q", c.text, c.pos, got, c.want)
		}
	}
}

func FuzzHighlight(f *testing.F) {
	f.Add("x := `a\n\xff", 3)
	f.Add("f(g[h{1, 2}, \"日", 5)
	f.Fuzz(func(t *testing.T, text string, pos int) {
		if strings.ContainsAny(text, "\x1b\u009b\r") {
			return
		}
		runes := []rune(text)
		pos = max(0, min(pos, len(runes)))
		openCall(runes, pos)
		plain := strings.Join(layout("> ", ". ", runes, nil, pos, nil, 20, 1000).rows, "\n")
		colours := layout("> ", ". ", runes, highlight(runes, pos), pos, nil, 20, 1000)
		if got := printing.Plain(strings.Join(colours.rows, "\n")); got != plain {
			t.Fatalf("without colours %q is %q, with them %q", text, plain, got)
		}
		if colours.row < 0 || colours.row >= len(colours.rows) || colours.col < 0 || colours.col >= 20 {
			t.Fatalf("%q at %d: the cursor is at %d, %d of %d rows", text, pos, colours.row, colours.col,
				len(colours.rows))
		}
	})
}

func TestQuestion(t *testing.T) {
	for _, c := range []struct {
		cell, name string
		detail     int
		ok         bool
	}{
		{"?x", "x", 0, true}, {"x.y?", "x.y", 0, true}, {"??x", "x", 1, true}, {"x??", "x", 1, true},
		{"x", "", 0, false}, {"?", "", 0, false}, {`"what?"`, "", 0, false}, {"a\nb?", "", 0, false},
	} {
		if name, detail, ok := question(c.cell); ok != c.ok || ok && (name != c.name || detail != c.detail) {
			t.Errorf("question(%q) = %q, %d, %v", c.cell, name, detail, ok)
		}
	}
}

// pipe runs the front end on input from a pipe.
func pipe(t *testing.T, input string) (f *fake, stdout, stderr string, code int) {
	t.Helper()
	file := func(content string) *os.File {
		f, err := os.CreateTemp(t.TempDir(), "")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = f.Close() })
		if _, err := f.WriteString(content); err != nil {
			t.Fatal(err)
		}
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			t.Fatal(err)
		}
		return f
	}
	in, out, errOut := file(input), file(""), file("")
	f = newFake()
	code, err := Run(context.Background(), func() (repl.Session, error) { return f, nil },
		Options{In: in, Out: out, Err: errOut})
	if err != nil {
		t.Fatal(err)
	}
	content := func(f *os.File) string {
		b, err := os.ReadFile(f.Name())
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	return f, content(out), content(errOut), code
}

func TestPipe(t *testing.T) {
	f, out, errOut, code := pipe(t, "print no newline\n\nfunc f() {\n\tx\n}\r\nwarn careful\nprint \nlast line")
	if want := "no newline\n\"func f() {\\n\\tx\\n}\"\n\"last line\"\n"; out != want {
		t.Errorf("output %q, want %q", out, want)
	}
	if errOut != "careful\n" || code != 0 || len(f.cells) != 5 {
		t.Errorf("errors %q, exit %d, cells %q", errOut, code, f.cells)
	}
	f, _, errOut, code = pipe(t, "fail bad\nprint never\n")
	if code != 1 || len(f.cells) != 1 || !strings.HasPrefix(errOut, "TypeError: bad\n") {
		t.Errorf("a failed cell: exit %d, cells %q, errors %q", code, f.cells, errOut)
	}
	if _, _, _, code = pipe(t, "exit 3\nprint never\n"); code != 3 {
		t.Errorf("os.Exit(3): exit %d", code)
	}
	if f, _, _, _ = pipe(t, "open {\nprint x"); len(f.cells) != 1 {
		t.Errorf("an unfinished cell at the end runs, for its error: %q", f.cells)
	}
}

func TestPrinter(t *testing.T) {
	stream := func(name, s string) repl.Event { return repl.Event{Kind: repl.Stream, Name: name, Text: s} }
	show := func(kind repl.EventKind, id, s string) repl.Event {
		return repl.Event{Kind: kind, ID: id, Data: display.Bundle{display.MIMEText: s}}
	}
	for _, c := range []struct {
		name     string
		terminal bool
		events   []repl.Event
		want     string
	}{
		{"result after an open line", false, []repl.Event{stream("stdout", "a"), show(repl.Result, "", "1")}, "a\n1\n"},
		{"label", true, []repl.Event{show(repl.Result, "", "1")}, "Out[4]: 1\n"},
		{"label of several lines", true, []repl.Event{show(repl.Result, "", "1\n2\n")}, "Out[4]:\n1\n2\n"},
		{"notice", true, []repl.Event{{Kind: repl.Notice, Text: "restarted"}}, "restarted\n"},
		{"update on a pipe", false, []repl.Event{show(repl.Display, "p", "1"), show(repl.Update, "p", "2")}, "1\n2\n"},
		{"update in place", true, []repl.Event{show(repl.Display, "p", "1"), show(repl.Update, "p", "2")},
			"1\n\x1b[1A\r\x1b[J2\n"},
		{"update of another", true, []repl.Event{show(repl.Display, "p", "1"), show(repl.Update, "q", "2")}, "1\n2\n"},
		{"update further up", true, []repl.Event{show(repl.Display, "p", "1"), stream("stdout", "x\n"),
			show(repl.Update, "p", "2")}, "1\nx\n2\n"},
		{"clear", true, []repl.Event{stream("stdout", "1\n2"), {Kind: repl.Clear}, stream("stdout", "3\n")},
			"1\n2\x1b[1A\r\x1b[J3\n"},
		{"clear later", true, []repl.Event{stream("stdout", "1\n"), {Kind: repl.Clear, Wait: true},
			stream("stdout", "3\n")}, "1\n\x1b[1A\r\x1b[J3\n"},
		{"clear wrapped lines", true, []repl.Event{stream("stdout", strings.Repeat("x", 25)+"\n"), {Kind: repl.Clear}},
			strings.Repeat("x", 25) + "\n\x1b[3A\r\x1b[J"},
		{"clear on a pipe", false, []repl.Event{stream("stdout", "1\n"), {Kind: repl.Clear}, stream("stdout", "2\n")},
			"1\n2\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var b bytes.Buffer
			p := &Printer{Out: &b, Err: &b, Labels: c.terminal}
			if c.terminal {
				p.Size = func() (int, int) { return 10, 24 }
			}
			p.Begin(4)
			for _, e := range c.events {
				p.Event(e)
			}
			p.Reply(repl.Reply{Count: 4})
			if b.String() != c.want {
				t.Errorf("%q, want %q", b.String(), c.want)
			}
		})
	}
}

func TestWrap(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"one two three", "one two\nthree"},
		{"a verylongword b", "a\nverylongword\nb"},
		{"\tcode that stays as it is", "\tcode that stays as it is"},
		{"a\n\nb", "a\n\nb"},
		{"  one two three", "  one\n    two\n    three"},
		{red + "one" + reset + " two three", red + "one" + reset + " two\nthree"},
		{"日本 日本", "日本\n日本"},
	} {
		if got := printing.Fold(c.text, 8); got != c.want {
			t.Errorf("Fold(%q) = %q, want %q", c.text, got, c.want)
		}
	}
}

func TestPrinterPictures(t *testing.T) {
	p := display.Imshow([][]float64{{0, 1}, {2, 3}})
	var b bytes.Buffer
	printer := &Printer{Out: &b, Err: &b, Colour: true, TrueColour: true}
	printer.Event(repl.Event{Kind: repl.Result, Data: display.Render(p)})
	if !strings.Contains(b.String(), "\x1b[38;2;68;1;84m") ||
		!strings.HasSuffix(b.String(), "\x1b[0m\npicture, 2 × 2, values from 0 (dark) to 3 (bright)\n") {
		t.Errorf("%q", b.String())
	}
}

// TestScriptOutput: what cells of a script print is not changed, and results begin on lines of their own.
func TestScriptOutput(t *testing.T) {
	var out, errs strings.Builder
	p := &Printer{Out: &out, Err: &errs}
	for i, e := range []repl.Event{
		{Kind: repl.Stream, Name: "stdout", Text: "a"},
		{Kind: repl.Stream, Name: "stdout", Text: "b"},
		{Kind: repl.Result, Data: display.Bundle{"text/plain": "2"}},
		{Kind: repl.Stream, Name: "stdout", Text: "c"},
	} {
		p.Begin(i + 1)
		p.Event(e)
		p.Reply(repl.Reply{})
	}
	if got, want := out.String(), "ab\n2\nc"; got != want || errs.Len() > 0 {
		t.Errorf("got %q and %q, want %q", got, errs.String(), want)
	}
}
