package mathlib

import (
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// The numbers of cuBLASLt's element types. Those of arithmetic and of transposing are cuBLAS's.
const (
	CUDA_R_32F     = 0
	CUDA_R_16BF    = 14
	CUDA_R_8F_E4M3 = 28
)

var cublaslt = &ltKind{
	VendorKind: driver.VendorKind{
		Name: "cuBLASLt", Platform: driver.CUDA, Purpose: "products of f8e4m3 matrices on NVIDIA GPUs", NoMemory: []driver.Code{CUBLAS_STATUS_ALLOC_FAILED},
		Find: findCuBLASLt, Supports: cublasltHasFloat8, Statuses: cublas.Statuses,
	},
	transpose: CUBLAS_OP_T, compute: CUBLAS_COMPUTE_32F,
	elems:                map[string]int32{"f32": CUDA_R_32F, "f8e4m3": CUDA_R_8F_E4M3},
	addendTypes:          map[string]int32{"f8e4m3": CUDA_R_16BF}, // f8 cannot be added
	descriptorAttributes: descriptorAttributes{transposed: 3, batches: 5, batchStride: 6, workspaceLimit: 1, reductionSchemes: 3, alignments: 5},
	algorithmSize:        64,
	workspace:            blasWorkspace,
}

// findCuBLASLt loads the file that cuBLAS stands on. It needs no other.
var findCuBLASLt = sync.OnceValues(func() (*driver.Library, error) {
	const name = "libcublasLt.so"
	return driver.Search{Name: name, Names: driver.Versioned(name, cublasVersions)[1:], Folders: driver.CUDAFolders()}.Load()
})

// cublasltHasFloat8 fails for GPUs whose matrix cores have no f8. They came with compute capability 8.9.
func cublasltHasFloat8(lib *driver.Library, arch string) error {
	const first = 89
	n, err := strconv.Atoi(strings.TrimPrefix(arch, "sm_"))
	if err != nil || n < first {
		return &driver.Error{Op: "load " + lib.Path, Text: fmt.Sprintf("the matrix cores of %s have no f8e4m3", arch), Kind: driver.ErrUnsupported, Detail: "sm_89 and later have"}
	}
	return nil
}
