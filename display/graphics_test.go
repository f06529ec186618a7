package display

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math/rand"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
)

// The decoders here are written after the protocols' own descriptions,
// https://sw.kovidgoyal.net/kitty/graphics-protocol, https://iterm2.com/documentation-images.html and DEC's of sixels,
// and refuse what these do not allow.

// noise is a picture that does not compress: its PNG takes many of kitty's chunks.
func noise(w, h int) *image.RGBA {
	r := rand.New(rand.NewSource(1))
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for i := range img.Pix {
		img.Pix[i] = byte(r.Intn(256)) | 255*byte((i%4)/3) // opaque
	}
	return img
}

func keyValues(t *testing.T, list, sep string) map[string]string {
	t.Helper()
	m := map[string]string{}
	for _, kv := range strings.Split(list, sep) {
		k, v, ok := strings.Cut(kv, "=")
		if _, twice := m[k]; !ok || twice {
			t.Fatalf("%q in %q is not a key, or comes twice", kv, list)
		}
		m[k] = v
	}
	return m
}

func wantKeys(t *testing.T, got map[string]string, want string) {
	t.Helper()
	for _, kv := range strings.Fields(want) {
		k, v, _ := strings.Cut(kv, "=")
		if got[k] != v {
			t.Errorf("%s is %q, want %q", k, got[k], v)
		}
	}
}

// decodeKitty returns the keys of the first chunk and the picture's file.
func decodeKitty(t *testing.T, text string) (keys map[string]string, file []byte) {
	t.Helper()
	payload := ""
	for n := 0; ; n++ {
		rest, ok := strings.CutPrefix(text, "\x1b_G")
		control, rest, found := strings.Cut(rest, ";")
		part, rest, ended := strings.Cut(rest, "\x1b\\")
		if !ok || !found || !ended {
			t.Fatalf("chunk %d is not a graphics command: %.60q", n, text)
		}
		k := keyValues(t, control, ",")
		switch more := k["m"]; {
		case more != "0" && more != "1":
			t.Fatalf("chunk %d has m=%q", n, more)
		case len(part) > 4096 || more == "1" && len(part)%4 != 0:
			t.Fatalf("chunk %d has %d bytes", n, len(part))
		case n > 0 && len(k) != 1:
			t.Fatalf("chunk %d repeats keys: %q", n, control)
		case n == 0:
			keys = k
		}
		payload, text = payload+part, rest
		if k["m"] == "0" {
			break
		}
	}
	if text != "" {
		t.Fatalf("after the last chunk there is %.40q", text)
	}
	file, err := base64.StdEncoding.DecodeString(payload)
	if err != nil {
		t.Fatal(err)
	}
	return keys, file
}

// decodeITerm returns the arguments and the file.
func decodeITerm(t *testing.T, text string) (args map[string]string, file []byte) {
	t.Helper()
	rest, ok := strings.CutPrefix(text, "\x1b]1337;File=")
	rest, ended := strings.CutSuffix(rest, "\a")
	list, payload, found := strings.Cut(rest, ":")
	if !ok || !ended || !found || strings.ContainsAny(payload, "\a\x1b") {
		t.Fatalf("this is not a file: %.60q", text)
	}
	file, err := base64.StdEncoding.DecodeString(payload)
	if err != nil {
		t.Fatal(err)
	}
	return keyValues(t, list, ";"), file
}

// decodeSixel draws what DEC's terminals would.
func decodeSixel(t *testing.T, text string) *image.RGBA {
	t.Helper()
	head := regexp.MustCompile(`^\x1bP0;1q"1;1;(\d+);(\d+)`).FindStringSubmatch(text)
	body, ended := strings.CutSuffix(text, "\x1b\\")
	if head == nil || !ended {
		t.Fatalf("this is not a sixel picture: %.60q", text)
	}
	w, _ := strconv.Atoi(head[1])
	h, _ := strconv.Atoi(head[2])
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	colours := map[int]color.RGBA{}
	at := len(head[0])
	number := func() (n int) {
		for at < len(body) && body[at] >= '0' && body[at] <= '9' {
			n, at = n*10+int(body[at]-'0'), at+1
		}
		return n
	}
	x, top, current := 0, 0, 0
	for at < len(body) {
		c := body[at]
		at++
		count := 1
		switch {
		case c == '#':
			current = number()
			var p []int
			for at < len(body) && body[at] == ';' {
				at++
				p = append(p, number())
			}
			if len(p) > 0 {
				if len(p) != 4 || p[0] != 2 || max(p[1], p[2], p[3]) > 100 {
					t.Fatalf("colour %d is %v", current, p)
				}
				colours[current] = color.RGBA{byte(p[1] * 255 / 100), byte(p[2] * 255 / 100), byte(p[3] * 255 / 100),
					255}
			} else if _, ok := colours[current]; !ok {
				t.Fatalf("colour %d is used before it is defined", current)
			}
			continue
		case c == '$':
			x = 0
			continue
		case c == '-':
			x, top = 0, top+6
			continue
		case c == '!':
			count = number()
			c = body[at]
			at++
		}
		if c < '?' || c > '~' {
			t.Fatalf("%q is not a sixel", c)
		}
		for range count {
			for bit := range 6 {
				if (c-'?')>>bit&1 == 0 {
					continue
				}
				if x >= w || top+bit >= h {
					t.Fatalf("a pixel at %d, %d is outside of %d × %d", x, top+bit, w, h)
				}
				img.SetRGBA(x, top+bit, colours[current])
			}
			x++
		}
	}
	return img
}

// TestGraphicsProtocols reads the sequences as terminals do: the picture comes out, and takes the place that was made
// for it.
func TestGraphicsProtocols(t *testing.T) {
	thorough.Slow(t)
	for _, size := range []image.Point{{1, 1}, {3, 50}, {200, 100}, {2000, 30}} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			img := noise(size.X, size.Y)
			cell := image.Pt(10, 20)
			around := regexp.MustCompile(`(?s)^(\n+)\x1b\[(\d+)A\x1b7(.*)\x1b8\x1b\[(\d+)B\r$`)
			for _, g := range []Graphics{KittyGraphics, ITermGraphics, SixelGraphics} {
				m := around.FindStringSubmatch(Terminal{Cell: cell, Graphics: g}.draw(img, 80))
				if m == nil || m[2] != strconv.Itoa(len(m[1])) || m[4] != m[2] {
					t.Fatalf("%s: the cursor does not go up and down the lines that are made", g)
				}
				lines := len(m[1])
				if g == SixelGraphics {
					got := decodeSixel(t, m[3]).Bounds().Size()
					if (got.Y+cell.Y-1)/cell.Y != lines || got.X > 80*cell.X {
						t.Errorf("sixel: %v pixels for %d lines", got, lines)
					}
					continue
				}
				var file []byte
				var keys map[string]string
				if g == KittyGraphics {
					keys, file = decodeKitty(t, m[3])
					// transmit and show a PNG, answer nothing, leave the cursor
					wantKeys(t, keys, "a=T f=100 q=2 C=1 r="+m[2])
				} else {
					keys, file = decodeITerm(t, m[3])
					wantKeys(t, keys, "inline=1 height="+m[2]+" size="+strconv.Itoa(len(file)))
				}
				if n, _ := strconv.Atoi(keys["c"] + keys["width"]); n < 1 || n > 80 {
					t.Errorf("%s: %d columns", g, n)
				}
				got, err := png.Decode(bytes.NewReader(file))
				if err != nil {
					t.Fatalf("%s: %v", g, err)
				}
				for y := range size.Y {
					for x := range size.X {
						if got.At(x, y) != color.Color(img.RGBAAt(x, y)) {
							t.Fatalf("%s: the pixel at %d, %d is %v, want %v", g, x, y, got.At(x, y), img.RGBAAt(x, y))
						}
					}
				}
			}
		})
	}
}

// TestSixelPixels: few colours come out as they are, up to the hundredths that sixels have.
func TestSixelPixels(t *testing.T) {
	img := image.NewRGBA(image.Rect(0, 0, 13, 8))
	for y := range 8 {
		for x := range 13 {
			img.SetRGBA(x, y, color.RGBA{byte(255 * (x % 2)), byte(255 * (y % 2)), byte(51 * (x % 5)), 255})
		}
	}
	got := decodeSixel(t, sixel(img))
	for y := range 8 {
		for x := range 13 {
			if got.RGBAAt(x, y) != img.RGBAAt(x, y) {
				t.Fatalf("the pixel at %d, %d is %v, want %v", x, y, got.RGBAAt(x, y), img.RGBAAt(x, y))
			}
		}
	}
}
