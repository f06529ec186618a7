//lint:file-ignore ST1003 names of hipBLASLt, as its manual has them

package mathlib

import (
	"fmt"
	"strings"
	"sync"

	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// The enumerations of hipBLASLt, since ROCm 6, as far as they are used: hipblaslt.h, and hipblas-common.h.
const (
	HIPBLAS_OP_T                = 112 // hipblasOperation_t
	HIPBLAS_COMPUTE_32F         = 2   // hipblasComputeType_t
	HIPBLAS_STATUS_ALLOC_FAILED = 2   // hipblasStatus_t

	HIP_R_32F     = 0 // hipDataType
	HIP_R_8F_E4M3 = 28

	HIPBLASLT_MATMUL_DESC_TRANSA                 = 0 // hipblasLtMatmulDescAttributes_t
	HIPBLASLT_MATRIX_LAYOUT_BATCH_COUNT          = 0 // hipblasLtMatrixLayoutAttribute_t
	HIPBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET = 1
	HIPBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES    = 1 // hipblasLtMatmulPreferenceAttributes_t
)

var hipblaslt = &ltKind{
	VendorKind: driver.VendorKind{
		Name: "hipBLASLt", Platform: driver.HIP, Purpose: "products of f8e4m3 matrices on AMD GPUs",
		NoMemory: []driver.Code{HIPBLAS_STATUS_ALLOC_FAILED}, Find: findHipBLASLt, Supports: hipblasltKernels,
		Statuses: map[driver.Code]string{
			1: "HIPBLAS_STATUS_NOT_INITIALIZED", 2: "HIPBLAS_STATUS_ALLOC_FAILED", 3: "HIPBLAS_STATUS_INVALID_VALUE",
			4: "HIPBLAS_STATUS_MAPPING_ERROR",
			5: "HIPBLAS_STATUS_EXECUTION_FAILED", 6: "HIPBLAS_STATUS_INTERNAL_ERROR", 7: "HIPBLAS_STATUS_NOT_SUPPORTED",
			8: "HIPBLAS_STATUS_ARCH_MISMATCH",
			9: "HIPBLAS_STATUS_HANDLE_IS_NULLPTR", 10: "HIPBLAS_STATUS_INVALID_ENUM", 11: "HIPBLAS_STATUS_UNKNOWN",
		},
	},
	transpose: HIPBLAS_OP_T, compute: HIPBLAS_COMPUTE_32F,
	elems:       map[string]int32{"f32": HIP_R_32F, "f8e4m3": HIP_R_8F_E4M3},
	addendTypes: map[string]int32{"f8e4m3": HIP_R_8F_E4M3}, addendIsResult: true,
	descriptorAttributes: descriptorAttributes{
		transposed: HIPBLASLT_MATMUL_DESC_TRANSA,
		batches:    HIPBLASLT_MATRIX_LAYOUT_BATCH_COUNT, batchStride: HIPBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET,
		workspaceLimit: HIPBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
	},
	algorithmSize: 24,
	// Algorithms that split a sum among blocks add its parts in workspace, some of them by atomics, in an order that
	// varies. Without workspace there is none of them.
	workspace: 0,
}

var findHipBLASLt = sync.OnceValues(func() (*driver.Library, error) {
	hip, err := driver.LoadHIP()
	if err != nil {
		return nil, err
	}
	return driver.SearchBesideHIP(hip.Library, "libhipblaslt.so", hipblasltFiles(hip.Major)...).Load()
})

// hipblasltFiles are the names of the file by HIP's major version. From ROCm 7 on the version stays 1; distributions
// build that for ROCm 6, too.
func hipblasltFiles(hip int32) []string {
	if hip < 7 {
		return []string{"libhipblaslt.so.0", "libhipblaslt.so.1"}
	}
	return []string{"libhipblaslt.so.1"}
}

// hipblasltVersion formats the library's number, major·100000 + minor·100 + patch.
func hipblasltVersion(v int32) string { return fmt.Sprintf("%d.%d.%d", v/100_000, v/100%1000, v%100) }

// hipblasltKernels fails for a GPU whose f8 has another format, or that the library has no kernel files for. On gfx940
// to gfx942 the exponent's bias is 8, not 7; earlier GPUs have no f8.
func hipblasltKernels(lib *driver.Library, arch string) error {
	base, _, _ := strings.Cut(arch, ":")
	if base != "gfx950" && !strings.HasPrefix(base, "gfx12") {
		return &driver.Error{Op: "load " + lib.Path, Text: fmt.Sprintf("the matrix cores of %s have no f8e4m3", base),
			Kind:   driver.ErrUnsupported,
			Detail: "gfx950 and gfx12 have"}
	}
	return tensileKernels(lib, "hipBLASLt", "hipblaslt", "HIPBLASLT_TENSILE_LIBPATH", base)
}
