package display

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/png"
	"strings"
)

// Graphics is an image protocol of a terminal.
type Graphics string

// The protocols that Terminal supports.
const (
	NoGraphics    Graphics = ""
	KittyGraphics Graphics = "kitty" // kitty, Ghostty, Konsole, WezTerm
	ITermGraphics Graphics = "iterm" // iTerm2, mintty, VS Code
	SixelGraphics Graphics = "sixel" // foot, mlterm, Windows Terminal; xterm -ti vt340, which does not say so
)

// GraphicsOf determines the terminal's image protocol from the environment: GOROCM_GRAPHICS if it is set (kitty, iterm,
// sixel or none), else the variables by which the terminal identifies itself. Inside tmux and screen, which do not pass
// images on, it is NoGraphics.
func GraphicsOf(getenv func(string) string) Graphics {
	term, program := getenv("TERM"), getenv("TERM_PROGRAM")
	switch g := Graphics(strings.ToLower(getenv("GOROCM_GRAPHICS"))); g {
	case KittyGraphics, ITermGraphics, SixelGraphics:
		return g
	case "none":
		return NoGraphics
	}
	has := func(s string, parts ...string) bool {
		for _, p := range parts {
			if strings.Contains(s, p) {
				return true
			}
		}
		return false
	}
	switch {
	case getenv("TMUX") != "" || has(term, "screen", "tmux", "dumb"):
		return NoGraphics
	case getenv("KITTY_WINDOW_ID") != "" || has(term, "kitty", "ghostty") || has(program, "ghostty", "WezTerm") ||
		getenv("KONSOLE_VERSION") != "":
		return KittyGraphics
	case has(program, "iTerm", "mintty") || getenv("LC_TERMINAL") == "iTerm2":
		return ITermGraphics
	case has(term, "sixel", "foot", "mlterm", "contour") || getenv("WT_SESSION") != "":
		return SixelGraphics
	}
	return NoGraphics
}

// Terminal describes the terminal for which a bundle is drawn.
type Terminal struct {
	Columns    int      // 0 when nothing is known; pictures take 80 at most
	Lines      int      // 0 when nothing is known; pictures leave one of them free
	TrueColour bool     // whether it has 24-bit colours
	Graphics   Graphics // how it shows pictures
	// the size of a character in pixels; zero means 10 × 20, the default for sixels
	Cell image.Point
}

// usualCell is the character size of DEC's terminals, which some terminals assume whatever their font.
var usualCell = image.Pt(10, 20)

// Draw returns b as text for the terminal: an image if the terminal supports one, coloured blocks if it has 24-bit
// colours, else the text. Charts are drawn in braille rather than in blocks.
func (t Terminal) Draw(b Bundle) string {
	text := strings.TrimRight(b.Text(), "\n")
	columns := t.Columns
	if columns <= 0 || columns > 80 {
		columns = 80
	}
	if b[MIMEPNG] == "" || t.Graphics == NoGraphics && (!t.TrueColour || isDrawing(b)) {
		return text
	}
	img, err := png.Decode(base64.NewDecoder(base64.StdEncoding, strings.NewReader(b[MIMEPNG])))
	if err != nil {
		return text
	}
	caption := text[strings.LastIndexByte(text, '\n')+1:]
	if t.Graphics == NoGraphics {
		if inside := pictureInside(b); inside != nil {
			img = inside
		}
		return Blocks(img, columns, true) + caption
	}
	return t.draw(img, columns) + caption
}

// isDrawing reports whether b is a chart of lines, points or bars, which braille renders better than blocks, or a
// heatmap whose text is its numbers.
func isDrawing(b Bundle) bool {
	text := b.Text()
	caption := text[strings.LastIndexByte(text, '\n')+1:]
	return strings.Contains(b[MIMEHTML], svgData) && (strings.HasPrefix(caption, chartCaption) ||
		strings.HasPrefix(caption, heatCaption) && !strings.ContainsAny(text, "▀▄█"))
}

// pictureInside is the picture within the axes of a chart, or nil: blocks are too coarse for the numbers at the axes.
func pictureInside(b Bundle) image.Image {
	_, svg, _ := strings.Cut(b[MIMEHTML], svgData)
	svg, _, _ = strings.Cut(svg, `"`)
	document, err := base64.StdEncoding.DecodeString(svg)
	if err != nil {
		return nil
	}
	_, data, _ := strings.Cut(string(document), "data:image/png;base64,")
	data, _, _ = strings.Cut(data, `"`)
	img, err := png.Decode(base64.NewDecoder(base64.StdEncoding, strings.NewReader(data)))
	if err != nil {
		return nil
	}
	return img
}

// draw returns the escape sequences that show an image in whole lines, at most columns wide. The lines are written
// first, so that an image at the bottom scrolls the screen like text, and line counts include it.
func (t Terminal) draw(img image.Image, columns int) string {
	cell, most := t.Cell, maxLines
	if cell.X <= 0 || cell.Y <= 0 {
		cell = usualCell
	}
	if t.Lines > 1 {
		most = min(most, t.Lines-1)
	}
	size := img.Bounds().Size()
	width, height := fit(size, columns*cell.X, most*cell.Y)
	across, lines := max(1, (width+cell.X-1)/cell.X), max(1, (height+cell.Y-1)/cell.Y)
	return fmt.Sprintf("%s\x1b[%dA\x1b7%s\x1b8\x1b[%dB\r", strings.Repeat("\n", lines), lines,
		t.Graphics.encode(img, width, height, across, lines), lines)
}

func (g Graphics) encode(img image.Image, width, height, across, lines int) string {
	if g == SixelGraphics {
		if img.Bounds().Size() != (image.Point{X: width, Y: height}) {
			img = resize(img, width, height)
		}
		return sixel(img)
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		return ""
	}
	data := base64.StdEncoding.EncodeToString(b.Bytes())
	if g == ITermGraphics {
		return fmt.Sprintf("\x1b]1337;File=inline=1;size=%d;width=%d;height=%d;preserveAspectRatio=1:%s\a", b.Len(),
			across, lines, data)
	}
	var out strings.Builder
	head := fmt.Sprintf("a=T,f=100,q=2,C=1,c=%d,r=%d,", across, lines)
	for len(data) > 0 { // kitty takes 4096 bytes at a time
		part, more := data[:min(4096, len(data))], 0
		data = data[len(part):]
		if len(data) > 0 {
			more = 1
		}
		fmt.Fprintf(&out, "\x1b_G%sm=%d;%s\x1b\\", head, more, part)
		head = ""
	}
	return out.String()
}

// sixel encodes a picture in DEC's form: six lines of pixels at a time, colour by colour.
func sixel(img image.Image) string {
	p := paletted(img)
	size := p.Bounds().Size()
	var out strings.Builder
	fmt.Fprintf(&out, "\x1bP0;1q\"1;1;%d;%d", size.X, size.Y)
	used := [256]bool{}
	for _, i := range p.Pix {
		if !used[i] {
			used[i] = true
			r, g, b, _ := p.Palette[i].RGBA()
			fmt.Fprintf(&out, "#%d;2;%d;%d;%d", i, r*100/0xffff, g*100/0xffff, b*100/0xffff)
		}
	}
	for top := 0; top < size.Y; top += 6 {
		rows := min(6, size.Y-top)
		var present [256]bool
		for y := top; y < top+rows; y++ {
			for _, i := range p.Pix[y*p.Stride : y*p.Stride+size.X] {
				present[i] = true
			}
		}
		for i := range present {
			if !present[i] {
				continue
			}
			fmt.Fprintf(&out, "#%d", i)
			last, count := byte(0), 0
			flush := func() {
				switch {
				case count > 3:
					fmt.Fprintf(&out, "!%d%c", count, last)
				case count > 0:
					out.WriteString(strings.Repeat(string(last), count))
				}
			}
			for x := range size.X {
				bits := byte(0)
				for y := range rows {
					if p.Pix[(top+y)*p.Stride+x] == uint8(i) {
						bits |= 1 << y
					}
				}
				if c := bits + '?'; c != last {
					flush()
					last, count = c, 0
				}
				count++
			}
			flush()
			out.WriteByte('$')
		}
		out.WriteByte('-')
	}
	out.WriteString("\x1b\\")
	return out.String()
}
