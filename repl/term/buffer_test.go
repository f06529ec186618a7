package term

import (
	"testing"

	"github.com/gorocm/gorocm/internal/printing"
)

// edit plays editing to a buffer. | is the cursor.
func TestBuffer(t *testing.T) {
	for _, c := range []struct {
		name, before string
		do           func(b *buffer)
		after        string
	}{
		{"words to the left", "x.MatMul(日本)|", func(b *buffer) { b.Move(b.wordLeft()) }, "x.MatMul(|日本)"},
		{"words to the right", "|x.MatMul(y)", func(b *buffer) { b.Move(b.wordRight()); b.Move(b.wordRight()) },
			"x.MatMul|(y)"},
		{"accents are part of their letter", "ae\u0301b|", func(b *buffer) { b.Move(b.previous(b.previous(b.pos))) },
			"a|e\u0301b"},
		{"joined emoji are one", "a👩‍👩‍👧|b", func(b *buffer) { b.cut(b.previous(b.pos), b.pos, deleted) }, "a|b"},
		{"flags are two letters", "🇩🇪|🇫🇷", func(b *buffer) { b.cut(b.previous(b.pos), b.pos, deleted) }, "|🇫🇷"},
		{"a newline is one", "a\n|b", func(b *buffer) { b.cut(b.previous(b.pos), b.pos, deleted) }, "a|b"},
		{"up keeps the column", "12345\n1\n12|345", func(b *buffer) { b.Up(); b.Up() }, "12|345\n1\n12345"},
		{"and down", "123|45\n\t\n12345", func(b *buffer) { b.Down(); b.Down() }, "12345\n\t\n123|45"},
		{"columns are those on the screen", "日本|\n1234567", func(b *buffer) { b.Down() }, "日本\n1234|567"},
		{"no line above", "ab|c", func(b *buffer) { b.Up() }, "ab|c"},
		{"kills join", "one two three|", func(b *buffer) {
			b.kill(b.blankWord(), b.pos)
			b.kill(b.blankWord(), b.pos)
			b.Insert(string(b.killed), other)
		}, "one two three|"},
		{"kills to the right join too", "|one two", func(b *buffer) {
			b.kill(b.pos, b.wordRight())
			b.kill(b.pos, b.wordRight())
			b.Insert("<"+string(b.killed)+">", other)
		}, "<one two>|"},
		{"a kill after a move is another", "one two|", func(b *buffer) {
			b.kill(b.wordLeft(), b.pos)
			b.Move(0)
			b.kill(b.pos, b.wordRight())
			b.Insert(string(b.killed), other)
		}, "one| "},
		{"typing is undone at once", "a|", func(b *buffer) { b.Insert("b", typed); b.Insert("c", typed); b.Undo() },
			"a|"},
		{"but not what came before a move", "a|",
			func(b *buffer) { b.Insert("b", typed); b.Move(0); b.Insert("c", typed); b.Undo() }, "|ab"},
		{"a set is undone", "ab|", func(b *buffer) { b.Set("new", 1); b.Undo() }, "ab|"},
		{"nothing to undo", "ab|", func(b *buffer) { b.Undo() }, "ab|"},
		{"transpose at the end", "ab|", func(b *buffer) { b.Transpose() }, "ba|"},
		{"transpose inside", "a|bc", func(b *buffer) { b.Transpose() }, "ba|c"},
		{"transpose at the start of a line", "a\n|bc", func(b *buffer) { b.Transpose() }, "a\n|bc"},
		{"less indentation", "\t\tx|", func(b *buffer) { b.reindent("\t") }, "\tx|"},
	} {
		t.Run(c.name, func(t *testing.T) {
			text, pos := cursorIn(c.before)
			b := newBuffer(text)
			b.Move(pos)
			c.do(b)
			want, wantPos := cursorIn(c.after)
			if b.String() != want || b.pos != wantPos {
				t.Errorf("%q with the cursor at %d, want %q at %d", b.String(), b.pos, want, wantPos)
			}
		})
	}
}

// cursorIn takes the cursor out of a text.
func cursorIn(s string) (text string, pos int) {
	for i, r := range []rune(s) {
		if r == '|' {
			return string([]rune(s)[:i]) + string([]rune(s)[i+1:]), i
		}
	}
	return s, 0
}

func TestOpenCall(t *testing.T) {
	for _, c := range []struct{ text, name, argument string }{
		{"f(|", "f", "f("},
		{"f(a, b|", "f", "f(a,"},
		{"f(g(x), |", "f", "f(g(x),"},
		{"f(g(x|", "f(g", "f(g("},
		{"f(a[1, |", "f", "f("},
		{"f(a)|", "", ""},
		{"f(\"x, |", "f", "f("},
		{"func() { |", "", ""},
		{"f(func() { return |", "", ""},
		{"(a + |", "", ""},
		{"m[int](a|", "m[int]", "m[int]("},
		{"if f(x) {\n\tg(|", "if f(x) {\n\tg", "if f(x) {\n\tg("},
	} {
		text, pos := cursorIn(c.text)
		name, argument, ok := openCall([]rune(text), pos)
		if ok != (c.name != "") || ok && (text[:name] != c.name || text[:argument] != c.argument) {
			t.Errorf("%q: %d, %d, %v; want %q, %q", c.text, name, argument, ok, c.name, c.argument)
		}
	}
}

func TestRecall(t *testing.T) {
	p := &past{load: func() []string { return []string{"a", "bb", "a", "bc"} }}
	p.add("b")
	p.add("b")
	b := newBuffer("b")
	r := newRecall(p, b)
	shown := "b"
	for _, want := range []string{"bc", "bb", ""} {
		text, ok := r.older(shown)
		if text != want || ok != (want != "") {
			t.Fatalf("before %q is %q, want %q", shown, text, want)
		}
		if ok {
			shown = text
		}
	}
	for _, want := range []string{"bc", "b"} {
		text, ok := r.newer(shown)
		if text != want || !ok {
			t.Fatalf("after %q is %q, want %q", shown, text, want)
		}
		shown = text
	}
}

func TestWrapRejoins(t *testing.T) {
	long := "This line of documentation was broken at a hundred columns, which is more than there are here, and so"
	text := long + "\nit goes on. The end.\nA line of its own.\n\n\tcode stays"
	want := "This line of documentation was broken at a hundred columns, which is more than\nthere are here, and so it goes on. The end.\nA line of its own.\n\n\tcode stays"
	if got := printing.Document(text, 80); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := printing.Document(long+"\nit goes on.", 120); got != long+"\nit goes on." {
		t.Errorf("what fits is changed: %q", got)
	}
}
