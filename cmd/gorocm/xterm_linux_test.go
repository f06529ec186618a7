package main

import (
	"bufio"
	"bytes"
	"image/png"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/gorocm/gorocm/internal/thorough"
)

// TestSixel looks at what a terminal draws: a picture has its own size, and the text after it stands below it, whatever
// the font.
func TestSixel(t *testing.T) {
	thorough.Slow(t)
	for _, tool := range []string{"Xvfb", "xterm", "import"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip("no " + tool + " on this machine")
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	server := exec.CommandContext(t.Context(), "Xvfb", "-displayfd", "1", "-screen", "0", "800x600x24", "-nolisten",
		"tcp")
	number, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = server.Process.Kill(), server.Wait() }()
	display, err := bufio.NewReader(number).ReadString('\n')
	if err != nil {
		t.Skip("Xvfb does not start here: ", err)
	}
	home := t.TempDir()
	const width, height = 300, 117 // nine lines of a character of 6 by 13 pixels
	cell := `img := image.NewRGBA(image.Rect(0, 0, 300, 117))
		draw.Draw(img, img.Bounds(), image.NewUniform(color.RGBA{255, 0, 0, 255}), image.Point{}, draw.Src)
		img`
	terminal := exec.CommandContext(t.Context(), "xterm", "-hold", "-ti", "vt340", "-fn", "6x13", "-geometry",
		"80x24+0+0", "-bg", "white", "-fg", "black", "-e", self, "-e", cell)
	terminal.Env = append(os.Environ(), "DISPLAY=:"+strings.TrimSpace(display), "GOROCM_TEST_MAIN=1",
		"GOROCM_GRAPHICS=sixel", "NO_COLOR=", "HOME="+home, "XDG_STATE_HOME=", "XDG_CONFIG_HOME=", "XDG_CACHE_HOME=")
	if err := terminal.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = terminal.Process.Kill(), terminal.Wait() }()
	red, text := 0, 0
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		shot := exec.CommandContext(t.Context(), "import", "-window", "root", "png:-")
		shot.Env = terminal.Env
		data, err := shot.Output()
		if err != nil {
			continue // no window is there yet
		}
		img, err := png.Decode(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		red, text = 0, 0
		bottom := 0
		for y := range img.Bounds().Dy() {
			for x := range img.Bounds().Dx() {
				switch r, g, b, _ := img.At(x, y).RGBA(); {
				case r == 0xffff && g == 0 && b == 0:
					red++
					bottom = y
				case r == 0 && g == 0 && b == 0 && bottom > 0 && y > bottom && y < bottom+20 && x < width:
					text++
				}
			}
		}
		if red == width*height && text > 0 {
			return
		}
	}
	t.Errorf("%d of the picture's %d pixels are to be seen, and %d of the text below it", red, width*height, text)
}
