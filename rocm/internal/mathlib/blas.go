package mathlib

import (
	"os"
	"strings"

	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// blasCalls is the table of calls of rocBLAS and of cuBLAS. Handles are uintptr; a status is the int that both return.
type blasCalls struct {
	create         func(handle *uintptr) driver.Code              `hip:"rocblas_create_handle" cuda:"cublasCreate_v2"`
	destroy        func(handle uintptr) driver.Code               `hip:"rocblas_destroy_handle" cuda:"cublasDestroy_v2"`
	setStream      func(handle, stream uintptr) driver.Code       `hip:"rocblas_set_stream" cuda:"cublasSetStream_v2"`
	setMathMode    func(handle uintptr, mode int32) driver.Code   `hip:"?rocblas_set_math_mode" cuda:"cublasSetMathMode"`
	setAtomicsMode func(handle uintptr, mode int32) driver.Code   `hip:"?rocblas_set_atomics_mode" cuda:"?cublasSetAtomicsMode"`
	setWorkspace   func(handle, memory, size uintptr) driver.Code `hip:"?rocblas_set_workspace" cuda:"?cublasSetWorkspace_v2"`
	gemm           driver.Call                                    `hip:"?rocblas_gemm_ex" cuda:"?cublasGemmEx"`
	batched        driver.Call                                    `hip:"?rocblas_gemm_strided_batched_ex" cuda:"?cublasGemmStridedBatchedEx"`
	text           func(buffer *byte, size uintptr) driver.Code   `hip:"?rocblas_get_version_string"`
	number         func(property int32, value *int32) driver.Code `cuda:"?cublasGetProperty"`

	// Products by one row or column. Those of f16 and bf16 add in f32.
	gemv32      driver.Call `hip:"?rocblas_sgemv" cuda:"?cublasSgemv_v2"`
	gemv64      driver.Call `hip:"?rocblas_dgemv" cuda:"?cublasDgemv_v2"`
	batched32   driver.Call `hip:"?rocblas_sgemv_strided_batched" cuda:"?cublasSgemvStridedBatched"`
	batched64   driver.Call `hip:"?rocblas_dgemv_strided_batched" cuda:"?cublasDgemvStridedBatched"`
	batched16   driver.Call `hip:"?rocblas_hshgemv_strided_batched" cuda:"?cublasHSHgemvStridedBatched"`
	batchedBF16 driver.Call `hip:"?rocblas_tstgemv_strided_batched" cuda:"?cublasTSTgemvStridedBatched"`

	// Triangular systems.
	trsm32   driver.Call `hip:"?rocblas_strsm" cuda:"?cublasStrsm_v2"`
	trsm64   driver.Call `hip:"?rocblas_dtrsm" cuda:"?cublasDtrsm_v2"`
	trsmC64  driver.Call `hip:"?rocblas_ctrsm" cuda:"?cublasCtrsm_v2"`
	trsmC128 driver.Call `hip:"?rocblas_ztrsm" cuda:"?cublasZtrsm_v2"`
}

// blasLibrary is rocBLAS or cuBLAS.
type blasLibrary struct {
	blasCalls
	driver.VendorLibrary
	kind *blasKind
}

// blasKind is what differs between the two libraries.
type blasKind struct {
	driver.VendorKind
	math                   func(reduced bool) int32 // the mode; reduced allows TF32 for products of f32
	noTranspose, transpose uintptr                  // the operations of an operand
	types                  map[string]uintptr
	compute                map[string]uintptr // the type to add in
	separateResult         bool               // the addend C and the result D are separate arguments
	trailingArgs           []uintptr          // the arguments after the type to add in
	triangular             triangularEnums
}

// BLAS multiplies on one device. Its zero value opens the library when it is first used.
type BLAS struct {
	libraryHandle
	lib       *blasLibrary
	workspace Memory // nil where the library allocates its own
}

// blasWorkspace is the bytes that rocBLAS allocates by default, and that cuBLAS recommends for the largest GPUs.
const blasWorkspace = 32 << 20

// blasDisabled reports whether GOROCM_BLAS turns libraries for products off, here as on the host.
func blasDisabled() bool { return strings.EqualFold(os.Getenv("GOROCM_BLAS"), "go") }

// Open loads the library and creates a handle, at its first call. It reports whether there is one.
func (b *BLAS) Open(d Device) bool {
	return b.libraryHandle.open(func() error { return b.start(d) })
}

// start loads the library and creates the handle.
func (b *BLAS) start(d Device) error {
	lib, err := loadBLAS(d.Platform())
	if err != nil {
		return err
	}
	b.lib, b.library = lib, &lib.VendorLibrary
	name := func(field string) string { return driver.CName[blasCalls](field, d.Platform().Column()) }
	steps := []libraryStep{{name("setStream"), func() driver.Code { return lib.setStream(b.handle, d.Stream()) }}}
	if lib.blasCalls.setMathMode != nil {
		steps = append(steps, libraryStep{name("setMathMode"), func() driver.Code {
			return lib.blasCalls.setMathMode(b.handle, lib.kind.math(driver.EnvBool("GOROCM_TF32")))
		}})
	}
	if lib.setAtomicsMode != nil {
		// the same product gives the same bits
		steps = append(steps, libraryStep{name("setAtomicsMode"),
			func() driver.Code { return lib.setAtomicsMode(b.handle, 0) }})
	}
	err = b.setup(d, libraryStep{name("create"), func() driver.Code { return lib.create(&b.handle) }},
		libraryStep{name("destroy"), func() driver.Code { return lib.destroy(b.handle) }}, steps)
	if err == nil && lib.setWorkspace != nil {
		b.setWorkspace(d, name("setWorkspace"))
	}
	return err
}

// setWorkspace gives the library workspace from the device's pool. A library that allocates its own cannot be captured,
// and cuBLAS may then choose another algorithm, whose sums differ in the last bits. When the pool has no memory left,
// the library allocates its own.
func (b *BLAS) setWorkspace(d Device, name string) {
	space, err := d.Alloc(blasWorkspace)
	if err != nil {
		return
	}
	set := func() driver.Code { return b.lib.setWorkspace(b.handle, space.Ptr(), blasWorkspace) }
	if b.call(d, libraryStep{name, set}) != nil {
		space.Free()
		return
	}
	b.workspace = space
}

// Close destroys the handle.
func (b *BLAS) Close(d Device) error {
	name := driver.CName[blasCalls]("destroy", d.Platform().Column())
	return b.close(d, libraryStep{name, func() driver.Code { return b.lib.destroy(b.handle) }})
}

// Recordable reports whether a capture can record products: the handle and its workspace exist.
func (b *BLAS) Recordable() bool { return b.Ready() && b.workspace != nil }

// callOf is the call for a product, and the kind of products that succeed or fail with it.
func callOf(g *Gemm) (field, kind string) {
	if g.Batch > 1 {
		return "batched", g.Elem + " in batches"
	}
	return "gemm", g.Elem
}

// Multiply puts a product on the stream. It reports whether the library took it. After a failure the library is not
// asked again for products of that kind, unless memory was short.
func (b *BLAS) Multiply(d Device, g *Gemm) (bool, error) {
	x, y, z, ok := g.layouts()
	if !ok {
		return false, nil
	}
	if g.M == 1 || g.N == 1 {
		if done, err := b.multiplyByVector(d, g, x, y); done || err != nil {
			return done, err
		}
	}
	field, kind := callOf(g)
	call := b.lib.gemm
	if field == "batched" {
		call = b.lib.batched
	}
	return b.product(d, field, kind, g.Elem, call, func() []uintptr { return b.lib.kind.gemm(g, b.handle, x, y, z) })
}

// product makes one call, unless the library has failed in those of its kind.
func (b *BLAS) product(d Device, field, kind, elem string, call driver.Call, args func() []uintptr) (bool, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.refused[kind] != nil {
		return false, nil
	}
	name := driver.CName[blasCalls](field, d.Platform().Column())
	if call == nil {
		b.refused[kind] = b.lackError(name)
		return false, nil
	}
	if stream := d.WorkStream(); stream != d.Stream() {
		if b.setStream(d, stream) != nil {
			return false, nil
		}
		defer func() {
			if err := b.setStream(d, d.Stream()); err != nil { // its products would not be ordered with other work
				b.openErr = err
			}
		}()
	}
	words := args()
	refused, err := b.launch(d, libraryStep{name, func() driver.Code { return call(words...) }}, name+"_"+elem)
	if refused != nil {
		b.refuse(kind, refused)
	}
	done := refused == nil && err == nil
	if done && d.Recording() {
		d.Keep(b.workspace)
	}
	return done, err
}

// gemm returns the arguments of a product. BLAS is column-major: C in rows is, to it, the product of the transposed
// operands in the other order.
func (kind *blasKind) gemm(g *Gemm, handle uintptr, a, b, c layout) []uintptr {
	one, zero := scalars(g.Elem)
	args := append(make([]uintptr, 0, 29), handle, kind.op(b.transposed), kind.op(a.transposed), uintptr(g.N),
		uintptr(g.M), uintptr(g.K), one)
	matrix := func(m Matrix, f layout) {
		args = append(args, m.Ptr, kind.types[g.Elem], uintptr(f.leadingDim))
		if g.Batch > 1 {
			args = append(args, uintptr(m.Batch))
		}
	}
	matrix(g.B, b)
	matrix(g.A, a)
	args = append(args, zero)
	if kind.separateResult {
		matrix(g.C, c) // the addend, times zero,
	}
	matrix(g.C, c) // and the result
	if g.Batch > 1 {
		args = append(args, uintptr(g.Batch))
	}
	return append(append(args, kind.compute[g.Elem]), kind.trailingArgs...)
}

func (kind *blasKind) op(transposed bool) uintptr {
	if transposed {
		return kind.transpose
	}
	return kind.noTranspose
}

// setStream puts the library's next calls on a stream. cuBLAS forgets its workspace with it, which is set again.
func (b *BLAS) setStream(d Device, stream uintptr) error {
	name := func(field string) string { return driver.CName[blasCalls](field, d.Platform().Column()) }
	if err := b.call(d, libraryStep{name("setStream"),
		func() driver.Code { return b.lib.setStream(b.handle, stream) }}); err != nil || b.workspace == nil {
		return err
	}
	return b.call(d, libraryStep{name("setWorkspace"),
		func() driver.Code { return b.lib.setWorkspace(b.handle, b.workspace.Ptr(), blasWorkspace) }})
}

// loadBLAS loads the library of a platform.
func loadBLAS(platform driver.Platform) (*blasLibrary, error) {
	switch {
	case blasDisabled():
		return nil, &driver.Error{Op: "load a BLAS library", Text: "GOROCM_BLAS=go is set", Kind: driver.ErrNoLibrary}
	case platform == driver.HIP:
		return rocblas.load()
	case platform == driver.CUDA:
		return cublas.load()
	}
	return nil, &driver.Error{Op: "load a BLAS library", Text: "there is none for the emulated GPU",
		Kind: driver.ErrUnsupported}
}

// load loads the library and binds its calls.
func (kind *blasKind) load() (*blasLibrary, error) {
	lib, err := kind.Find()
	if err != nil {
		return nil, err
	}
	l := &blasLibrary{kind: kind, VendorLibrary: driver.VendorLibrary{Kind: &kind.VendorKind, File: lib}}
	if err := driver.Bind(&l.blasCalls, kind.Platform.Column(), lib); err != nil {
		return nil, err
	}
	if l.gemm == nil && l.batched == nil {
		return nil, &driver.Error{Op: "load " + lib.Path, Text: "has no products of matrices that gorocm knows",
			Kind: driver.ErrNoLibrary}
	}
	l.Lacks = driver.Lacking[blasCalls](kind.Platform, map[string]driver.Call{"gemm": l.gemm, "batched": l.batched})
	switch {
	case l.text != nil:
		l.Version = driver.TextVersion(l.text)
	case l.number != nil:
		l.Version = driver.PropertyVersion(l.number)
	}
	return l, nil
}
