// Package prelude holds the names that cells see without an import and without a qualifier.
package prelude

import (
	"strings"

	"github.com/gorocm/gorocm/display"
	"github.com/gorocm/gorocm/repl/internal/opened"
	"github.com/gorocm/gorocm/tensor"
)

// Device opens the device that spec names: "rocm" or "rocm:1" is an AMD GPU, "cuda" or "cuda:1" an NVIDIA GPU, "cpu"
// the host, and "auto" the GPU that is there, else the host. Without an AMD GPU, "rocm" is an emulated gfx1100. The
// same place always gives the same device. In a cell, an error stops the cell:
//
//	dev := Device("auto")
func Device(spec string) (*tensor.Device, error) {
	d, err := tensor.NewDevice(spec)
	switch {
	case err != nil:
	case strings.EqualFold(strings.TrimSpace(spec), "auto"):
		opened.AddAuto(d)
	default:
		opened.Add(d)
	}
	return d, err
}

// Display shows each value at once, in the middle of a cell, as the last expression of a cell is shown.
func Display(v ...any) { display.Show(v...) }
