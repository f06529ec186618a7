//go:build !windows

package main

import (
	"errors"
	"io/fs"
	"os"
)

// noGPU says why no AMD GPU was opened.
func (d *doctor) noGPU() {
	kfd, err := os.OpenFile("/dev/kfd", os.O_RDWR, 0)
	switch {
	case err == nil:
		_ = kfd.Close()
		d.advise("The kernel driver for AMD GPUs is loaded (/dev/kfd), but no GPU was opened through HIP. Install ROCm 5.7 or later, or see the libraries above.")
	case errors.Is(err, fs.ErrPermission):
		d.advise("This user may not open /dev/kfd, so an AMD GPU cannot be used: sudo usermod -aG render,video $USER, then log in again.")
	default:
		d.advise(`There is no AMD GPU here (no /dev/kfd): Device("rocm") is an emulated one, with the same results at lower speed. Nothing has to be done; Device("cpu") is faster for large work.`)
	}
}
