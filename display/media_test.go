package display

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/png"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
)

func TestAudio(t *testing.T) {
	s := Audio(fakeTensor{[]int{2, 3}, []float64{0, 0.5, 1, 0, -0.5, -1}}, 8000)
	wav := s.WAV()
	le := binary.LittleEndian
	if string(wav[:4]) != "RIFF" || int(le.Uint32(wav[4:])) != len(wav)-8 || le.Uint16(wav[22:]) != 2 ||
		le.Uint32(wav[24:]) != 8000 || int(le.Uint32(wav[40:])) != len(wav)-44 {
		t.Errorf("header: % x", wav[:44])
	}
	want := []int16{0, 0, 16384, -16384, 32767, -32767} // left, right, left, …
	for i, w := range want {
		if got := int16(le.Uint16(wav[44+2*i:])); got != w {
			t.Errorf("sample %d: %d, want %d", i, got, w)
		}
	}
	if b := Render(s); !strings.Contains(b[MIMEHTML], `<audio controls src="data:audio/wav;base64,UklGR`) ||
		!strings.Contains(b.Text(), "0.000375 s at 8000 Hz, stereo") {
		t.Errorf("forms: %s", b.Text())
	}
	for name, make := range map[string]func(){
		"dims [1 1 1] are not a sound": func() { Audio(fakeTensor{[]int{1, 1, 1}, []float64{1}}, 1) },
		"not 0":                        func() { Audio([]int{1}, 0) },
	} {
		func() {
			defer func() {
				if text, _ := recover().(string); !strings.Contains(text, name) {
					t.Errorf("panic %q, want one with %q", text, name)
				}
			}()
			make()
		}()
	}
}

func TestAnimate(t *testing.T) {
	a := Animate(fakeTensor{[]int{3, 2, 2}, []float64{0, 0, 0, 0, 128, 128, 128, 128, 255, 255, 255, 255}}, 5)
	data := a.PNG()
	var kinds []string
	frames, delay := uint32(0), uint16(0)
	for rest := data[8:]; len(rest) > 0; {
		n := binary.BigEndian.Uint32(rest)
		kind := string(rest[4:8])
		kinds = append(kinds, kind)
		switch kind {
		case "acTL":
			frames = binary.BigEndian.Uint32(rest[8:])
		case "fcTL":
			delay = binary.BigEndian.Uint16(rest[8+20:])
		}
		rest = rest[12+n:]
	}
	if got, want := strings.Join(kinds, " "), "IHDR acTL fcTL IDAT fcTL fdAT fcTL fdAT IEND"; got != want ||
		frames != 3 || delay != 200 {
		t.Errorf("chunks %s, %d frames of %d ms, want %s", got, frames, delay, want)
	}
	// A program that knows no animations reads the first frame, and every checksum.
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if c := color.GrayModel.Convert(img.At(0, 0)); c != (color.Gray{0}) {
		t.Errorf("the first frame is %v, want black", c)
	}
	if b := Render(a); b[MIMEPNG] == "" || !strings.Contains(b.Text(), "animation, 3 frames of") {
		t.Errorf("text: %s", b.Text())
	}
	defer func() {
		if text, _ := recover().(string); !strings.Contains(text, "frame 1 has") {
			t.Errorf("panic %q", text)
		}
	}()
	Animate([]image.Image{image.NewGray(image.Rect(0, 0, 1, 1)), image.NewGray(image.Rect(0, 0, 2, 1))}, 1)
}

type foreign struct{ N int }

type stringly interface{ Foreign() }

func (foreign) Foreign() {}

func TestRegister(t *testing.T) {
	defer func() { registry.shows = nil }()
	Register(func(s stringly) string { return "an interface" })
	if got := Render(foreign{1}).Text(); got != "an interface" {
		t.Errorf("by interface: %q", got)
	}
	Register(func(f foreign) Bundle { return Markdown("**foreign**") })
	if got := Render(foreign{1})[MIMEMarkdown]; got != "**foreign**" {
		t.Errorf("by type: %q", got)
	}
	Register(func(f foreign) any { return f }) // its own type again does not loop
	if got := Render(foreign{1}).Text(); got != "{N:1}" {
		t.Errorf("of its own type: %q", got)
	}
	Register(func(f foreign) string { panic("no") })
	if got := Render(foreign{1}).Text(); got != "{N:1}\n(method of display.Register of display.foreign panicked: no)" {
		t.Errorf("that panics: %q", got)
	}
	if got := Render(2).Text(); got != "2" {
		t.Errorf("others: %q", got)
	}
	defer func() {
		if text, _ := recover().(string); !strings.Contains(text, "one argument and one result, not func()") {
			t.Errorf("panic %q", text)
		}
	}()
	Register(func() {})
}

func TestTablePages(t *testing.T) {
	table := Table(readings(60))
	if got := table.Page(2).String(); !strings.Contains(got,
		"(page 2 of 3, rows 50 to 59 of 60; Page chooses another)") || !strings.Contains(got, "\n59 ") {
		t.Errorf("page 2:\n%s", got)
	}
	if a, b := table.Page(99).String(), table.Page(-1).String(); a != b {
		t.Error("beyond the end is not the last page")
	}
	html := table.HTML()
	for row := range 60 {
		if want := "<tr><th>" + strings.TrimSpace(string(rune('0'+row/10))+string(rune('0'+row%10))) +
			"</th>"; row >= 10 && strings.Count(html, want) != 1 {
			t.Errorf("row %d is there %d times", row, strings.Count(html, want))
		}
	}
	if n := strings.Count(html, "<details"); n != 3 {
		t.Errorf("%d pages, want 3", n)
	}
}

func TestGraphics(t *testing.T) {
	thorough.Slow(t)
	for _, c := range []struct {
		env  map[string]string
		want Graphics
	}{
		{map[string]string{"TERM": "xterm-256color"}, NoGraphics},
		{map[string]string{"TERM": "xterm-kitty"}, KittyGraphics},
		{map[string]string{"TERM": "xterm-256color", "TERM_PROGRAM": "WezTerm"}, KittyGraphics},
		{map[string]string{"TERM": "xterm-256color", "TERM_PROGRAM": "iTerm.app"}, ITermGraphics},
		{map[string]string{"TERM": "foot"}, SixelGraphics},
		{map[string]string{"TERM": "xterm-kitty", "TMUX": "/tmp/tmux"}, NoGraphics},
		{map[string]string{"TERM": "xterm-kitty", "GOROCM_GRAPHICS": "none"}, NoGraphics},
		{map[string]string{"TERM": "xterm", "GOROCM_GRAPHICS": "sixel"}, SixelGraphics},
	} {
		if got := GraphicsOf(func(name string) string { return c.env[name] }); got != c.want {
			t.Errorf("%v: %q, want %q", c.env, got, c.want)
		}
	}
	two := image.NewNRGBA(image.Rect(0, 0, 10, 7))
	for x := range 10 {
		for y := range 7 {
			two.Set(x, y, color.NRGBA{255, 0, 0, 255})
		}
	}
	two.Set(0, 0, color.NRGBA{0, 0, 255, 255})
	// The first six lines: blue has the top pixel of the first column, red the rest; then the seventh line, all red.
	if got, want := sixel(two), "\x1bP0;1q\"1;1;10;7#0;2;0;0;100#1;2;100;0;0#0@!9?$#1}!9~$-#1!10@$-\x1b\\"; got != want {
		t.Errorf("sixel %q\nwant  %q", got, want)
	}
	b := Render(Image(waves(60, 60)))
	for g, want := range map[Graphics]string{KittyGraphics: "\x1b_Ga=T,f=100,q=2,C=1,c=",
		ITermGraphics: "\x1b]1337;File=inline=1;", SixelGraphics: "\x1bP0;1q"} {
		text := Terminal{Columns: 80, Graphics: g}.Draw(b)
		before, _, ok := strings.Cut(text, want)
		if !ok || strings.Trim(before, "\n")[:2] != "\x1b[" || !strings.HasSuffix(text, "from -1 to 1") {
			t.Errorf("%s: %.60q", g, text)
		}
	}
	for _, c := range []struct {
		t    Terminal
		want int
	}{
		{Terminal{Columns: 80}, 18}, {Terminal{Columns: 80, Cell: image.Pt(10, 20)}, 18},
		{Terminal{Columns: 80, Cell: image.Pt(6, 13)}, 24}, {Terminal{Columns: 80, Lines: 10}, 9},
		{Terminal{Columns: 20, Cell: image.Pt(9, 18)}, 10},
	} {
		c.t.Graphics = SixelGraphics
		if lines := strings.Count(c.t.Draw(b), "\n"); lines != c.want {
			t.Errorf("%+v: %d lines, want %d", c.t, lines, c.want)
		}
	}
	if text := (Terminal{TrueColour: true}).Draw(b); !strings.Contains(text, "\x1b[38;2;") {
		t.Errorf("blocks: %.60q", text)
	}
	if text := (Terminal{}).Draw(b); strings.Contains(text, "\x1b") {
		t.Errorf("text: %.60q", text)
	}
	chart := Render(Line([]float64{1, 2}))
	if text := (Terminal{TrueColour: true}).Draw(chart); text != chart.Text() {
		t.Errorf("charts are drawn in braille: %.60q", text)
	}
}
