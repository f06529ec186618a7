package rocm

import (
	"path/filepath"
	"strings"
	"sync"

	"github.com/ebitengine/purego"
)

// The enumerations of cuBLAS, since CUDA 11.
const (
	cublasNone, cublasTranspose = 0, 1
	cublasAllocFailed           = 3
	cublasCompute32F            = 68
	cublasCompute64F            = 70
	cublasTF32Math              = 3
	cublasFullReductions        = 16 // sums of f16 and bf16 stay in f32 between the parts of a product, too
)

// cublasDefaultAlgorithm is CUBLAS_GEMM_DEFAULT.
const cublasDefaultAlgorithm int32 = -1

var cublasTypes = map[string]uintptr{"f32": 0, "f64": 1, "f16": 2, "bf16": 14}

var cublasVersions = []string{"13", "12", "11"}

var cublas = &blasKind{
	name: "cuBLAS", platform: CUDA, purpose: "products of matrices on NVIDIA GPUs", noMemory: cublasAllocFailed,
	statuses: map[code]string{
		1: "CUBLAS_STATUS_NOT_INITIALIZED", 3: "CUBLAS_STATUS_ALLOC_FAILED", 7: "CUBLAS_STATUS_INVALID_VALUE", 8: "CUBLAS_STATUS_ARCH_MISMATCH",
		11: "CUBLAS_STATUS_MAPPING_ERROR", 13: "CUBLAS_STATUS_EXECUTION_FAILED", 14: "CUBLAS_STATUS_INTERNAL_ERROR",
		15: "CUBLAS_STATUS_NOT_SUPPORTED", 16: "CUBLAS_STATUS_LICENSE_ERROR",
	},
	math: func(reduced bool) int32 {
		if reduced {
			return cublasTF32Math | cublasFullReductions
		}
		return cublasFullReductions
	},
	find: findCuBLAS, args: cublasArgs,
}

var findCuBLAS = sync.OnceValues(func() (*library, error) {
	spec := cublasSpec()
	for _, path := range spec.candidates() {
		if !filepath.IsAbs(path) {
			continue
		}
		// Outside of the loader's own path, as where pip puts it, the library does not find the one that it needs.
		_, _ = purego.Dlopen(cublasNeeds(path), purego.RTLD_NOW|purego.RTLD_GLOBAL) // it may be elsewhere: load tells
		break
	}
	return spec.load()
})

func cublasSpec() librarySpec {
	const name = "libcublas.so"
	return librarySpec{name, versioned(name, cublasVersions)[1:], cudaFolders()}
}

// cublasNeeds is the file beside cuBLAS that does the work.
func cublasNeeds(path string) string {
	return filepath.Join(filepath.Dir(path), strings.Replace(filepath.Base(path), "libcublas", "libcublasLt", 1))
}

// cublasArgs are the arguments of cublasGemmEx or, for a batch, cublasGemmStridedBatchedEx. BLAS counts by columns: what it takes for the
// product of the transposed matrices in the other order is C.
func cublasArgs(g *Gemm, handle uintptr, a, b, c gemmForm) []uintptr {
	op := func(f gemmForm) uintptr {
		if f.transposed {
			return cublasTranspose
		}
		return cublasNone
	}
	one, zero := factors(g.Elem)
	elem := cublasTypes[g.Elem]
	compute := uintptr(cublasCompute32F)
	if g.Elem == "f64" {
		compute = cublasCompute64F
	}
	args := append(make([]uintptr, 0, 23), handle, op(b), op(a), uintptr(g.N), uintptr(g.M), uintptr(g.K), one)
	matrix := func(m Matrix, f gemmForm) {
		args = append(args, m.pointer(), elem, uintptr(f.lead))
		if g.Batch > 1 {
			args = append(args, uintptr(m.Batch))
		}
	}
	matrix(g.B, b)
	matrix(g.A, a)
	args = append(args, zero)
	matrix(g.C, c)
	if g.Batch > 1 {
		args = append(args, uintptr(g.Batch))
	}
	algorithm := cublasDefaultAlgorithm
	return append(args, compute, uintptr(uint32(algorithm)))
}
