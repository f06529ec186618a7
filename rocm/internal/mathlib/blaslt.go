package mathlib

import (
	"unsafe"

	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// ltCalls is the table of calls of hipBLASLt and of cuBLASLt, which hipBLASLt was made after. Handles and descriptors are uintptr; a status is the
// int that both return.
type ltCalls struct {
	create  func(handle *uintptr) driver.Code                `hip:"hipblasLtCreate" cuda:"cublasLtCreate"`
	destroy func(handle uintptr) driver.Code                 `hip:"hipblasLtDestroy" cuda:"cublasLtDestroy"`
	number  func(property int32, value *int32) driver.Code   `cuda:"?cublasLtGetProperty"`
	version func(handle uintptr, version *int32) driver.Code `hip:"?hipblasLtGetVersion"`

	newProduct     func(desc *uintptr, compute, scale int32) driver.Code                               `hip:"hipblasLtMatmulDescCreate" cuda:"cublasLtMatmulDescCreate"`
	dropProduct    func(desc uintptr) driver.Code                                                      `hip:"hipblasLtMatmulDescDestroy" cuda:"cublasLtMatmulDescDestroy"`
	setProduct     func(desc uintptr, attribute int32, value unsafe.Pointer, size uintptr) driver.Code `hip:"hipblasLtMatmulDescSetAttribute" cuda:"cublasLtMatmulDescSetAttribute"`
	newMatrix      func(desc *uintptr, elem int32, rows, cols uint64, lead int64) driver.Code          `hip:"hipblasLtMatrixLayoutCreate" cuda:"cublasLtMatrixLayoutCreate"`
	dropMatrix     func(desc uintptr) driver.Code                                                      `hip:"hipblasLtMatrixLayoutDestroy" cuda:"cublasLtMatrixLayoutDestroy"`
	setMatrix      func(desc uintptr, attribute int32, value unsafe.Pointer, size uintptr) driver.Code `hip:"hipblasLtMatrixLayoutSetAttribute" cuda:"cublasLtMatrixLayoutSetAttribute"`
	newPreference  func(desc *uintptr) driver.Code                                                     `hip:"hipblasLtMatmulPreferenceCreate" cuda:"cublasLtMatmulPreferenceCreate"`
	dropPreference func(desc uintptr) driver.Code                                                      `hip:"hipblasLtMatmulPreferenceDestroy" cuda:"cublasLtMatmulPreferenceDestroy"`
	setPreference  func(desc uintptr, attribute int32, value unsafe.Pointer, size uintptr) driver.Code `hip:"hipblasLtMatmulPreferenceSetAttribute" cuda:"cublasLtMatmulPreferenceSetAttribute"`
	choose         driver.Call                                                                         `hip:"hipblasLtMatmulAlgoGetHeuristic" cuda:"cublasLtMatmulAlgoGetHeuristic"`
	multiply       driver.Call                                                                         `hip:"hipblasLtMatmul" cuda:"cublasLtMatmul"`
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
	transpose      int32 // of the first operand; the second is as it lies, which is the default
	compute        int32 // f32, in the numbers for arithmetic
	elems          map[string]int32
	addendTypes    map[string]int32 // the type of what could be added to a product of these elements
	addendIsResult bool             // the address of what could be added must be one, though nothing is: that of the result
	descriptorAttributes
	algorithmSize int // bytes that say which way was chosen
	workspace     int // bytes that a way may use besides the operands
}

// descriptorAttributes are the numbers of what descriptors are told.
type descriptorAttributes struct {
	transposed                       int32 // of products: whether the first operand is
	batches, batchStride             int32 // of matrices
	workspaceLimit, reductionSchemes int32 // of preferences: bytes of workspace, how parts of a sum are added; 0 for what a library has not
	alignments                       int32 // the first of four, of the operands, what could be added and the result; 0 for what a library has not
}

// BLASLt is a device's use of the library.
type BLASLt struct{ planCache[*ltLibrary] }

// Open loads the device's library and makes a handle. It reports whether there is one, and tries once.
func (n *BLASLt) Open(d Device) bool {
	return n.libraryHandle.open(func() error { return n.start(d) })
}

// Close gives the handle back, and what was made for shapes.
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
	err = n.setup(d, n.step("create", func() driver.Code { return lib.create(&n.handle) }), n.step("destroy", func() driver.Code { return lib.destroy(n.handle) }), nil)
	if err == nil && lib.ltCalls.version != nil {
		var v int32
		if n.call(d, n.step("version", func() driver.Code { return lib.ltCalls.version(n.handle, &v) })) == nil {
			lib.VendorLibrary.Version = hipblasltVersion(v)
		}
	}
	return err
}

// step is a call of a field of the table.
func (n *BLASLt) step(field string, call func() driver.Code) libraryStep {
	return libraryStep{driver.CName[ltCalls](field, n.lib.kind.Platform.Column()), call}
}

// loadBLASLt loads the library that belongs to a driver.
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

// load loads the library and finds its calls, all of which are needed.
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
