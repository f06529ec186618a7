package quick

import (
	"go/types"
	"slices"
	"strings"

	"github.com/gorocm/gorocm/repl/golang/native/defers"
	"github.com/gorocm/gorocm/repl/golang/native/enter"
)

// functions are those of texts, characters and numbers, by their packages.
var functions = map[string][]string{
	"bytes": {"Compare", "Contains", "Count", "Equal", "EqualFold", "HasPrefix", "HasSuffix", "Index", "IndexByte",
		"LastIndex", "LastIndexByte"},
	"errors": {"New"},
	"sort":   {"SearchFloat64s", "SearchInts", "SearchStrings"},
	"strings": {"Compare", "Contains", "ContainsAny", "ContainsRune", "Count", "Cut", "CutPrefix", "CutSuffix", "EqualFold",
		"Fields", "HasPrefix", "HasSuffix", "Index", "IndexAny", "IndexByte", "IndexRune", "Join", "LastIndex",
		"LastIndexByte", "Repeat", "ReplaceAll", "Split", "ToLower", "ToUpper", "Trim", "TrimLeft", "TrimPrefix",
		"TrimRight", "TrimSpace", "TrimSuffix"},
	"strconv": {"AppendInt", "AppendUint", "Atoi", "FormatBool", "FormatFloat", "FormatInt", "FormatUint", "Itoa",
		"ParseBool", "ParseFloat", "ParseInt", "ParseUint", "Quote"},
	"unicode": {"IsControl", "IsDigit", "IsGraphic", "IsLetter", "IsLower", "IsNumber", "IsPrint", "IsPunct", "IsSpace",
		"IsSymbol", "IsTitle", "IsUpper", "ToLower", "ToTitle", "ToUpper"},
	"unicode/utf8": {"DecodeLastRuneInString", "DecodeRuneInString", "RuneCountInString", "RuneLen", "ValidRune",
		"ValidString"},
}

// Of is how a function of a compiled package is called, nil for one that is not.
func Of(f *types.Func, fn any) Func {
	recv := f.Signature().Recv()
	if path := f.Pkg().Path(); path == "math/rand/v2" || path == "math/rand" && recv != nil {
		return random(f.Name(), fn)
	}
	if recv != nil {
		return ofMethod(types.TypeString(recv.Type(), nil), f.Name())
	}
	if f.Pkg() == defers.Package {
		return ofDefers(f.Name(), fn)
	}
	if !slices.Contains(functions[f.Pkg().Path()], f.Name()) {
		return nil
	}
	for _, by := range []func(any) Func{ofText, ofTexts, ofBytes, ofNumber, toNumber, toTexts} {
		if q := by(fn); q != nil {
			return q
		}
	}
	return nil
}

func ofMethod(recv, name string) Func {
	switch {
	case recv == "*strings.Builder":
		return builderMethods[name]
	case strings.HasPrefix(recv, "*sync."):
		return ofLocks(recv, name)
	}
	return ofLists(recv, name)
}

// ofText calls functions of a text.
func ofText(fn any) Func {
	switch f := fn.(type) {
	case func(string) string:
		return func(c *enter.Context) bool { return short(c, 0) && setText(c, 0, f(c.Text(0))) }
	case func(string) int:
		return func(c *enter.Context) bool { return short(c, 0) && c.SetInt(0, f(c.Text(0))) }
	case func(string) bool:
		return func(c *enter.Context) bool { return short(c, 0) && c.SetBool(0, f(c.Text(0))) }
	case func(string) error:
		return func(c *enter.Context) bool { return short(c, 0) && setError(c, 0, f(c.Text(0))) }
	case func(string) (rune, int):
		return func(c *enter.Context) bool {
			if !short(c, 0) {
				return false
			}
			r, n := f(c.Text(0))
			return c.SetInt(0, int(r)) && c.SetInt(1, n)
		}
	case func(string, rune) int:
		return func(c *enter.Context) bool { return short(c, 0) && c.SetInt(0, f(c.Text(0), rune(c.Arg(2)))) }
	case func(string, rune) bool:
		return func(c *enter.Context) bool { return short(c, 0) && c.SetBool(0, f(c.Text(0), rune(c.Arg(2)))) }
	case func(string, byte) int:
		return func(c *enter.Context) bool { return short(c, 0) && c.SetInt(0, f(c.Text(0), byte(c.Arg(2)))) }
	case func(string, int) string: // Repeat
		return func(c *enter.Context) bool {
			n := c.Arg(2)
			return n >= 0 && n <= Most && n*c.Arg(1) <= Most && short(c, 0) && setText(c, 0, f(c.Text(0), n))
		}
	}
	return nil
}

// ofTexts calls functions of two texts and more.
func ofTexts(fn any) Func {
	switch f := fn.(type) {
	case func(string, string) string:
		return func(c *enter.Context) bool { return short(c, 0, 2) && setText(c, 0, f(c.Text(0), c.Text(2))) }
	case func(string, string) int:
		return func(c *enter.Context) bool { return short(c, 0, 2) && c.SetInt(0, f(c.Text(0), c.Text(2))) }
	case func(string, string) bool:
		return func(c *enter.Context) bool { return short(c, 0, 2) && c.SetBool(0, f(c.Text(0), c.Text(2))) }
	case func(string, string) (string, bool):
		return func(c *enter.Context) bool {
			if !short(c, 0, 2) {
				return false
			}
			s, ok := f(c.Text(0), c.Text(2))
			return c.SetText(0, s) && c.SetBool(2, ok)
		}
	case func(string, string) (string, string, bool):
		return func(c *enter.Context) bool {
			if !short(c, 0, 2) {
				return false
			}
			a, b, ok := f(c.Text(0), c.Text(2))
			return c.SetText(0, a) && c.SetText(2, b) && c.SetBool(4, ok)
		}
	case func(string, string, string) string: // ReplaceAll
		return func(c *enter.Context) bool {
			return (c.Arg(1)+1)*(c.Arg(5)+1) <= 4*Most && short(c, 0, 2, 4) &&
				setText(c, 0, f(c.Text(0), c.Text(2), c.Text(4)))
		}
	case func([]string, string) string: // Join
		return func(c *enter.Context) bool {
			n, all := c.Arg(1), 0
			if n > 64 || !short(c, 3) {
				return false
			}
			list := unsafeTexts(c.Address(0), n)
			for _, s := range list {
				all += len(s) + c.Arg(4)
			}
			return all <= Most && setText(c, 0, f(list, c.Text(3)))
		}
	}
	return nil
}

// toTexts calls functions with a list of texts as result.
func toTexts(fn any) Func {
	pieces := func(c *enter.Context, n int, f func() []string) bool {
		if n > Most/2 || !c.Spend(16*n) {
			return false
		}
		s := f()
		return setSlice(c, enter.Slice{Data: dataOf(s), Len: len(s), Cap: cap(s)})
	}
	switch f := fn.(type) {
	case func(string) []string:
		return func(c *enter.Context) bool {
			return pieces(c, c.Arg(1)/2+1, func() []string { return f(c.Text(0)) })
		}
	case func(string, string) []string:
		return func(c *enter.Context) bool {
			return pieces(c, c.Arg(1)+1, func() []string { return f(c.Text(0), c.Text(2)) })
		}
	}
	return nil
}

// ofBytes calls functions of bytes, and searches in slices, which takes little time however long they are.
func ofBytes(fn any) Func {
	switch f := fn.(type) {
	case func(a, b []byte) bool:
		return func(c *enter.Context) bool { return short(c, 0, 3) && c.SetBool(0, f(bytesAt(c, 0), bytesAt(c, 3))) }
	case func(a, b []byte) int:
		return func(c *enter.Context) bool { return short(c, 0, 3) && c.SetInt(0, f(bytesAt(c, 0), bytesAt(c, 3))) }
	case func([]byte, byte) int:
		return func(c *enter.Context) bool { return short(c, 0) && c.SetInt(0, f(bytesAt(c, 0), byte(c.Arg(3)))) }
	case func([]byte, int64, int) []byte:
		return func(c *enter.Context) bool {
			return isBase(c.Arg(4)) && short(c, 0) && setBytes(c, f(bytesAt(c, 0), int64(c.Arg(3)), c.Arg(4)))
		}
	case func([]byte, uint64, int) []byte:
		return func(c *enter.Context) bool {
			return isBase(c.Arg(4)) && short(c, 0) && setBytes(c, f(bytesAt(c, 0), uint64(c.Arg(3)), c.Arg(4)))
		}
	case func([]int, int) int:
		return func(c *enter.Context) bool {
			return c.Spend(step) && c.SetInt(0, f(elements[int](c, 0), c.Arg(3)))
		}
	case func([]float64, float64) int:
		return func(c *enter.Context) bool {
			return c.Spend(step) && c.SetInt(0, f(elements[float64](c, 0), c.Float(3)))
		}
	case func([]string, string) int:
		return func(c *enter.Context) bool {
			return short(c, 3) && c.SetInt(0, f(elements[string](c, 0), c.Text(3)))
		}
	}
	return nil
}

// ofNumber calls functions of numbers.
func ofNumber(fn any) Func {
	switch f := fn.(type) {
	case func(rune) bool:
		return func(c *enter.Context) bool { return c.Spend(step) && c.SetBool(0, f(rune(c.Arg(0)))) }
	case func(rune) rune:
		return func(c *enter.Context) bool { return c.Spend(step) && c.SetInt(0, int(f(rune(c.Arg(0))))) }
	case func(rune) int:
		return func(c *enter.Context) bool { return c.Spend(step) && c.SetInt(0, f(rune(c.Arg(0)))) }
	case func(int) string:
		return func(c *enter.Context) bool { return c.Spend(step) && setText(c, 0, f(c.Arg(0))) }
	case func(bool) string:
		return func(c *enter.Context) bool { return c.Spend(step) && setText(c, 0, f(c.Arg(0) != 0)) }
	case func(int64, int) string:
		return func(c *enter.Context) bool {
			return isBase(c.Arg(1)) && c.Spend(64) && setText(c, 0, f(int64(c.Arg(0)), c.Arg(1)))
		}
	case func(uint64, int) string:
		return func(c *enter.Context) bool {
			return isBase(c.Arg(1)) && c.Spend(64) && setText(c, 0, f(uint64(c.Arg(0)), c.Arg(1)))
		}
	case func(float64, byte, int, int) string:
		return func(c *enter.Context) bool {
			return c.Arg(2) <= 64 && (c.Arg(3) == 64 || c.Arg(3) == 32) && c.Spend(512) &&
				setText(c, 0, f(c.Float(0), byte(c.Arg(1)), c.Arg(2), c.Arg(3)))
		}
	}
	return nil
}

// isBase reports whether numbers are written to a base.
func isBase(n int) bool { return n >= 2 && n <= 36 }

// toNumber calls functions that read numbers.
func toNumber(fn any) Func {
	switch f := fn.(type) {
	case func(string) (int, error):
		return func(c *enter.Context) bool {
			if !short(c, 0) {
				return false
			}
			n, err := f(c.Text(0))
			return c.SetInt(0, n) && setError(c, 1, err)
		}
	case func(string) (bool, error):
		return func(c *enter.Context) bool {
			if !short(c, 0) {
				return false
			}
			b, err := f(c.Text(0))
			return c.SetBool(0, b) && setError(c, 1, err)
		}
	case func(string, int) (float64, error):
		return func(c *enter.Context) bool {
			if !short(c, 0) {
				return false
			}
			x, err := f(c.Text(0), c.Arg(2))
			return c.SetFloat(0, x) && setError(c, 1, err)
		}
	case func(string, int, int) (int64, error):
		return func(c *enter.Context) bool {
			if !short(c, 0) {
				return false
			}
			n, err := f(c.Text(0), c.Arg(2), c.Arg(3))
			return c.SetInt(0, int(n)) && setError(c, 1, err)
		}
	case func(string, int, int) (uint64, error):
		return func(c *enter.Context) bool {
			if !short(c, 0) {
				return false
			}
			n, err := f(c.Text(0), c.Arg(2), c.Arg(3))
			return c.SetInt(0, int(n)) && setError(c, 1, err)
		}
	}
	return nil
}
