package rocm

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCUDAProducts multiplies small whole numbers with cuBLAS, in every form.
func TestCUDAProducts(t *testing.T) {
	d := cudaDevice(t)
	info := d.BLAS()
	if info.Name == "" {
		t.Skipf("no cuBLAS: %s", info.Problem)
	}
	t.Logf("%s %s, %s", info.Name, info.Version, info.Path)
	for _, elem := range []string{"f32", "f64", "f16", "bf16"} {
		for _, c := range gemmCases {
			if !c.product(t, d, elem) {
				t.Errorf("%s %+v: the library was not used: %+v", elem, c, d.BLAS())
			}
		}
	}
	if info := d.BLAS(); len(info.Refused) != 0 || info.Version == "" {
		t.Errorf("BLAS() = %+v", info)
	}
}

// TestCuBLASArguments compares the arguments with those of cuBLAS's prototypes, one by one.
func TestCuBLASArguments(t *testing.T) {
	d := newFake(1<<20).device(t, 0)
	buffer := alloc(t, d, 1<<16)
	at := buffer.Ptr()
	g := Gemm{Elem: "f16", M: 2, N: 3, K: 4, Batch: 1, A: Matrix{buffer, 0, 1, 5, 0}, B: Matrix{buffer, 256, 7, 1, 0}, C: Matrix{buffer, 512, 3, 1, 0}}
	forms := func() (a, b, c gemmForm) {
		a, _ = g.A.form(g.M, g.K)
		b, _ = g.B.form(g.K, g.N)
		c, _ = g.C.form(g.M, g.N)
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
	one, zero := factors("f16")
	a, b, c := forms()
	// cublasGemmEx(handle, transa, transb, m, n, k, alpha, A, Atype, lda, B, Btype, ldb, beta, C, Ctype, ldc, computeType, algo)
	compare(cublas.gemm(&g, 9, a, b, c), []uintptr{9, 0, 1, 3, 2, 4, one, at + 256, 2, 7, at, 2, 5, zero, at + 512, 2, 3, 68, 0xffffffff})
	g.Elem, g.Batch, g.A.Batch, g.B.Batch, g.C.Batch = "f64", 6, 20, 0, 6
	one, zero = factors("f64")
	// cublasGemmStridedBatchedEx(…, A, Atype, lda, strideA, …, beta, C, Ctype, ldc, strideC, batchCount, computeType, algo)
	compare(cublas.gemm(&g, 9, a, b, c), []uintptr{9, 0, 1, 3, 2, 4, one, at + 256, 1, 7, 0, at, 1, 5, 20, zero, at + 512, 1, 3, 6, 6, 70, 0xffffffff})

	// A row of dense columns, by a matrix with dense rows, a column of which is 3 elements apart.
	g = Gemm{Elem: "f32", M: 4, N: 1, K: 2, Batch: 1, A: Matrix{buffer, 0, 2, 1, 0}, B: Matrix{buffer, 256, 3, 1, 0}, C: Matrix{buffer, 512, 5, 1, 0}}
	one, zero = factors("f32")
	a, b, _ = forms()
	// cublasSgemv(handle, trans, m, n, alpha, A, lda, x, incx, beta, y, incy)
	compare(cublas.gemv(&g, 9, a, b), []uintptr{9, 1, 2, 4, one, at, 2, at + 256, 3, zero, at + 512, 5})
	g = Gemm{Elem: "f16", M: 1, N: 4, K: 2, Batch: 3, A: Matrix{buffer, 0, 2, 1, 0}, B: Matrix{buffer, 256, 1, 2, 8}, C: Matrix{buffer, 512, 4, 1, 4}}
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
	if got, want := cublasNeeds(file), filepath.Join(dir, "libcublasLt.so.13"); got != want {
		t.Errorf("it needs %s, want %s", got, want)
	}
	if strings.Join(spec.Names, " ") != "libcublas.so.13 libcublas.so.12 libcublas.so.11" {
		t.Errorf("names %q", spec.Names)
	}
}
