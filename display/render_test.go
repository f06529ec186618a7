package display

import (
	"bytes"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"
)

type named struct {
	Name string
	Next *named
}

type loud struct{}

func (loud) String() string { panic("no text today") }

type shown struct{ html string }

func (s shown) HTML() string { return s.html }

type angry struct{}

func (angry) HTML() string   { panic(errors.New("boom")) }
func (angry) String() string { return "angry" }

type panicsWithItself struct{}

func (p panicsWithItself) String() string { panic(p) }

func cyclic() *named {
	n := &named{Name: "a"}
	n.Next = n
	return n
}

func TestRenderText(t *testing.T) {
	var nilPointer *named
	var nilStringer fmt.Stringer = (*time.Location)(nil)
	loop := map[string]any{}
	loop["self"] = loop
	self := []any{1, nil}
	self[1] = self
	for _, c := range []struct {
		name string
		v    any
		want string
	}{
		{"nil", nil, "nil"},
		{"int", 42, "42"},
		{"float", 0.1, "0.1"},
		{"string", "a\n<b>", `"a\n<b>"`},
		{"error", errors.New("bad"), "bad"},
		{"stringer", 90 * time.Second, "1m30s"},
		{"nil pointer", nilPointer, "(*display.named)(nil)"},
		{"nil pointer in an interface", struct{ V fmt.Stringer }{nilStringer}, "{V:nil}"},
		{"nil slice", []int(nil), "[]int(nil)"},
		{"nil map", map[string]int(nil), "map[string]int(nil)"},
		{"nil func", (func())(nil), "(func())(nil)"},
		{"func", strings.ToUpper, "func(string) string"},
		{"func of any", fmt.Sprint, "func(...any) string"},
		{"nil without a type name", (*struct{ A int })(nil), "nil"},
		{"channel", make(chan int, 3), "chan int (0 of 3)"},
		{"pointer", &named{Name: "x"}, `&{Name:"x" Next:nil}`},
		{"cycle through a pointer", cyclic(), `&{Name:"a" Next:…}`},
		{"cycle through a map", loop, `map["self":…]`},
		{"cycle through a slice", self, "[1 …]"},
		{"panicking String", loud{}, "{}\n(text method of display.loud panicked: no text today)"},
		{"panic whose value panics", panicsWithItself{}, "{}\n(text method of display.panicsWithItself panicked: "},
		{"panicking HTML", angry{}, "angry\n(method HTML of display.angry panicked: boom)"},
		{"float32 values in float64", []float64{float64(float32(0.1)), 2}, "[0.1 2]"},
		{"float64 values", []float64{0.1, float64(float32(0.1))}, "[0.1 0.10000000149011612]"},
		{"bytes of text", []byte("hi\n"), `[]byte("hi\n")`},
		{"other bytes", []byte{0, 255}, "[0 255]"},
		{"small map", map[string]int{"b": 2, "a": 1}, `map["a":1 "b":2]`},
		{"nested", [][]int{{1, 20}, {300, 4}}, "[[  1 20]\n [300  4]]"},
		{"ragged", [][]string{{"a"}, {"b", "c"}, {}}, "[[\"a\"]\n [\"b\" \"c\"]\n []]"},
		{"array", [2]bool{true, false}, "[true false]"},
		{"interpreted struct", struct {
			Xname string
			Name  string
			X     int
			X1    int
		}{"a", "b", 1, 2}, `{name:"a" Name:"b" X:1 X1:2}`},
		{"pair of fields", struct{ Xmin, Ymin int }{1, 2}, "{Xmin:1 Ymin:2}"},
		{"unexported field", struct{ n int }{7}, "{n:7}"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := Render(c.v).Text()
			if got != c.want && !(strings.HasSuffix(c.want, ": ") && strings.HasPrefix(got, c.want)) {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

// hostileText is what a file or a server may have put into a value's text.
const hostileText = "\x1b]52;c;AAAA\x07 \u009b31m\x1b[2J"

type hostileError struct{}

func (hostileError) Error() string { return hostileText }

type hostileStringer struct{}

func (hostileStringer) String() string { return hostileText }

type hostileGoStringer struct{}

func (hostileGoStringer) GoString() string { return hostileText }

// TestErrorControls: control characters of errors, of what String and GoString return and of names are written out,
// wherever in a value they are. So are those of sources of HTML, Markdown and formulas.
func TestErrorControls(t *testing.T) {
	err, s, gs := hostileError{}, hostileStringer{}, hostileGoStringer{}
	for _, v := range []any{errors.New(hostileText), err, s, &s, gs, []hostileStringer{s}, map[string]any{hostileText: s},
		map[hostileStringer]error{s: err}, struct{ A, B any }{s, &gs}, []struct {
			Name string
			V    any
		}{{hostileText, s}, {hostileText, err}}, bytes.NewBufferString(hostileText), &url.URL{Opaque: hostileText},
		time.Date(2020, 1, 1, 1, 1, 1, 0, time.FixedZone(hostileText, 3600)), Markdown(hostileText), HTML(hostileText),
		LaTeX(hostileText), []any{fmt.Errorf("w: %w", err)}, fmt.Sprint(s)} {
		got := Render(v)[MIMEText]
		if strings.ContainsAny(got, "\x1b\x07\u009b") || !strings.Contains(got, `\x1b`) {
			t.Errorf("%T: %q", v, got)
		}
	}
	if got := Render(errors.New(hostileText))[MIMEText]; got != `\x1b]52;c;AAAA\x07 \u009b31m\x1b[2J` {
		t.Errorf("%q", got)
	}
}
