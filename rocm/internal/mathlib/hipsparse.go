//lint:file-ignore ST1003 names of hipSPARSE, as its manual has them

package mathlib

import (
	"sync"

	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// The algorithms of hipSPARSE that are used, since ROCm 6: hipsparse-generic-types.h. Of rocSPARSE they are csr_stream
// and csr_row_split.
const (
	HIPSPARSE_SPMV_CSR_ALG2 = 3
	HIPSPARSE_SPMM_CSR_ALG1 = 4
)

// hipSPARSE is bound, not rocSPARSE, on which it stands: its generic interface is cuSPARSE's, so that one table and one
// path of code serve both platforms, while the stages of rocsparse_spmv and rocsparse_spmm differ between versions.
var hipsparse = &sparseKind{driver.VendorKind{
	Name: "hipSPARSE", Platform: driver.HIP, Purpose: "products with sparse matrices on AMD GPUs",
	NoMemory: []driver.Code{sparseAllocFailed}, Statuses: sparseStatuses("HIPSPARSE_STATUS_"),
	Find: sync.OnceValues(func() (*driver.Library, error) {
		hip, err := driver.LoadHIP()
		if err != nil {
			return nil, err
		}
		const name = "libhipsparse.so"
		return driver.SearchBesideHIP(hip.Library, name, driver.Versioned(name, []string{"4", "3", "2", "1"})[1:]...).Load()
	}),
}, HIPSPARSE_SPMV_CSR_ALG2, HIPSPARSE_SPMM_CSR_ALG1}
