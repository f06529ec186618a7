package repl

import (
	"context"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/display"
	"github.com/gorocm/gorocm/internal/thorough"
)

// TestPictures: a cell shows how far a picture is, and the picture; interrupted, it ends between steps.
func TestPictures(t *testing.T) {
	thorough.Slow(t)
	s := newSession(t)
	mustRun(t, s, `p := diffusion.Open("../tensor/models/diffusion/testdata/sd15", Device("cpu"))
p.Options.Steps = 4`)
	var bars, pictures int
	r := s.Eval(context.Background(), Request{Code: `p.Picture("a horse")`}, func(e Event) {
		switch {
		case e.Meta[display.MetaProgress] != nil:
			if bars++; !strings.Contains(e.Data.Text(), "picture") {
				t.Error(e.Data.Text())
			}
		case e.Data[display.MIMEPNG] != "":
			pictures++
			if text := e.Data.Text(); text != "picture, 32 × 32 pixels: a horse, 4 steps, seed 0" {
				t.Error(text)
			}
		}
	})
	if r.Err != nil || bars < 2 || pictures != 1 {
		t.Fatal(r.Err, bars, pictures)
	}
	mustRun(t, s, `p.Options.Steps = 999`)
	r = s.Eval(context.Background(), Request{Code: `p.Picture("a horse")`}, func(e Event) {
		if e.Meta[display.MetaProgress] == display.ProgressRuns {
			s.Interrupt()
		}
	})
	if r.Err == nil || r.Err.Name != "Interrupted" {
		t.Fatal(r.Err)
	}
	mustRun(t, s, `p.Options.Steps = 2; p.Picture("a horse")`) // it is still usable
}
