package term

import (
	"slices"
	"strings"
	"testing"
)

// styles is what escape sequences have set: attributes, and the colours of text and ground.
type styles struct {
	attributes []string
	text, back string
}

// set takes the parameters of an escape sequence that ends with m.
func (s *styles) set(parameters string) {
	fields := strings.Split(parameters, ";")
	for i := 0; i < len(fields); i++ {
		code := fields[i]
		switch {
		case code == "" || code == "0":
			*s = styles{}
		case code == "38" || code == "48":
			n := min(3, len(fields)-i) // 38;5;N
			if i+1 < len(fields) && fields[i+1] == "2" {
				n = min(5, len(fields)-i) // 38;2;R;G;B
			}
			colour := strings.Join(fields[i:i+n], ";")
			if code == "38" {
				s.text = colour
			} else {
				s.back = colour
			}
			i += n - 1
		case code == "39":
			s.text = ""
		case code == "49":
			s.back = ""
		case code == "22":
			s.drop("1", "2")
		case len(code) == 2 && code[0] == '2':
			s.drop(code[1:])
		case len(code) == 1 && !slices.Contains(s.attributes, code):
			s.attributes = append(s.attributes, code)
			slices.Sort(s.attributes)
		case code[0] == '4' || strings.HasPrefix(code, "10"):
			s.back = code
		case len(code) > 1:
			s.text = code
		}
	}
}

func (s *styles) drop(codes ...string) {
	s.attributes = slices.DeleteFunc(s.attributes, func(a string) bool { return slices.Contains(codes, a) })
}

// String is the escape sequence for these styles and no others.
func (s *styles) String() string {
	all := slices.Clone(s.attributes)
	for _, colour := range []string{s.text, s.back} {
		if colour != "" {
			all = append(all, colour)
		}
	}
	return "␛[" + strings.Join(all, ";") + "m"
}

// withStyles rewrites what tmux captured, whose versions write the same screen in several ways: each line has an escape
// sequence where the styles change, with all of them, and begins without any.
func withStyles(screen string) string {
	var out strings.Builder
	var now styles
	shown := (&styles{}).String()
	for len(screen) > 0 {
		if rest, ok := strings.CutPrefix(screen, "\x1b["); ok {
			if end := strings.IndexAny(rest, "mABCDHJK"); end >= 0 && rest[end] == 'm' {
				now.set(rest[:end])
				screen = rest[end+1:]
				continue
			}
		}
		r, size := []rune(screen)[0], len(string([]rune(screen)[0]))
		screen = screen[size:]
		if r == '\n' {
			shown = (&styles{}).String()
		} else if next := now.String(); next != shown {
			out.WriteString(next)
			shown = next
		}
		out.WriteRune(r)
	}
	return out.String()
}

func TestWithStyles(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"a\x1b[32mb\x1b[39mc", "a␛[32mb␛[mc"},
		{"\x1b[2mall\nmore\x1b[0m\x1b[39m\x1b[49m x", "␛[2mall\n␛[2mmore␛[m x"},
		{"\x1b[2mall\x1b[0m\n\x1b[2mmore\x1b[0m x", "␛[2mall\n␛[2mmore␛[m x"},
		{"\x1b[1;4;38;5;200mx\x1b[22my\x1b[24;48;2;1;2;3mz", "␛[1;4;38;5;200mx␛[4;38;5;200my␛[38;5;200;48;2;1;2;3mz"},
	} {
		if got := withStyles(c.in); got != c.want {
			t.Errorf("%q: got %q, want %q", c.in, got, c.want)
		}
	}
}
