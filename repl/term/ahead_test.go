package term

import "testing"

func TestEdited(t *testing.T) {
	for _, c := range []struct{ before, keys, want string }{
		{"", "x := 1\rx\r", "x := 1\nx\n"},
		{"", "x\x7f\x7f\x7fy", "y"},
		{"a\n", "b\x15\x15c", "a\nc"},
		{"", "one two \x17three", "one three"},
		{"", "\x17\x15a", "a"},
		{"", "日本\x7f語", "日語"},
		{"", "if x {\r\ty", "if x {\n\ty"},
		{"", string([]rune{'a', keyPaste, keyUp, keyHome, 'b', keyRun, ctrlR, 0xfffd}), "apasted\ntextb\n"},
	} {
		if got := edited(c.before, []rune(c.keys), func() string { return "pasted\ntext" }); got != c.want {
			t.Errorf("%q after %q becomes %q, want %q", c.keys, c.before, got, c.want)
		}
	}
}
