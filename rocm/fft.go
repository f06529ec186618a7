package rocm

import (
	"cmp"
	"runtime"

	"github.com/gorocm/gorocm/rocm/internal/mathlib"
)

// FFT describes Fourier transforms that are not multiplied by anything: Batch of them, each of one to three dims of
// Sizes, in row-major order. Numbers of the last dim are Stride apart, transforms InDist and OutDist, in elements:
// complex numbers are one element.
type FFT struct {
	Elem    string // the type of the real numbers or parts: f32 or f64
	Kind    FFTKind
	Inverse bool // with exp(+2πi…), for FFTComplex
	Sizes   []int
	Batch   int // at least 1

	Stride, InDist, OutDist int
	In, Out                 Place // different memory
}

// FFTKind says what a transform takes and gives.
type FFTKind = mathlib.FFTKind

// The kinds of transforms. Of a real signal's transform, the last dim has size/2 + 1 numbers.
const (
	FFTComplex  = mathlib.FFTComplex  // complex numbers to complex numbers
	FFTForward  = mathlib.FFTForward  // real numbers to the first half of their transform
	FFTBackward = mathlib.FFTBackward // such a half, which is overwritten, to real numbers by the inverse transform
)

// Transform puts transforms on the device's stream if the device has a library for them that takes these, and reports
// whether it did. Where it did not, the caller's own kernels have to transform; FFTLibrary says why. It is an error, of
// kind ErrInvalid, when elements are outside of a buffer, or a buffer was freed or is on another device.
func Transform(d *Device, f *FFT) (bool, error) {
	shape := mathlib.FFTShape{Elem: f.Elem, Kind: f.Kind, Rank: len(f.Sizes), Batch: f.Batch, Stride: f.Stride,
		InDist: f.InDist, OutDist: f.OutDist}
	if shape.Rank < 1 || shape.Rank > len(shape.Sizes) || !HasFFT(d) {
		return false, nil
	}
	copy(shape.Sizes[:], f.Sizes)
	if err := cmp.Or(f.check(d, f.In, f.InDist, f.Kind != FFTForward, f.Kind == FFTBackward),
		f.check(d, f.Out, f.OutDist, f.Kind != FFTBackward, f.Kind == FFTForward)); err != nil {
		return false, err
	}
	done, err := d.fft.Transform(libraryHost{d}, &shape, f.Inverse, f.In.pointer(), f.Out.pointer())
	if capturing := d.recording(); done && capturing != nil {
		capturing.addLibrary("a transform of a library", f.In.Buffer, f.Out.Buffer)
	}
	runtime.KeepAlive(f)
	return done, err
}

// check says whether all elements of one side are in a live buffer of the device.
func (f *FFT) check(d *Device, at Place, dist int, complex, half bool) error {
	if at.Buffer == nil || at.Buffer.device != d {
		return invalid("transform", "numbers are not on %v", d)
	}
	size := map[string]int{"f32": 4, "f64": 8}[f.Elem]
	if complex {
		size *= 2
	}
	n := 1
	for i, s := range f.Sizes {
		if half && i == len(f.Sizes)-1 {
			s = s/2 + 1
		}
		n *= s
	}
	return at.Buffer.check("transform", at.Offset, ((n-1)*f.Stride+(f.Batch-1)*dist+1)*size)
}

// HasFFT reports whether there is a library for Fourier transforms. It loads it, unless a capture is under way.
func HasFFT(d *Device) bool {
	if d.Emulated() || d.recording() != nil && !d.fft.Ready() {
		return false
	}
	return d.fft.Open(libraryHost{d})
}

// FFTLibrary says which library computes Fourier transforms on the device. It loads it.
func FFTLibrary(d *Device) LibraryInfo {
	d.fft.Open(libraryHost{d})
	return LibraryInfo(d.fft.Info())
}
