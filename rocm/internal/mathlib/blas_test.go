package mathlib

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"

	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// TestCuBLASArguments compares the arguments with those of cuBLAS's prototypes, one by one.
func TestCuBLASArguments(t *testing.T) {
	const at = 0x10000
	g := Gemm{Elem: "f16", M: 2, N: 3, K: 4, Batch: 1, A: Matrix{at, 1, 5, 0}, B: Matrix{at + 256, 7, 1, 0}, C: Matrix{at + 512, 3, 1, 0}}
	forms := func() (a, b, c layout) {
		a, _ = g.A.layout(g.M, g.K)
		b, _ = g.B.layout(g.K, g.N)
		c, _ = g.C.layout(g.M, g.N)
		return a, b, c
	}
	compare := func(got, want []uintptr) {
		t.Helper()
		if len(got) != len(want) {
			t.Fatalf("%d arguments, want %d", len(got), len(want))
		}
		for i := range got {
			if got[i] != want[i] {
				t.Errorf("argument %d is %#x, want %#x", i+1, got[i], want[i])
			}
		}
	}
	one, zero := scalars("f16")
	a, b, c := forms()
	// cublasGemmEx(handle, transa, transb, m, n, k, alpha, A, Atype, lda, B, Btype, ldb, beta, C, Ctype, ldc, computeType, algo)
	compare(cublas.gemm(&g, 9, a, b, c), []uintptr{9, 0, 1, 3, 2, 4, one, at + 256, 2, 7, at, 2, 5, zero, at + 512, 2, 3, 68, 0xffffffff})
	g.Elem, g.Batch, g.A.Batch, g.B.Batch, g.C.Batch = "f64", 6, 20, 0, 6
	one, zero = scalars("f64")
	// cublasGemmStridedBatchedEx(…, A, Atype, lda, strideA, …, beta, C, Ctype, ldc, strideC, batchCount, computeType, algo)
	compare(cublas.gemm(&g, 9, a, b, c), []uintptr{9, 0, 1, 3, 2, 4, one, at + 256, 1, 7, 0, at, 1, 5, 20, zero, at + 512, 1, 3, 6, 6, 70, 0xffffffff})

	// A row of dense columns, by a matrix with dense rows, a column of which is 3 elements apart.
	g = Gemm{Elem: "f32", M: 4, N: 1, K: 2, Batch: 1, A: Matrix{at, 2, 1, 0}, B: Matrix{at + 256, 3, 1, 0}, C: Matrix{at + 512, 5, 1, 0}}
	one, zero = scalars("f32")
	a, b, _ = forms()
	// cublasSgemv(handle, trans, m, n, alpha, A, lda, x, incx, beta, y, incy)
	compare(cublas.gemv(&g, 9, a, b), []uintptr{9, 1, 2, 4, one, at, 2, at + 256, 3, zero, at + 512, 5})
	g = Gemm{Elem: "f16", M: 1, N: 4, K: 2, Batch: 3, A: Matrix{at, 2, 1, 0}, B: Matrix{at + 256, 1, 2, 8}, C: Matrix{at + 512, 4, 1, 4}}
	a, b, _ = forms()
	// cublasHSHgemvStridedBatched(handle, trans, m, n, alpha, A, lda, strideA, x, incx, stridex, beta, y, incy, stridey, batchCount)
	compare(cublas.gemv(&g, 9, a, b), []uintptr{9, 1, 2, 4, one, at + 256, 2, 8, at, 1, 0, zero, at + 512, 1, 4, 3})
}

// TestCuBLASBeside: a folder with the library has the library that it needs, too.
func TestCuBLASBeside(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "libcublas.so.13")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOROCM_LIBRARY_PATH", dir)
	spec := cublasSpec()
	if got := spec.Candidates()[0]; got != file {
		t.Errorf("the first candidate is %s", got)
	}
	if got, want := cublasDependency(file), filepath.Join(dir, "libcublasLt.so.13"); got != want {
		t.Errorf("it needs %s, want %s", got, want)
	}
	if strings.Join(spec.Names, " ") != "libcublas.so.13 libcublas.so.12 libcublas.so.11" {
		t.Errorf("names %q", spec.Names)
	}
}

func TestRocBLASVersions(t *testing.T) {
	for major, want := range map[int32]string{5: "librocblas.so.3 librocblas.so.0", 6: "librocblas.so.4", 7: "librocblas.so.5", 10: "librocblas.so.6 librocblas.so.5"} {
		if got := strings.Join(rocblasSpec(&driver.Library{Path: "/opt/rocm/lib/libamdhip64.so"}, major).Names, " "); got != want {
			t.Errorf("HIP %d: %s, want %s", major, got, want)
		}
	}
	for file, want := range map[string]bool{"Kernels.so-000-gfx90a-xnack-.hsaco": true, "TensileLibrary_gfx90a.co": true, "TensileLibrary_gfx906.co": false, "gfx90": false, "x_gfx906_gfx90a": true} {
		if mentionsArch(file, "gfx90a") != want {
			t.Errorf("%s: %v", file, !want)
		}
	}
}

func TestHipBLASLtFiles(t *testing.T) {
	for major, want := range map[int32][]string{6: {"libhipblaslt.so.0", "libhipblaslt.so.1"}, 7: {"libhipblaslt.so.1"}, 10: {"libhipblaslt.so.1"}} {
		if got := hipblasltFiles(major); !slices.Equal(got, want) {
			t.Errorf("HIP %d: %s, want %s", major, got, want)
		}
	}
	for at, want := range map[uintptr]int{0: 256, 16: 16, 48: 16, 96: 32, 512: 256, 1<<40 + 64: 64} {
		if got := alignment(at); got != want {
			t.Errorf("%#x is aligned to %d, want %d", at, got, want)
		}
	}
}

// TestCuBLASLtDescriptors describes products to the real cuBLASLt, which needs no GPU before it is asked for a way, and reads back what it was told.
func TestCuBLASLtDescriptors(t *testing.T) {
	lib, err := cublaslt.load()
	if err != nil {
		t.Skipf("no cuBLASLt: %v", err)
	}
	t.Logf("cuBLASLt %s, %s", lib.VendorLibrary.Version, lib.File.Path)
	d := stub{driver.CUDA, "sm_90"}
	n := new(BLASLt)
	n.lib, n.library = lib, &lib.VendorLibrary
	shape := ltShape{elem: "f8e4m3", m: 5, n: 32, k: 64, batch: 3, leads: [3]int{64, 80, 48}, batches: [3]int{320, 2560, 240}, alignments: [3]int{16, 32, 256}}
	var p ltPlan
	var e *driver.Error
	const notInitialized = 1
	if err := n.plan(d, &shape, &p); !errors.As(err, &e) || e.Op != "cublasLtMatmulAlgoGetHeuristic" || e.Code != notInitialized {
		t.Fatalf("without a handle: %v", err)
	}
	type get func(desc uintptr, attribute int32, value unsafe.Pointer, size uintptr, written *uintptr) driver.Code
	var product, matrix, preference get
	for name, f := range map[string]*get{"cublasLtMatmulDescGetAttribute": &product, "cublasLtMatrixLayoutGetAttribute": &matrix, "cublasLtMatmulPreferenceGetAttribute": &preference} {
		purego.RegisterLibFunc(f, lib.File.Handle, name)
	}
	check := func(what string, f get, desc uintptr, attribute int32, size int, want uint64) {
		t.Helper()
		value, written := make([]byte, 8), uintptr(0)
		if c := f(desc, attribute, unsafe.Pointer(&value[0]), uintptr(size), &written); c != 0 || int(written) != size {
			t.Errorf("%s: status %d, %d bytes", what, c, written)
		} else if got := binary.LittleEndian.Uint64(value); got != want {
			t.Errorf("%s is %d, want %d", what, got, want)
		}
	}
	check("the arithmetic", product, p.product, 0, 4, CUBLAS_COMPUTE_32F)
	check("the type of factors", product, p.product, 1, 4, CUDA_R_32F)
	check("the first operand transposed", product, p.product, 3, 4, CUBLAS_OP_T)
	check("the second operand transposed", product, p.product, 4, 4, CUBLAS_OP_N)
	check("fast sums", product, p.product, 25, 1, 0)
	for i, want := range [][6]uint64{{CUDA_R_8F_E4M3, 64, 32, 80, 3, 2560}, {CUDA_R_8F_E4M3, 64, 5, 64, 3, 320}, {CUDA_R_16BF, 32, 5, 48, 3, 240}, {CUDA_R_8F_E4M3, 32, 5, 48, 3, 240}} {
		for j, a := range []struct {
			what      string
			attribute int32
			size      int
		}{{"type", 0, 4}, {"rows", 2, 8}, {"columns", 3, 8}, {"lead", 4, 8}, {"batches", 5, 4}, {"batch step", 6, 8}} {
			check(fmt.Sprint(a.what, " of matrix ", i), matrix, p.matrices[i], a.attribute, a.size, want[j])
		}
	}
	check("the limit of workspace", preference, p.preference, 1, 8, blasWorkspace)
	check("the ways to add parts of sums", preference, p.preference, 3, 4, 2)
	for i, want := range []uint64{32, 16, 256, 256} {
		check(fmt.Sprint("alignment ", i), preference, p.preference, 5+int32(i), 4, want)
	}
	for _, s := range p.destroySteps(lib) {
		if c := s.call(); c != 0 {
			t.Errorf("%s: status %d", s.name, c)
		}
	}
}
