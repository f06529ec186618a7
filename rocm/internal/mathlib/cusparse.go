//lint:file-ignore ST1003 names of cuSPARSE, as its manual has them

package mathlib

import (
	"sync"

	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// The algorithms of cuSPARSE that are used, since CUDA 11: cusparse.h. They are those whose results are deterministic;
// that for matrices does not take C128.
const (
	CUSPARSE_SPMV_CSR_ALG2 = 3
	CUSPARSE_SPMM_CSR_ALG3 = 12
)

var cusparse = &sparseKind{driver.VendorKind{
	Name: "cuSPARSE", Platform: driver.CUDA, Purpose: "products with sparse matrices on NVIDIA GPUs",
	NoMemory: []driver.Code{sparseAllocFailed}, Statuses: sparseStatuses("CUSPARSE_STATUS_"),
	Find: sync.OnceValues(func() (*driver.Library, error) {
		_, _ = cudaLibrary("libnvJitLink.so", "13", "12") // which it needs, and does not find outside of the loader's path
		return cudaLibrary("libcusparse.so", "12", "11")
	}),
}, CUSPARSE_SPMV_CSR_ALG2, CUSPARSE_SPMM_CSR_ALG3}
