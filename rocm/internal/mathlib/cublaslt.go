//lint:file-ignore ST1003 names of cuBLASLt, as its manual has them

package mathlib

import (
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// The enumerations of cuBLASLt, as far as they are used: cublasLt.h. Those of arithmetic, of transposing and of types
// are cuBLAS's.
const (
	CUBLASLT_MATMUL_DESC_TRANSA = 3 // cublasLtMatmulDescAttributes_t

	CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT          = 5 // cublasLtMatrixLayoutAttribute_t
	CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET = 6

	CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES   = 1 // cublasLtMatmulPreferenceAttributes_t
	CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK = 3
	CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES = 5 // those of B, C and D follow

	CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE = 2 // parts of a sum are added in f32, in a step of its own
)

var cublaslt = &ltKind{
	VendorKind: driver.VendorKind{
		Name: "cuBLASLt", Platform: driver.CUDA, Purpose: "products of f8e4m3 matrices on NVIDIA GPUs",
		NoMemory: []driver.Code{CUBLAS_STATUS_ALLOC_FAILED},
		Find:     findCuBLASLt, Supports: cublasltHasFloat8, Statuses: cublas.Statuses,
	},
	transpose: CUBLAS_OP_T, compute: CUBLAS_COMPUTE_32F,
	elems:       map[string]int32{"f32": CUDA_R_32F, "f8e4m3": CUDA_R_8F_E4M3},
	addendTypes: map[string]int32{"f8e4m3": CUDA_R_16BF}, // an addend of f8 is not supported
	descriptorAttributes: descriptorAttributes{
		transposed: CUBLASLT_MATMUL_DESC_TRANSA,
		batches:    CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, batchStride: CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET,
		workspaceLimit:   CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
		reductionSchemes: CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
		alignments:       CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES,
	},
	algorithmSize: 64,
	workspace:     blasWorkspace,
}

// findCuBLASLt loads cuBLASLt, which has no dependencies.
var findCuBLASLt = sync.OnceValues(func() (*driver.Library, error) {
	const name = "libcublasLt.so"
	return driver.Search{Name: name, Names: driver.Versioned(name, cublasVersions)[1:],
		Folders: driver.CUDAFolders()}.Load()
})

// cublasltHasFloat8 fails for GPUs whose tensor cores lack f8, which compute capability 8.9 introduced.
func cublasltHasFloat8(lib *driver.Library, arch string) error {
	const first = 89
	n, err := strconv.Atoi(strings.TrimPrefix(arch, "sm_"))
	if err != nil || n < first {
		return &driver.Error{Op: "load " + lib.Path, Text: fmt.Sprintf("the matrix cores of %s have no f8e4m3", arch),
			Kind: driver.ErrUnsupported, Detail: "sm_89 and later have"}
	}
	return nil
}
