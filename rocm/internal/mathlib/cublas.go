package mathlib

import (
	"path/filepath"
	"strings"
	"sync"

	"github.com/ebitengine/purego"

	"github.com/gorocm/gorocm/rocm/internal/driver"
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

// cublasDefaultAlgorithm is CUBLAS_GEMM_DEFAULT, -1 as a C int.
const cublasDefaultAlgorithm = 1<<32 - 1

var cublasTypes = map[string]uintptr{"f32": 0, "f64": 1, "f16": 2, "bf16": 14}

var cublasVersions = []string{"13", "12", "11"}

var cublas = &blasKind{
	VendorKind: driver.VendorKind{
		Name: "cuBLAS", Platform: driver.CUDA, Purpose: "products of matrices on NVIDIA GPUs", NoMemory: []driver.Code{cublasAllocFailed},
		Statuses: map[driver.Code]string{
			1: "CUBLAS_STATUS_NOT_INITIALIZED", 3: "CUBLAS_STATUS_ALLOC_FAILED", 7: "CUBLAS_STATUS_INVALID_VALUE", 8: "CUBLAS_STATUS_ARCH_MISMATCH",
			11: "CUBLAS_STATUS_MAPPING_ERROR", 13: "CUBLAS_STATUS_EXECUTION_FAILED", 14: "CUBLAS_STATUS_INTERNAL_ERROR",
			15: "CUBLAS_STATUS_NOT_SUPPORTED", 16: "CUBLAS_STATUS_LICENSE_ERROR",
		},
		Find: findCuBLAS,
	},
	math: func(reduced bool) int32 {
		if reduced {
			return cublasTF32Math | cublasFullReductions
		}
		return cublasFullReductions
	},
	none: cublasNone, transpose: cublasTranspose, types: cublasTypes,
	compute: map[string]uintptr{"f16": cublasCompute32F, "bf16": cublasCompute32F, "f32": cublasCompute32F, "f64": cublasCompute64F},
	last:    []uintptr{cublasDefaultAlgorithm},
}

var findCuBLAS = sync.OnceValues(func() (*driver.Library, error) {
	spec := cublasSpec()
	for _, path := range spec.Candidates() {
		if !filepath.IsAbs(path) {
			continue
		}
		// Outside of the loader's own path, as where pip puts it, the library does not find the one that it needs.
		_, _ = purego.Dlopen(cublasNeeds(path), purego.RTLD_NOW|purego.RTLD_GLOBAL) // it may be elsewhere: load tells
		break
	}
	return spec.Load()
})

func cublasSpec() driver.Search {
	const name = "libcublas.so"
	return driver.Search{Name: name, Names: driver.Versioned(name, cublasVersions)[1:], Folders: driver.CUDAFolders()}
}

// cublasNeeds is the file beside cuBLAS that does the work.
func cublasNeeds(path string) string {
	return filepath.Join(filepath.Dir(path), strings.Replace(filepath.Base(path), "libcublas", "libcublasLt", 1))
}
