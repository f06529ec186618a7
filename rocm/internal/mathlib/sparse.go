package mathlib

import (
	"os"
	"strings"
	"unsafe"

	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// sparseCalls is the table of calls of hipSPARSE and of cuSPARSE, which hipSPARSE was made after: those of the generic
// interface have the same arguments.
type sparseCalls struct {
	create    func(handle *uintptr) driver.Code              `hip:"hipsparseCreate" cuda:"cusparseCreate"`
	destroy   func(handle uintptr) driver.Code               `hip:"hipsparseDestroy" cuda:"cusparseDestroy"`
	setStream func(handle, stream uintptr) driver.Code       `hip:"hipsparseSetStream" cuda:"cusparseSetStream"`
	number    func(property int32, value *int32) driver.Code `cuda:"?cusparseGetProperty"`

	// (descriptor*, rows, cols, nnz, offsets, columns, values, offsets' type, columns' type, base, type)
	csr driver.Call `hip:"hipsparseCreateCsr" cuda:"cusparseCreateCsr"`
	// (descriptor*, size, values, type) and (descriptor*, rows, cols, leading dimension, values, type, order)
	vector driver.Call `hip:"hipsparseCreateDnVec" cuda:"cusparseCreateDnVec"`
	matrix driver.Call `hip:"hipsparseCreateDnMat" cuda:"cusparseCreateDnMat"`

	destroyCSR    func(descriptor uintptr) driver.Code `hip:"hipsparseDestroySpMat" cuda:"cusparseDestroySpMat"`
	destroyVector func(descriptor uintptr) driver.Code `hip:"hipsparseDestroyDnVec" cuda:"cusparseDestroyDnVec"`
	destroyMatrix func(descriptor uintptr) driver.Code `hip:"hipsparseDestroyDnMat" cuda:"cusparseDestroyDnMat"`

	// (handle, operation, alpha*, A, x, beta*, y, type, algorithm, size* or space); of matrices with two operations
	spmvSize driver.Call `hip:"hipsparseSpMV_bufferSize" cuda:"cusparseSpMV_bufferSize"`
	spmv     driver.Call `hip:"hipsparseSpMV" cuda:"cusparseSpMV"`
	spmmSize driver.Call `hip:"hipsparseSpMM_bufferSize" cuda:"cusparseSpMM_bufferSize"`
	spmm     driver.Call `hip:"hipsparseSpMM" cuda:"cusparseSpMM"`
}

// The enumerations of both libraries, since ROCm 6 and CUDA 11: hipsparse-types.h and cusparse.h.
const (
	sparseNonTranspose = 0 // OPERATION_NON_TRANSPOSE
	sparseBaseZero     = 0 // INDEX_BASE_ZERO
	sparseIndex32      = 2 // INDEX_32I
	sparseOrderRow     = 2 // ORDER_ROW

	sparseAllocFailed = 2 // STATUS_ALLOC_FAILED
)

// sparseTypes are hipDataType and cudaDataType: R_32F, R_64F, C_32F and C_64F.
var sparseTypes = map[string]uintptr{"f32": 0, "f64": 1, "c64": 4, "c128": 5}

// sparseStatuses are the results of both libraries, by the prefix of the library.
func sparseStatuses(prefix string) map[driver.Code]string {
	list := map[driver.Code]string{}
	for i, name := range []string{"NOT_INITIALIZED", "ALLOC_FAILED", "INVALID_VALUE", "ARCH_MISMATCH", "MAPPING_ERROR",
		"EXECUTION_FAILED", "INTERNAL_ERROR", "MATRIX_TYPE_NOT_SUPPORTED", "ZERO_PIVOT", "NOT_SUPPORTED",
		"INSUFFICIENT_RESOURCES"} {
		list[driver.Code(i+1)] = prefix + name
	}
	return list
}

// sparseKind is what differs between the two libraries: the algorithms that give the same bits each time, and that
// need no analysis of the matrix before.
type sparseKind struct {
	driver.VendorKind
	spmv, spmm uintptr
}

// sparseLibrary is hipSPARSE or cuSPARSE.
type sparseLibrary struct {
	sparseCalls
	driver.VendorLibrary
	kind *sparseKind
}

// SparseProduct is the product of a matrix [Rows Cols] in compressed rows, with Count stored elements, and a dense
// matrix X [Cols N] in rows, or a vector if N is 1. Offsets and ColIDs are of 32 bits: cuSPARSE takes no other offsets
// beside such indices. Addresses are of device memory.
type SparseProduct struct {
	Elem                            string // f32, f64, c64 or c128
	Rows, Cols, Count, N            int
	Offsets, ColIDs, Values, X, Out uintptr
}

// Sparse multiplies sparse matrices on one device. Its zero value opens the library when it is first used.
type Sparse struct {
	libraryHandle
	lib *sparseLibrary

	// what the library reads and writes, in memory that does not move
	one, zero [2]float64 // of any type of elements
	space     uintptr    // bytes
	a, x, y   uintptr    // descriptors
}

// Open loads the library and creates a handle, at its first call. It reports whether there is one.
func (s *Sparse) Open(d Device) bool {
	return s.open(func() error {
		lib, err := loadSparse(d.Platform())
		if err != nil {
			return err
		}
		s.lib, s.library = lib, &lib.VendorLibrary
		return s.setup(d, s.step("create", func() driver.Code { return lib.create(&s.handle) }),
			s.step("destroy", func() driver.Code { return lib.destroy(s.handle) }),
			[]libraryStep{s.step("setStream", func() driver.Code { return lib.setStream(s.handle, d.Stream()) })})
	})
}

// Multiply puts a product on the device's stream, which must not be recorded by a capture. It reports whether the
// library took it. After a failure the library is not asked again for that kind of work, unless memory was short.
func (s *Sparse) Multiply(d Device, p *SparseProduct) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	kind, field := p.Elem+" matrices by matrices", "spmm"
	if p.N == 1 {
		kind, field = p.Elem+" matrices by vectors", "spmv"
	}
	if s.refused[kind] != nil {
		return false, nil
	}
	defer s.forget(d, p)
	if err := s.describe(d, p); err != nil {
		s.refuse(kind, err)
		return false, nil
	}
	words, size, run := s.arguments(p)
	query := append(words, uintptr(unsafe.Pointer(&s.space)))
	if err := s.call(d, s.step(field+"Size", func() driver.Code { return size(query...) })); err != nil {
		s.refuse(kind, err)
		return false, nil
	}
	space, err := d.Alloc(max(int(s.space), 1))
	if err != nil {
		return false, err
	}
	defer space.Free()
	step := s.step(field, func() driver.Code { return run(append(words, space.Ptr())...) })
	refused, err := s.launch(d, step, step.name+"_"+p.Elem)
	if refused != nil {
		s.refuse(kind, refused)
	}
	return refused == nil && err == nil, err
}

// describe creates the descriptors of the operands.
func (s *Sparse) describe(d Device, p *SparseProduct) error {
	typ, rows, cols, n := sparseTypes[p.Elem], uintptr(p.Rows), uintptr(p.Cols), uintptr(p.N)
	steps := []libraryStep{s.step("csr", func() driver.Code {
		return s.lib.csr(uintptr(unsafe.Pointer(&s.a)), rows, cols, uintptr(p.Count), p.Offsets, p.ColIDs, p.Values,
			sparseIndex32, sparseIndex32, sparseBaseZero, typ)
	})}
	dense := func(to *uintptr, rows, values uintptr) libraryStep {
		if p.N == 1 {
			return s.step("vector",
				func() driver.Code { return s.lib.vector(uintptr(unsafe.Pointer(to)), rows, values, typ) })
		}
		return s.step("matrix", func() driver.Code {
			return s.lib.matrix(uintptr(unsafe.Pointer(to)), rows, n, n, values, typ, sparseOrderRow)
		})
	}
	for _, step := range append(steps, dense(&s.x, cols, p.X), dense(&s.y, rows, p.Out)) {
		if err := s.call(d, step); err != nil {
			return err
		}
	}
	return nil
}

// arguments are those of the product, without the last one: the address of the size of its work space, which size
// takes, or the space, which run takes.
func (s *Sparse) arguments(p *SparseProduct) (words []uintptr, size, run driver.Call) {
	s.one, s.zero = [2]float64{1}, [2]float64{}
	if p.Elem == "f32" || p.Elem == "c64" {
		*(*[2]float32)(unsafe.Pointer(&s.one)) = [2]float32{1}
	}
	one, zero := uintptr(unsafe.Pointer(&s.one)), uintptr(unsafe.Pointer(&s.zero))
	typ, kind := sparseTypes[p.Elem], s.lib.kind
	if p.N == 1 {
		words = []uintptr{s.handle, sparseNonTranspose, one, s.a, s.x, zero, s.y, typ, kind.spmv}
		return words, s.lib.spmvSize, s.lib.spmv
	}
	words = []uintptr{s.handle, sparseNonTranspose, sparseNonTranspose, one, s.a, s.x, zero, s.y, typ, kind.spmm}
	return words, s.lib.spmmSize, s.lib.spmm
}

// forget destroys the descriptors.
func (s *Sparse) forget(d Device, p *SparseProduct) {
	field, destroy := "destroyMatrix", s.lib.destroyMatrix
	if p.N == 1 {
		field, destroy = "destroyVector", s.lib.destroyVector
	}
	name := func(field string) string { return s.step(field, nil).name }
	for _, step := range destroySteps(descriptor{name("destroyCSR"), s.lib.destroyCSR, s.a},
		descriptor{name(field), destroy, s.x}, descriptor{name(field), destroy, s.y}) {
		_ = s.call(d, step) // a descriptor that is not destroyed is small
	}
	s.a, s.x, s.y = 0, 0, 0
}

// step is a call of the table's field.
func (s *Sparse) step(field string, call func() driver.Code) libraryStep {
	return libraryStep{driver.CName[sparseCalls](field, s.lib.kind.Platform.Column()), call}
}

// loadSparse loads the library of a platform.
func loadSparse(platform driver.Platform) (*sparseLibrary, error) {
	const op = "load a library for sparse matrices"
	switch {
	case strings.EqualFold(os.Getenv("GOROCM_SPARSE"), "go"):
		return nil, &driver.Error{Op: op, Text: "GOROCM_SPARSE=go is set", Kind: driver.ErrNoLibrary}
	case platform == driver.HIP:
		return hipsparse.load()
	case platform == driver.CUDA:
		return cusparse.load()
	}
	return nil, &driver.Error{Op: op, Text: "there is none for the emulated GPU", Kind: driver.ErrUnsupported}
}

// load loads the library and binds its calls, all of which are needed.
func (kind *sparseKind) load() (*sparseLibrary, error) {
	lib, err := kind.Find()
	if err != nil {
		return nil, err
	}
	l := &sparseLibrary{kind: kind, VendorLibrary: driver.VendorLibrary{Kind: &kind.VendorKind, File: lib}}
	if err := driver.Bind(&l.sparseCalls, kind.Platform.Column(), lib); err != nil {
		return nil, err
	}
	l.VendorLibrary.Version = lib.FileVersion()
	if l.number != nil {
		l.VendorLibrary.Version = driver.PropertyVersion(l.number)
	}
	return l, nil
}
