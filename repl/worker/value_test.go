package worker

import (
	"strings"
	"testing"
)

// TestValueIsLast: a cell's value comes after all that the cell has written, by whatever way.
func TestValueIsLast(t *testing.T) {
	c := startTest(t)
	eval(t, c, `import "syscall"`)
	long := strings.Repeat("x", 300_000)
	for _, tt := range []struct{ name, code, want string }{
		{"nothing written", `1`, "[1]\n"},
		{"a line", `fmt.Println("a"); 2`, "a\n[2]\n"},
		{"more than a pipe holds", `fmt.Print(strings.Repeat("x", 300_000)); 3`, long + "[3]\n"},
		{"past the session", `syscall.Write(1, []byte("raw\n")); 4`, "raw\n[4]\n"},
		{"past it to stderr", `syscall.Write(2, []byte("raw\n")); 4`, "raw\n[4]\n"},
		{"half a character", `syscall.Write(1, []byte("\xe2\x82")); 5`, "\uFFFD[5]\n"},
		{"a zero byte", `syscall.Write(1, []byte("a\x00")); 6`, "a\x00[6]\n"},
		{"like a crash", `println("panic: not at all"); 7`, "panic: not at all\n[7]\n"},
		{"both, in turns", `fmt.Print("a"); print("b"); fmt.Print("c"); print("d"); 8`, "abcd[8]\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for range 5 {
				if r, out := eval(t, c, tt.code); r.Err != nil || out != tt.want {
					t.Fatalf("%+v\ngot  %.100q\nwant %.100q", r.Err, out, tt.want)
				}
			}
		})
	}
}
