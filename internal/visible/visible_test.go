package visible

import (
	"testing"
	"unicode/utf8"
)

func TestText(t *testing.T) {
	for in, want := range map[string]string{
		"": "", "plain\n\ttext, ä €": "plain\n\ttext, ä €", "\x1b[2J\x1b]0;evil\a": `\x1b[2J\x1b]0;evil\x07`,
		"a\r\nb\rc\bd\x7f": "a\nb" + `\rc\x08d\x7f`, "\u009b31m": `\u009b31m`, "\x9b31m": `\x9b31m`, "�": "�",
	} {
		if got := Text(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func FuzzText(f *testing.F) {
	f.Add("\x1b[31mred\r\n\x9b")
	f.Fuzz(func(t *testing.T, s string) {
		got := Text(s)
		for _, r := range got {
			if obeyed(r) {
				t.Fatalf("%q becomes %q", s, got)
			}
		}
		if !utf8.ValidString(got) || Text(got) != got {
			t.Fatalf("%q becomes %q", s, got)
		}
	})
}
