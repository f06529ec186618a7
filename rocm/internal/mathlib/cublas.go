//lint:file-ignore ST1003 names of cuBLAS, as its manual has them

package mathlib

import (
	"path/filepath"
	"strings"
	"sync"

	"github.com/gorocm/gorocm/internal/dl"

	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// The enumerations of cuBLAS, since CUDA 11, as far as they are used: cublas_api.h, and library_types.h for the types
// of elements.
const (
	CUBLAS_OP_N = 0 // cublasOperation_t
	CUBLAS_OP_T = 1
	CUBLAS_OP_C = 2

	CUBLAS_SIDE_LEFT  = 0 // cublasSideMode_t
	CUBLAS_SIDE_RIGHT = 1

	CUBLAS_FILL_MODE_LOWER = 0 // cublasFillMode_t
	CUBLAS_FILL_MODE_UPPER = 1

	CUBLAS_DIAG_NON_UNIT = 0 // cublasDiagType_t
	CUBLAS_DIAG_UNIT     = 1

	CUBLAS_STATUS_ALLOC_FAILED = 3 // cublasStatus_t

	CUBLAS_COMPUTE_32F = 68 // cublasComputeType_t
	CUBLAS_COMPUTE_64F = 70

	CUBLAS_TF32_TENSOR_OP_MATH = 3 // cublasMath_t
	// sums of f16 and bf16 stay in f32 between the parts of a product, too
	CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION = 16

	CUBLAS_GEMM_DEFAULT = 1<<32 - 1 // cublasGemmAlgo_t: -1 as a C int

	CUDA_R_32F     = 0 // cudaDataType
	CUDA_R_64F     = 1
	CUDA_R_16F     = 2
	CUDA_R_16BF    = 14
	CUDA_R_8F_E4M3 = 28
)

var cublasTypes = map[string]uintptr{"f32": CUDA_R_32F, "f64": CUDA_R_64F, "f16": CUDA_R_16F, "bf16": CUDA_R_16BF}

var cublasVersions = []string{"13", "12", "11"}

var cublas = &blasKind{
	VendorKind: driver.VendorKind{
		Name: "cuBLAS", Platform: driver.CUDA, Purpose: "products of matrices on NVIDIA GPUs",
		NoMemory: []driver.Code{CUBLAS_STATUS_ALLOC_FAILED},
		Statuses: map[driver.Code]string{
			1: "CUBLAS_STATUS_NOT_INITIALIZED", 3: "CUBLAS_STATUS_ALLOC_FAILED", 7: "CUBLAS_STATUS_INVALID_VALUE",
			8:  "CUBLAS_STATUS_ARCH_MISMATCH",
			11: "CUBLAS_STATUS_MAPPING_ERROR", 13: "CUBLAS_STATUS_EXECUTION_FAILED", 14: "CUBLAS_STATUS_INTERNAL_ERROR",
			15: "CUBLAS_STATUS_NOT_SUPPORTED", 16: "CUBLAS_STATUS_LICENSE_ERROR",
		},
		Find: findCuBLAS,
	},
	math: func(reduced bool) int32 {
		if reduced {
			return CUBLAS_TF32_TENSOR_OP_MATH | CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION
		}
		return CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION
	},
	noTranspose: CUBLAS_OP_N, transpose: CUBLAS_OP_T, types: cublasTypes,
	compute: map[string]uintptr{"f16": CUBLAS_COMPUTE_32F, "bf16": CUBLAS_COMPUTE_32F, "f32": CUBLAS_COMPUTE_32F,
		"f64": CUBLAS_COMPUTE_64F},
	trailingArgs: []uintptr{CUBLAS_GEMM_DEFAULT},
	triangular: triangularEnums{left: CUBLAS_SIDE_LEFT, right: CUBLAS_SIDE_RIGHT,
		lower: CUBLAS_FILL_MODE_LOWER, upper: CUBLAS_FILL_MODE_UPPER,
		conjugate: CUBLAS_OP_C, notUnit: CUBLAS_DIAG_NON_UNIT, unit: CUBLAS_DIAG_UNIT},
}

var findCuBLAS = sync.OnceValues(func() (*driver.Library, error) {
	spec := cublasSpec()
	for _, path := range spec.Candidates() {
		if !filepath.IsAbs(path) {
			continue
		}
		// Outside of the loader's own path, as where pip installs it, the library does not find its dependency.
		// it may be elsewhere; Load says so
		_, _ = dl.OpenGlobal(cublasDependency(path))
		break
	}
	return spec.Load()
})

func cublasSpec() driver.Search {
	const name = "libcublas.so"
	return driver.Search{Name: name, Names: driver.Versioned(name, cublasVersions)[1:], Folders: driver.CUDAFolders()}
}

// cublasDependency is the file of cuBLASLt, beside cuBLAS.
func cublasDependency(path string) string {
	return filepath.Join(filepath.Dir(path), strings.Replace(filepath.Base(path), "libcublas", "libcublasLt", 1))
}
