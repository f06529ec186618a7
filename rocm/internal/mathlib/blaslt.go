package mathlib

import (
	"unsafe"

	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// ltCalls is the table of calls of hipBLASLt and of cuBLASLt, which hipBLASLt was made after. Handles and descriptors
// are uintptr; a status is the int that both return.
type ltCalls struct {
	create  func(handle *uintptr) driver.Code                `hip:"hipblasLtCreate" cuda:"cublasLtCreate"`
	destroy func(handle uintptr) driver.Code                 `hip:"hipblasLtDestroy" cuda:"cublasLtDestroy"`
	number  func(property int32, value *int32) driver.Code   `cuda:"?cublasLtGetProperty"`
	version func(handle uintptr, version *int32) driver.Code `hip:"?hipblasLtGetVersion"`

	createProduct     func(desc *uintptr, compute, scale int32) driver.Code                               `hip:"hipblasLtMatmulDescCreate" cuda:"cublasLtMatmulDescCreate"`
	destroyProduct    func(desc uintptr) driver.Code                                                      `hip:"hipblasLtMatmulDescDestroy" cuda:"cublasLtMatmulDescDestroy"`
	setProduct        func(desc uintptr, attribute int32, value unsafe.Pointer, size uintptr) driver.Code `hip:"hipblasLtMatmulDescSetAttribute" cuda:"cublasLtMatmulDescSetAttribute"`
	createMatrix      func(desc *uintptr, elem int32, rows, cols uint64, lead int64) driver.Code          `hip:"hipblasLtMatrixLayoutCreate" cuda:"cublasLtMatrixLayoutCreate"`
	destroyMatrix     func(desc uintptr) driver.Code                                                      `hip:"hipblasLtMatrixLayoutDestroy" cuda:"cublasLtMatrixLayoutDestroy"`
	setMatrix         func(desc uintptr, attribute int32, value unsafe.Pointer, size uintptr) driver.Code `hip:"hipblasLtMatrixLayoutSetAttribute" cuda:"cublasLtMatrixLayoutSetAttribute"`
	createPreference  func(desc *uintptr) driver.Code                                                     `hip:"hipblasLtMatmulPreferenceCreate" cuda:"cublasLtMatmulPreferenceCreate"`
	destroyPreference func(desc uintptr) driver.Code                                                      `hip:"hipblasLtMatmulPreferenceDestroy" cuda:"cublasLtMatmulPreferenceDestroy"`
	setPreference     func(desc uintptr, attribute int32, value unsafe.Pointer, size uintptr) driver.Code `hip:"hipblasLtMatmulPreferenceSetAttribute" cuda:"cublasLtMatmulPreferenceSetAttribute"`
	choose            driver.Call                                                                         `hip:"hipblasLtMatmulAlgoGetHeuristic" cuda:"cublasLtMatmulAlgoGetHeuristic"`
	multiply          driver.Call                                                                         `hip:"hipblasLtMatmul" cuda:"cublasLtMatmul"`
}

// ltLibrary is hipBLASLt or cuBLASLt.
type ltLibrary struct {
	ltCalls
	driver.VendorLibrary
	kind *ltKind
}

// ltKind is what differs between the two libraries.
type ltKind struct {
	driver.VendorKind
	transpose   int32 // the operation of the first operand; the second is not transposed, which is the default
	compute     int32 // arithmetic in f32
	elems       map[string]int32
	addendTypes map[string]int32 // of the addend, by the type of elements
	// the addend needs an address, although it is multiplied by zero: that of the result
	addendIsResult bool
	descriptorAttributes
	algorithmSize int // bytes of the algorithm in a heuristic result
	workspace     int // bytes that an algorithm may use
}

// descriptorAttributes are the attributes of descriptors that are set. 0 is one that a library lacks.
type descriptorAttributes struct {
	transposed                       int32 // of products: whether the first operand is
	batches, batchStride             int32 // of matrices
	workspaceLimit, reductionSchemes int32 // of preferences
	alignments                       int32 // of preferences: the first of four, for A, B, C and D
}

// BLASLt multiplies f8e4m3 on one device. Its zero value opens the library when it is first used.
type BLASLt struct{ planCache[*ltLibrary] }

// Open loads the library and creates a handle, at its first call. It reports whether there is one.
func (n *BLASLt) Open(d Device) bool {
	return n.libraryHandle.open(func() error { return n.start(d) })
}

// Close destroys the handle and all plans.
func (n *BLASLt) Close(d Device) error {
	if n.lib == nil {
		return nil
	}
	n.Forget(d)
	return n.close(d, n.step("destroy", func() driver.Code { return n.lib.destroy(n.handle) }))
}

func (n *BLASLt) start(d Device) error {
	lib, err := loadBLASLt(d.Platform())
	if err != nil {
		return err
	}
	n.lib, n.library = lib, &lib.VendorLibrary
	err = n.setup(d, n.step("create", func() driver.Code { return lib.create(&n.handle) }),
		n.step("destroy", func() driver.Code { return lib.destroy(n.handle) }), nil)
	if err == nil && lib.ltCalls.version != nil {
		var v int32
		if n.call(d, n.step("version", func() driver.Code { return lib.ltCalls.version(n.handle, &v) })) == nil {
			lib.VendorLibrary.Version = hipblasltVersion(v)
		}
	}
	return err
}

// step is a call of the table's field.
func (n *BLASLt) step(field string, call func() driver.Code) libraryStep {
	return libraryStep{driver.CName[ltCalls](field, n.lib.kind.Platform.Column()), call}
}

// loadBLASLt loads the library of a platform.
func loadBLASLt(platform driver.Platform) (*ltLibrary, error) {
	const op = "load a library for products of f8e4m3"
	switch {
	case blasDisabled():
		return nil, &driver.Error{Op: op, Text: "GOROCM_BLAS=go is set", Kind: driver.ErrNoLibrary}
	case platform == driver.HIP:
		return hipblaslt.load()
	case platform == driver.CUDA:
		return cublaslt.load()
	}
	return nil, &driver.Error{Op: op, Text: "there is none for the emulated GPU", Kind: driver.ErrUnsupported}
}

// load loads the library and binds its calls, all of which are needed.
func (kind *ltKind) load() (*ltLibrary, error) {
	lib, err := kind.Find()
	if err != nil {
		return nil, err
	}
	l := &ltLibrary{kind: kind, VendorLibrary: driver.VendorLibrary{Kind: &kind.VendorKind, File: lib}}
	if err := driver.Bind(&l.ltCalls, kind.Platform.Column(), lib); err != nil {
		return nil, err
	}
	l.VendorLibrary.Version = lib.FileVersion()
	if l.number != nil {
		l.VendorLibrary.Version = driver.PropertyVersion(l.number)
	}
	return l, nil
}
