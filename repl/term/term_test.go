package term

import (
	"bytes"
	"context"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/gorocm/gorocm/display"
	"github.com/gorocm/gorocm/repl"
)

func TestKeys(t *testing.T) {
	nl, tab, del := string(newlineRune), string(tabRune), string(deleteRune)
	for _, c := range []struct{ name, in, want string }{
		{"text", "x := 1\r", "x := 1\r"},
		{"umlaut", "ä日", "ä日"},
		{"home, end", "\x1b[1~\x1b[4~\x1b[H", "\x01\x05\x1b[H"},
		{"delete", "\x1b[3~", del},
		{"alt-enter", "\x1b\r", nl},
		{"page keys", "a\x1b[5~b", "ab"},
		{"typed tab", "\t", "\t"},
		{"escape alone", "\x1b", "\x1b"},
		{"unknown sequence", "\x1b[15~", "\x1b[15~"},
		{"paste", "\x1b[200~a\r\n\tb\rc\nd\x03\x1b[A\x7f\x1b[201~\r", "a" + nl + tab + "b" + nl + "c" + nl + "d[A\r"},
		{"paste without an end", "\x1b[200~a\nb", "a" + nl + "b"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for name, in := range map[string]io.Reader{
				"at once":      strings.NewReader(c.in),
				"byte by byte": iotest.OneByteReader(strings.NewReader(c.in)),
			} {
				got, err := io.ReadAll(&keyReader{in: in})
				if err != nil || string(got) != c.want {
					t.Errorf("%s: %q, %v; want %q", name, got, err, c.want)
				}
			}
		})
	}
}

func FuzzKeys(f *testing.F) {
	f.Add([]byte("\x1b[200~a\n\x1b[201~"), 3)
	f.Fuzz(func(t *testing.T, in []byte, cut int) {
		whole, _ := io.ReadAll(&keyReader{in: bytes.NewReader(in)})
		cut = max(0, min(cut, len(in)))
		parts := io.MultiReader(bytes.NewReader(in[:cut]), bytes.NewReader(in[cut:]))
		if got, _ := io.ReadAll(&keyReader{in: parts}); !bytes.Equal(got, whole) {
			t.Fatalf("%q read in two parts at %d gives %q, at once %q", in, cut, got, whole)
		}
	})
}

func TestComplete(t *testing.T) {
	shown := ""
	complete := func(before string, columns int) completer {
		return completer{
			complete: newFake().Complete, before: func() string { return before },
			show: func(s string) { shown += s }, columns: func() int { return columns },
			replace: func(line string) { shown += "line: " + line },
		}
	}
	for _, c := range []struct {
		name, before, line string
		pos, columns       int
		want, list         string
	}{
		{"nothing typed indents", "x\n", "\t", 1, 80, "\t", ""},
		{"one match", "", "x.ten", 5, 80, "sor", ""},
		{"in the middle", "", "x.tenq", 5, 80, "sor", ""},
		{"common prefix", "", "M", 1, 80, "at", ""},
		{"list", "", "Mat", 3, 80, "", "MatMul  func (*Tensor) MatMul(b *Tensor) *Tensor\nMatVec  method\n"},
		{"list in a narrow window", "", "Mat", 3, 12, "", "MatMul  fu…\nMatVec  me…\n"},
		{"no match", "", "zzz", 3, 80, "", ""},
		{"another case", "a\n", "x.tEN", 5, 80, "", "line: x.tensor"},
		{"another case, several", "", "mat", 3, 80, "", "MatMul  func (*Tensor) MatMul(b *Tensor) *Tensor\nMatVec  method\n"},
		{"arguments", "", "f(", 2, 80, "", "f(‹x int›)\ntensor  package\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			shown = ""
			got, _ := complete(c.before, c.columns).Do([]rune(c.line), c.pos)
			text := ""
			if len(got) == 1 {
				text = string(got[0])
			}
			if text != c.want || len(got) > 1 {
				t.Errorf("completes %q, want %q", got, c.want)
			}
			if shown != c.list {
				t.Errorf("lists %q, want %q", shown, c.list)
			}
		})
	}
	var many []repl.Match
	for i := range 300 {
		many = append(many, repl.Match{Text: strings.Repeat("m", 1+i%20)})
	}
	for _, columns := range []int{1, 10, 80} {
		for _, line := range strings.Split(list(many, columns), "\n") {
			if len([]rune(line)) > columns && !strings.HasPrefix(line, "… and") {
				t.Errorf("a line of %d in %d columns: %q", len([]rune(line)), columns, line)
			}
		}
	}
}

func TestHighlight(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"x + y", "x + y"},
		{"return 1", blue + "return" + reset + " " + cyan + "1" + reset},
		{`"日" // c`, green + `"日"` + reset + " " + dim + "// c" + reset},
		{`"open`, green + `"open` + reset},
		{"for" + string(newlineRune) + "if", blue + "for" + reset + "␤" + blue + "if" + reset},
	} {
		if got := string(painter{true}.Paint([]rune(c.line), 0)); got != c.want {
			t.Errorf("%q is painted %q, want %q", c.line, got, c.want)
		}
	}
}

func FuzzHighlight(f *testing.F) {
	f.Add("x := `a\ue00a\xff")
	f.Fuzz(func(t *testing.T, line string) {
		runes := []rune(line)
		plain := string(painter{false}.Paint(runes, 0))
		if strings.Contains(plain, "\x1b") {
			return
		}
		if got := withoutEscapes(string(painter{true}.Paint(runes, 0))); got != plain {
			t.Fatalf("without colours %q is %q, with them %q", line, plain, got)
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
	code, err := Run(context.Background(), func() (repl.Session, error) { return f, nil }, Options{In: in, Out: out, Err: errOut})
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
		{"update in place", true, []repl.Event{show(repl.Display, "p", "1"), show(repl.Update, "p", "2")}, "1\n\x1b[1A\r\x1b[J2\n"},
		{"update of another", true, []repl.Event{show(repl.Display, "p", "1"), show(repl.Update, "q", "2")}, "1\n2\n"},
		{"update further up", true, []repl.Event{show(repl.Display, "p", "1"), stream("stdout", "x\n"), show(repl.Update, "p", "2")}, "1\nx\n2\n"},
		{"clear", true, []repl.Event{stream("stdout", "1\n2"), {Kind: repl.Clear}, stream("stdout", "3\n")}, "1\n2\x1b[1A\r\x1b[J3\n"},
		{"clear later", true, []repl.Event{stream("stdout", "1\n"), {Kind: repl.Clear, Wait: true}, stream("stdout", "3\n")}, "1\n\x1b[1A\r\x1b[J3\n"},
		{"clear wrapped lines", true, []repl.Event{stream("stdout", strings.Repeat("x", 25)+"\n"), {Kind: repl.Clear}}, strings.Repeat("x", 25) + "\n\x1b[3A\r\x1b[J"},
		{"clear on a pipe", false, []repl.Event{stream("stdout", "1\n"), {Kind: repl.Clear}, stream("stdout", "2\n")}, "1\n2\n"},
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
		{"日本 日本", "日本\n日本"},
	} {
		if got := wrap(c.text, 8); got != c.want {
			t.Errorf("wrap(%q) = %q, want %q", c.text, got, c.want)
		}
	}
}

func TestPrinterPictures(t *testing.T) {
	p := display.Heatmap([][]float64{{0, 1}, {2, 3}})
	var b bytes.Buffer
	printer := &Printer{Out: &b, Err: &b, Colour: true, TrueColour: true}
	printer.Event(repl.Event{Kind: repl.Result, Data: display.Render(p)})
	if !strings.Contains(b.String(), "\x1b[38;2;68;1;84m") || !strings.HasSuffix(b.String(), "\x1b[0m\nheatmap, 2 × 2, values from 0 (dark) to 3 (bright)\n") {
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
