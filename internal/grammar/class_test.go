package grammar

import (
	"testing"
	"unicode/utf8"
)

// TestClass: the bytes of a class are the UTF-8 of its characters, and of no others.
func TestClass(t *testing.T) {
	for _, c := range []*class{
		newClass(true), newClass(false, span{'a', 'z'}, span{'é', 'é'}), newClass(true, span{'"', '"'}, span{0, 31}, span{0x20, 0x20}),
		newClass(false, span{0x7FE, 0x801}, span{0xD7FE, 0xE001}, span{0xFFFE, 0x10001}, span{0x10FFFF, 0x10FFFF}),
		newClass(true, span{0x800, 0xFFFF}), newClass(false, span{0x3041, 0x309F}), newClass(true, span{0, 0x10FFFE}),
	} {
		count, want := 0, 0
		for _, s := range c.spans {
			want += int(s.high-s.low) + 1
		}
		// All paths of bytes, to those that are whole.
		var walk func(at int, path []byte)
		walk = func(at int, path []byte) {
			for b := range 256 {
				next := c.step(at, byte(b))
				if next < 0 {
					continue
				}
				switch text := append(path, byte(b)); {
				case next > 0:
					walk(next, text)
				default:
					r, size := utf8.DecodeRune(text)
					if count++; size != len(text) || r == utf8.RuneError && size == 1 || !c.meets(r, r) {
						t.Fatalf("%v: % x", c.spans, text)
					}
				}
			}
		}
		if walk(0, make([]byte, 0, 4)); count != want {
			t.Errorf("%v: %d characters, want %d", c.spans, count, want)
		}
	}
}
