package native

import (
	"go/types"
	"slices"
	"strings"
	"unicode/utf8"
	"unsafe"

	"github.com/gorocm/gorocm/repl/golang/native/enter"
)

// Some compiled functions neither wait nor panic, take little time for short arguments, and allocate little. They are
// called while the goroutine is pinned, which saves listing the pointers that generated code holds.

// maxQuick is how long a text may be that such a function looks at, and roomQuick how many bytes the result may take.
const (
	maxQuick  = 1 << 10
	roomQuick = maxQuick + 64
)

// quickFunctions are those of texts, characters and numbers, by their packages.
var quickFunctions = map[string][]string{
	"strings": {"Compare", "Contains", "ContainsAny", "ContainsRune", "Count", "Cut", "CutPrefix", "CutSuffix", "EqualFold",
		"HasPrefix", "HasSuffix", "Index", "IndexAny", "IndexByte", "IndexRune", "LastIndex", "LastIndexByte", "ToLower",
		"ToUpper", "Trim", "TrimLeft", "TrimPrefix", "TrimRight", "TrimSpace", "TrimSuffix"},
	"strconv": {"FormatBool", "Itoa"},
	"unicode": {"IsControl", "IsDigit", "IsGraphic", "IsLetter", "IsLower", "IsNumber", "IsPrint", "IsPunct", "IsSpace",
		"IsSymbol", "IsTitle", "IsUpper", "ToLower", "ToTitle", "ToUpper"},
	"unicode/utf8": {"DecodeLastRuneInString", "DecodeRuneInString", "RuneCountInString", "RuneLen", "ValidRune",
		"ValidString"},
}

// quick calls such a function. It reports false, and has done nothing, where the arguments are too long for that.
type quick func(*enter.Context) bool

// quickOf is how a function is called so, nil for one that is not.
func quickOf(f *types.Func, fn any) quick {
	recv := f.Signature().Recv()
	if path := f.Pkg().Path(); path == "math/rand/v2" || path == "math/rand" && recv != nil {
		return quickRand(f.Name(), fn)
	}
	if recv != nil {
		if types.TypeString(recv.Type(), nil) == "*strings.Builder" {
			return quickBuilder[f.Name()]
		}
		return nil
	}
	if slices.Contains(quickFunctions[f.Pkg().Path()], f.Name()) {
		return quickCall(fn)
	}
	return nil
}

// quickCall is how a function is called, by its type.
func quickCall(fn any) quick {
	switch f := fn.(type) {
	case func(string) string:
		return func(c *enter.Context) bool { return short(c, 1) && setTexts(c, f(text(c, 0))) }
	case func(string) int:
		return func(c *enter.Context) bool { return short(c, 1) && setInt(c, 0, f(text(c, 0))) }
	case func(string) bool:
		return func(c *enter.Context) bool { return short(c, 1) && setTruth(c, 0, f(text(c, 0))) }
	case func(string) (rune, int):
		return func(c *enter.Context) bool {
			if !short(c, 1) {
				return false
			}
			r, n := f(text(c, 0))
			return setInt(c, 0, int(r)) && setInt(c, 1, n)
		}
	case func(string, string) string:
		return func(c *enter.Context) bool { return short(c, 2) && setTexts(c, f(text(c, 0), text(c, 2))) }
	case func(string, string) int:
		return func(c *enter.Context) bool { return short(c, 2) && setInt(c, 0, f(text(c, 0), text(c, 2))) }
	case func(string, string) bool:
		return func(c *enter.Context) bool { return short(c, 2) && setTruth(c, 0, f(text(c, 0), text(c, 2))) }
	case func(string, string) (string, bool):
		return func(c *enter.Context) bool {
			if !short(c, 2) {
				return false
			}
			s, ok := f(text(c, 0), text(c, 2))
			return setTexts(c, s) && setTruth(c, 2, ok)
		}
	case func(string, string) (string, string, bool):
		return func(c *enter.Context) bool {
			if !short(c, 2) {
				return false
			}
			a, b, ok := f(text(c, 0), text(c, 2))
			return setTexts(c, a, b) && setTruth(c, 4, ok)
		}
	case func(string, rune) int:
		return func(c *enter.Context) bool { return short(c, 1) && setInt(c, 0, f(text(c, 0), rune(word(c, 2)))) }
	case func(string, rune) bool:
		return func(c *enter.Context) bool { return short(c, 1) && setTruth(c, 0, f(text(c, 0), rune(word(c, 2)))) }
	case func(string, byte) int:
		return func(c *enter.Context) bool { return short(c, 1) && setInt(c, 0, f(text(c, 0), byte(word(c, 2)))) }
	case func(rune) bool:
		return func(c *enter.Context) bool { return setTruth(c, 0, f(rune(word(c, 0)))) }
	case func(rune) rune:
		return func(c *enter.Context) bool { return setInt(c, 0, int(f(rune(word(c, 0))))) }
	case func(rune) int:
		return func(c *enter.Context) bool { return setInt(c, 0, f(rune(word(c, 0)))) }
	case func(int) string:
		return func(c *enter.Context) bool { return setTexts(c, f(word(c, 0))) }
	case func(bool) string:
		return func(c *enter.Context) bool { return setTexts(c, f(word(c, 0) != 0)) }
	}
	return nil
}

// quickBuilder are methods of a strings.Builder that has room for what is written, or takes little memory for it.
var quickBuilder = map[string]quick{
	"Len": func(c *enter.Context) bool {
		b := builder(c)
		return b != nil && setInt(c, 0, b.Len())
	},
	"String": func(c *enter.Context) bool {
		b := builder(c)
		return b != nil && setTexts(c, b.String())
	},
	"WriteByte": func(c *enter.Context) bool {
		b := builder(c)
		if b == nil || !hasRoom(b, 1) {
			return false
		}
		_ = b.WriteByte(byte(word(c, 1)))
		return setTexts(c, "") // no error
	},
	"WriteRune": func(c *enter.Context) bool {
		b := builder(c)
		if b == nil || !hasRoom(b, utf8.UTFMax) {
			return false
		}
		n, _ := b.WriteRune(rune(word(c, 1)))
		setInt(c, 1, 0)
		return setInt(c, 0, n) && setInt(c, 2, 0)
	},
	"WriteString": func(c *enter.Context) bool {
		b, n := builder(c), word(c, 2)
		if b == nil || n > maxQuick || !hasRoom(b, n) {
			return false
		}
		_, _ = b.WriteString(text(c, 1))
		setInt(c, 1, 0)
		return setInt(c, 0, n) && setInt(c, 2, 0)
	},
}

// hasRoom reports whether n bytes can be written with at most a small allocation.
func hasRoom(b *strings.Builder, n int) bool { return b.Cap()-b.Len() >= n || 2*b.Cap()+n <= maxQuick }

// builder is the receiver, nil for one that panics: its first word is its own address once something has been written,
// unless it has been copied.
func builder(c *enter.Context) *strings.Builder {
	b := *c.Pointer(enter.ArgsAt)
	if b == nil {
		return nil
	}
	if own := *(*unsafe.Pointer)(b); own != nil && own != b {
		return nil
	}
	return (*strings.Builder)(b)
}

// text is the argument whose first word is given.
func text(c *enter.Context, i int) string {
	return unsafe.String((*byte)(*c.Pointer(enter.ArgsAt + 8*i)), word(c, i+1))
}

// short reports whether the first n arguments are short texts.
func short(c *enter.Context, n int) bool {
	for i := range n {
		if word(c, 2*i+1) > maxQuick {
			return false
		}
	}
	return true
}

func setInt(c *enter.Context, i, n int) bool {
	*c.Word(enter.ResultsAt + 8*i) = uint64(n)
	return true
}

func setTruth(c *enter.Context, i int, b bool) bool {
	if b {
		return setInt(c, i, 1)
	}
	return setInt(c, i, 0)
}

// setTexts sets results. The texts are not in the memory of the caller's frame: the functions that make them are not
// inlined.
func setTexts(c *enter.Context, list ...string) bool {
	for i, s := range list {
		setInt(c, 2*i, int(uintptr(unsafe.Pointer(unsafe.StringData(s)))))
		setInt(c, 2*i+1, len(s))
	}
	return true
}
