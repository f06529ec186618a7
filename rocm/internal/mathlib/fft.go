package mathlib

import (
	"math"
	"os"
	"strings"

	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// fftCalls is the table of calls of hipFFT and of cuFFT, which hipFFT was made after: the arguments are the same. A
// plan of hipFFT is a pointer, one of cuFFT an int; a status is the int that both return.
type fftCalls struct {
	create       func(plan *uintptr) driver.Code                  `hip:"hipfftCreate" cuda:"cufftCreate"`
	destroy      func(plan uintptr) driver.Code                   `hip:"hipfftDestroy" cuda:"cufftDestroy"`
	autoAllocate func(plan uintptr, on int32) driver.Code         `hip:"hipfftSetAutoAllocation" cuda:"cufftSetAutoAllocation"`
	setWorkArea  func(plan, memory uintptr) driver.Code           `hip:"hipfftSetWorkArea" cuda:"cufftSetWorkArea"`
	setStream    func(plan, stream uintptr) driver.Code           `hip:"hipfftSetStream" cuda:"cufftSetStream"`
	makePlan     driver.Call                                      `hip:"hipfftMakePlanMany" cuda:"cufftMakePlanMany"`
	c2c          func(plan, in, out uintptr, d int32) driver.Code `hip:"hipfftExecC2C" cuda:"cufftExecC2C"`
	z2z          func(plan, in, out uintptr, d int32) driver.Code `hip:"hipfftExecZ2Z" cuda:"cufftExecZ2Z"`
	r2c          func(plan, in, out uintptr) driver.Code          `hip:"hipfftExecR2C" cuda:"cufftExecR2C"`
	d2z          func(plan, in, out uintptr) driver.Code          `hip:"hipfftExecD2Z" cuda:"cufftExecD2Z"`
	c2r          func(plan, in, out uintptr) driver.Code          `hip:"hipfftExecC2R" cuda:"cufftExecC2R"`
	z2d          func(plan, in, out uintptr) driver.Code          `hip:"hipfftExecZ2D" cuda:"cufftExecZ2D"`
	number       func(property int32, value *int32) driver.Code   `hip:"?hipfftGetProperty" cuda:"?cufftGetProperty"`
}

// The enumerations of both libraries: hipfft.h and cufft.h.
const (
	fftForward, fftInverse = -1, 1

	fftAllocFailed = 2 // of the results
)

// fftTypes are the types of transforms, by what is transformed and the type of real numbers.
var fftTypes = [3]map[string]uintptr{
	FFTComplex:  {"f32": 0x29, "f64": 0x69}, // C2C and Z2Z
	FFTForward:  {"f32": 0x2a, "f64": 0x6a}, // R2C and D2Z
	FFTBackward: {"f32": 0x2c, "f64": 0x6c}, // C2R and Z2D
}

// fftStatuses are the results of both libraries, without the prefix of the library.
func fftStatuses(prefix string) map[driver.Code]string {
	list := map[driver.Code]string{
		1: "INVALID_PLAN", 2: "ALLOC_FAILED", 3: "INVALID_TYPE", 4: "INVALID_VALUE", 5: "INTERNAL_ERROR",
		6: "EXEC_FAILED", 7: "SETUP_FAILED", 8: "INVALID_SIZE", 9: "UNALIGNED_DATA", 11: "INVALID_DEVICE",
		13: "NO_WORKSPACE", 14: "NOT_IMPLEMENTED", 16: "NOT_SUPPORTED",
	}
	for code, name := range list {
		list[code] = prefix + name
	}
	return list
}

// FFTKind says what a transform takes and gives.
type FFTKind int

// The kinds.
const (
	FFTComplex  FFTKind = iota // complex numbers to complex numbers
	FFTForward                 // real numbers to the first half of their transform
	FFTBackward                // that, to real numbers; what is transformed is overwritten
)

// FFTShape is the key of a plan: Batch transforms of dims of Sizes, the first Rank of three. Of each, numbers of the
// last dim are Stride apart, and transforms InDist and OutDist, in elements.
type FFTShape struct {
	Elem                           string // of the real numbers
	Kind                           FFTKind
	Rank                           int
	Sizes                          [3]int
	Batch, Stride, InDist, OutDist int
}

// regular reports whether the sizes and the last index are those that libraries count with.
func (s *FFTShape) regular() bool {
	each := 1
	for _, n := range s.Sizes[:s.Rank] {
		if n < 1 || each > math.MaxInt32/n {
			return false
		}
		each *= n
	}
	if s.Batch < 1 || max(s.Batch, s.Stride, s.InDist, s.OutDist) > math.MaxInt32 || fftTypes[s.Kind][s.Elem] == 0 {
		return false
	}
	last := uint64(s.Batch-1)*uint64(max(s.InDist, s.OutDist)) + uint64(each-1)*uint64(s.Stride)
	return last <= math.MaxInt32
}

// fftPlan is a plan of a library, with what it was made of in memory that does not move.
type fftPlan struct {
	plan             uintptr
	workspace        uintptr  // bytes
	sizes, ins, outs [3]int32 // of a transform, and of the arrays that it is in
}

func (p *fftPlan) destroySteps(lib *fftLibrary) []libraryStep {
	name := driver.CName[fftCalls]("destroy", lib.kind.Platform.Column())
	return destroySteps(descriptor{name, lib.destroy, p.plan})
}

// fftLibrary is hipFFT or cuFFT.
type fftLibrary struct {
	fftCalls
	driver.VendorLibrary
	kind *fftKind
}

type fftKind struct{ driver.VendorKind }

// FFT transforms on one device. Its zero value opens the library when it is first used.
type FFT struct{ planCache[*fftLibrary] }

// Open loads the library at its first call. It reports whether there is one.
func (n *FFT) Open(d Device) bool {
	return n.open(func() error {
		lib, err := loadFFT(d.Platform())
		if err == nil {
			n.lib, n.library = lib, &lib.VendorLibrary
		}
		return err
	})
}

// Transform puts transforms on the stream. It reports whether the library took them. in and out are different memory.
func (n *FFT) Transform(d Device, s *FFTShape, inverse bool, in, out uintptr) (bool, error) {
	if !s.regular() {
		return false, nil
	}
	fresh, space := &fftPlan{}, Memory(nil)
	text := s.Elem + [...]string{" transforms", " transforms of real numbers", " transforms to real numbers"}[s.Kind]
	done, err := n.runPlanned(d, *s, text, s.Elem, fresh, func() error { return n.plan(d, s, fresh) },
		func(made plan[*fftLibrary]) (libraryStep, func(), error) {
			p, lib := made.(*fftPlan), n.lib
			var err error
			if space, err = d.Alloc(int(p.workspace)); err != nil {
				return libraryStep{}, nil, err
			}
			field, exec := lib.exec(s, inverse)
			stream := d.WorkStream()
			return n.step(field, func() driver.Code {
				if c := lib.setStream(p.plan, stream); c != 0 {
					return c
				}
				if p.workspace > 0 {
					if c := lib.setWorkArea(p.plan, space.Ptr()); c != 0 {
						return c
					}
				}
				return exec(p.plan, in, out)
			}), space.Free, nil
		})
	if done && d.Recording() {
		d.Keep(space) // the graph uses it at each replay
	}
	return done, err
}

// exec is the call that computes.
func (l *fftLibrary) exec(s *FFTShape, inverse bool) (field string, call func(plan, in, out uintptr) driver.Code) {
	double := s.Elem == "f64"
	switch {
	case s.Kind == FFTForward && double:
		return "d2z", l.d2z
	case s.Kind == FFTForward:
		return "r2c", l.r2c
	case s.Kind == FFTBackward && double:
		return "z2d", l.z2d
	case s.Kind == FFTBackward:
		return "c2r", l.c2r
	}
	field, both, direction := "c2c", l.c2c, int32(fftForward)
	if double {
		field, both = "z2z", l.z2z
	}
	if inverse {
		direction = fftInverse
	}
	return field, func(plan, in, out uintptr) driver.Code { return both(plan, in, out, direction) }
}

// plan makes a plan whose work area is the caller's.
func (n *FFT) plan(d Device, s *FFTShape, p *fftPlan) error {
	if err := n.call(d, n.step("create", func() driver.Code { return n.lib.create(&p.plan) })); err != nil {
		return err
	}
	if err := n.call(d, n.step("autoAllocate",
		func() driver.Code { return n.lib.autoAllocate(p.plan, 0) })); err != nil {
		return err
	}
	words := p.arguments(s)
	return n.call(d, n.step("makePlan", func() driver.Code { return n.lib.makePlan(words...) }))
}

// arguments are those of makePlan: plan, rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch,
// workSize.
func (p *fftPlan) arguments(s *FFTShape) []uintptr {
	for i, n := range s.Sizes {
		p.sizes[i], p.ins[i], p.outs[i] = int32(n), int32(n), int32(n)
	}
	switch half := int32(s.Sizes[s.Rank-1]/2 + 1); s.Kind {
	case FFTForward:
		p.outs[s.Rank-1] = half
	case FFTBackward:
		p.ins[s.Rank-1] = half
	}
	return []uintptr{p.plan, uintptr(s.Rank), address(&p.sizes), address(&p.ins), uintptr(s.Stride), uintptr(s.InDist),
		address(&p.outs), uintptr(s.Stride), uintptr(s.OutDist), fftTypes[s.Kind][s.Elem], uintptr(s.Batch),
		address(&p.workspace)}
}

// step is a call of the table's field.
func (n *FFT) step(field string, call func() driver.Code) libraryStep {
	return libraryStep{driver.CName[fftCalls](field, n.lib.kind.Platform.Column()), call}
}

// loadFFT loads the library of a platform.
func loadFFT(platform driver.Platform) (*fftLibrary, error) {
	const op = "load a library for Fourier transforms"
	switch {
	case strings.EqualFold(os.Getenv("GOROCM_FFT"), "go"):
		return nil, &driver.Error{Op: op, Text: "GOROCM_FFT=go is set", Kind: driver.ErrNoLibrary}
	case platform == driver.HIP:
		return hipfft.load()
	case platform == driver.CUDA:
		return cufft.load()
	}
	return nil, &driver.Error{Op: op, Text: "there is none for the emulated GPU", Kind: driver.ErrUnsupported}
}

// load loads the library and binds its calls, all of which are needed.
func (kind *fftKind) load() (*fftLibrary, error) {
	lib, err := kind.Find()
	if err != nil {
		return nil, err
	}
	l := &fftLibrary{kind: kind, VendorLibrary: driver.VendorLibrary{Kind: &kind.VendorKind, File: lib}}
	if err := driver.Bind(&l.fftCalls, kind.Platform.Column(), lib); err != nil {
		return nil, err
	}
	l.VendorLibrary.Version = lib.FileVersion()
	if l.number != nil {
		l.VendorLibrary.Version = driver.PropertyVersion(l.number)
	}
	return l, nil
}
