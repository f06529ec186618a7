package mathlib

import (
	"unsafe"

	"github.com/gorocm/gorocm/internal/dl"

	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// solverCalls are the calls of rocSOLVER, whose handles are those of rocBLAS, and of cuSOLVER that do not depend on the
// type of elements. Routines are looked up by names that are computed: see solverKind.
type solverCalls struct {
	create    func(handle *uintptr) driver.Code              `hip:"rocblas_create_handle" cuda:"cusolverDnCreate"`
	destroy   func(handle uintptr) driver.Code               `hip:"rocblas_destroy_handle" cuda:"cusolverDnDestroy"`
	setStream func(handle, stream uintptr) driver.Code       `hip:"rocblas_set_stream" cuda:"cusolverDnSetStream"`
	text      func(buffer *byte, size uintptr) driver.Code   `hip:"?rocsolver_get_version_string"`
	number    func(property int32, value *int32) driver.Code `cuda:"?cusolverGetProperty"`
	atomics   func(handle uintptr, mode int32) driver.Code   `hip:"?rocblas_set_atomics_mode"`
	repeat    func(handle uintptr, option int32) driver.Code `cuda:"?cusolverDnSetDeterministicMode"`

	// what gesvdj takes, with cuSOLVER's defaults: rotations until none exceeds the type's precision, at most 100 sweeps
	createJacobi  func(options *uintptr) driver.Code `cuda:"?cusolverDnCreateGesvdjInfo"`
	destroyJacobi func(options uintptr) driver.Code  `cuda:"?cusolverDnDestroyGesvdjInfo"`
}

// solverLibrary is rocSOLVER or cuSOLVER.
type solverLibrary struct {
	solverCalls
	driver.VendorLibrary
	kind     *solverKind
	routines map[string]driver.Call // by C's name; nil for those that the library lacks
}

// solverKind is what differs between the two libraries. The names of their routines are a prefix, the letter of the
// type and LAPACK's name.
type solverKind struct {
	driver.VendorKind
	prefix  string
	letters map[string]string // of types of elements
	find    func() ([]*driver.Library, error)
	// the arguments of a routine; work has so many elements
	args func(f *Factor, handle, work uintptr, elements int) []uintptr
	// how many elements of work space a routine needs, or the arguments of the call that says it, without the address of
	// an int and what follows it
	work func(f *Factor, handle uintptr) (elements int, query []uintptr)
}

// Factor is one step of a factorisation of a column-major matrix with M rows and N columns, which begin every M
// elements. Addresses are of device memory.
type Factor struct {
	Routine string // getrf, potrf, geqrf, orgqr, gesvd, gesvdj or syevd: LAPACK's names for real matrices
	Elem    string // f32, f64, c64 or c128
	M, N, K int    // K reflections, for orgqr
	Upper   bool   // the triangle that potrf and syevd read
	Vectors bool   // for gesvd, gesvdj and syevd
	Full    bool   // square matrices of vectors, for gesvd and gesvdj

	A      uintptr // the matrix, which is overwritten
	Pivots uintptr // of getrf: int32, from 1 on
	Tau    uintptr // of geqrf and orgqr
	Values uintptr // of gesvd, gesvdj and syevd, of the real type
	U, VH  uintptr // of gesvd: M × min(M, N) and min(M, N) × N, or square; gesvdj has V, N × min(M, N), for VH
	Info   uintptr // int32; geqrf and orgqr may leave it as it is

	jacobi uintptr // the options of gesvdj
}

// vectorRows is the number of rows of VH.
func (f *Factor) vectorRows() int {
	if f.Full {
		return f.N
	}
	return min(f.M, f.N)
}

// complexNames are LAPACK's names of routines for complex matrices, where they differ.
var complexNames = map[string]string{"orgqr": "ungqr", "syevd": "heevd"}

// name is C's.
func (kind *solverKind) name(f *Factor) string {
	routine := f.Routine
	if other := complexNames[routine]; other != "" && (f.Elem == "c64" || f.Elem == "c128") {
		routine = other
	}
	return kind.prefix + kind.letters[f.Elem] + routine
}

// FactorSize is the size of an element in bytes, real the size of its parts.
func FactorSize(elem string) (size, real int) {
	switch elem {
	case "f32":
		return 4, 4
	case "f64":
		return 8, 8
	case "c64":
		return 8, 4
	}
	return 16, 8
}

// Solver factors matrices on one device. Its zero value opens the library when it is first used.
type Solver struct {
	libraryHandle
	lib    *solverLibrary
	size   int32   // elements of work space, where the library writes it
	jacobi uintptr // options of gesvdj; 0 where the library has no such routine
}

// Open loads the library and creates a handle, at its first call. It reports whether there is one.
func (s *Solver) Open(d Device) bool {
	return s.libraryHandle.open(func() error { return s.start(d) })
}

// start loads the library and creates the handle.
func (s *Solver) start(d Device) error {
	lib, err := loadSolver(d.Platform())
	if err != nil {
		return err
	}
	s.lib, s.library = lib, &lib.VendorLibrary
	name := func(field string) string { return driver.CName[solverCalls](field, d.Platform().Column()) }
	steps := []libraryStep{{name("setStream"), func() driver.Code { return lib.setStream(s.handle, d.Stream()) }}}
	if lib.atomics != nil { // the same matrix gives the same bits
		steps = append(steps, libraryStep{name("atomics"), func() driver.Code { return lib.atomics(s.handle, 0) }})
	}
	if lib.repeat != nil {
		steps = append(steps, libraryStep{name("repeat"),
			func() driver.Code { return lib.repeat(s.handle, CUSOLVER_DETERMINISTIC_RESULTS) }})
	}
	if lib.createJacobi != nil && lib.destroyJacobi != nil {
		steps = append(steps, libraryStep{name("createJacobi"),
			func() driver.Code { return lib.createJacobi(&s.jacobi) }})
	}
	return s.setup(d, libraryStep{name("create"), func() driver.Code { return lib.create(&s.handle) }},
		libraryStep{name("destroy"), func() driver.Code { return lib.destroy(s.handle) }}, steps)
}

// Close destroys the handle.
func (s *Solver) Close(d Device) error {
	name := driver.CName[solverCalls]("destroy", d.Platform().Column())
	return s.close(d, libraryStep{name, func() driver.Code {
		if s.jacobi != 0 {
			s.lib.destroyJacobi(s.jacobi)
			s.jacobi = 0
		}
		return s.lib.destroy(s.handle)
	}})
}

// Run puts a step on the stream. It reports whether the library took it. After a failure the library is not asked again
// for that routine and type, unless memory was short. The device's stream must not be recorded by a capture: libraries
// allocate, and wait for the stream.
func (s *Solver) Run(d Device, f *Factor) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	kind := f.Routine + " of " + f.Elem
	if s.refused[kind] != nil || f.Routine == "gesvdj" && s.jacobi == 0 {
		return false, nil
	}
	f.jacobi = s.jacobi
	name := s.lib.kind.name(f)
	call := s.lib.routine(name)
	if call == nil {
		s.refused[kind] = s.lackError(name)
		return false, nil
	}
	elements, err := s.workspace(d, f, name)
	if err != nil {
		s.refuse(kind, err)
		return false, nil
	}
	work := uintptr(0)
	if elements > 0 {
		size, _ := FactorSize(f.Elem)
		m, err := d.Alloc(elements * size)
		if err != nil {
			return false, err
		}
		defer m.Free()
		work = m.Ptr()
	}
	words := s.lib.kind.args(f, s.handle, work, elements)
	refused, err := s.launch(d, libraryStep{name, func() driver.Code { return call(words...) }}, name)
	if refused != nil {
		s.refuse(kind, refused)
	}
	return refused == nil && err == nil, err
}

// workspace is the number of elements of work space that a step needs.
func (s *Solver) workspace(d Device, f *Factor, name string) (int, error) {
	elements, query := s.lib.kind.work(f, s.handle)
	if query == nil {
		return elements, nil
	}
	name += "_bufferSize"
	call := s.lib.routine(name)
	if call == nil {
		return 0, s.lackError(name)
	}
	s.size = 0
	words := append(query, uintptr(unsafe.Pointer(&s.size)))
	if f.Routine == "gesvdj" {
		words = append(words, f.jacobi)
	}
	err := s.call(d, libraryStep{name, func() driver.Code { return call(words...) }})
	return int(s.size), err
}

// routine looks a routine up by C's name. It is nil where the library lacks it.
func (l *solverLibrary) routine(name string) driver.Call {
	call, ok := l.routines[name]
	if !ok {
		if symbol, err := dl.Symbol(l.File.Handle, name); err == nil && symbol != 0 {
			driver.BindField(&call, symbol)
		}
		l.routines[name] = call
	}
	return call
}

// loadSolver loads the library of a platform.
func loadSolver(platform driver.Platform) (*solverLibrary, error) {
	switch {
	case blasDisabled():
		return nil, &driver.Error{Op: "load a solver library", Text: "GOROCM_BLAS=go is set", Kind: driver.ErrNoLibrary}
	case platform == driver.HIP:
		return rocsolver.load()
	case platform == driver.CUDA:
		return cusolver.load()
	}
	return nil, &driver.Error{Op: "load a solver library", Text: "there is none for the emulated GPU",
		Kind: driver.ErrUnsupported}
}

// load loads the library, and binds its calls and those of the libraries that it needs.
func (kind *solverKind) load() (*solverLibrary, error) {
	libs, err := kind.find()
	if err != nil {
		return nil, err
	}
	l := &solverLibrary{kind: kind, VendorLibrary: driver.VendorLibrary{Kind: &kind.VendorKind, File: libs[0]},
		routines: map[string]driver.Call{}}
	if err := driver.Bind(&l.solverCalls, kind.Platform.Column(), libs...); err != nil {
		return nil, err
	}
	switch {
	case l.text != nil:
		l.Version = driver.TextVersion(l.text)
	case l.number != nil:
		l.Version = driver.PropertyVersion(l.number)
	}
	return l, nil
}
