//lint:file-ignore ST1003 names of cuSOLVER, as its manual has them

package mathlib

import (
	"sync"

	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// The enumerations of cuSOLVER, since CUDA 11, as far as they are used: cusolver_common.h.
const (
	CUSOLVER_EIG_MODE_NOVECTOR = 0 // cusolverEigMode_t
	CUSOLVER_EIG_MODE_VECTOR   = 1

	CUSOLVER_DETERMINISTIC_RESULTS = 1 // cusolverDeterministicMode_t

	CUSOLVER_STATUS_ALLOC_FAILED = 2 // cusolverStatus_t
)

var cusolver = &solverKind{
	VendorKind: driver.VendorKind{
		Name: "cuSOLVER", Platform: driver.CUDA, Purpose: "factorisations on NVIDIA GPUs",
		NoMemory: []driver.Code{CUSOLVER_STATUS_ALLOC_FAILED},
		Statuses: map[driver.Code]string{
			1: "CUSOLVER_STATUS_NOT_INITIALIZED", 2: "CUSOLVER_STATUS_ALLOC_FAILED", 3: "CUSOLVER_STATUS_INVALID_VALUE",
			4: "CUSOLVER_STATUS_ARCH_MISMATCH", 5: "CUSOLVER_STATUS_MAPPING_ERROR", 6: "CUSOLVER_STATUS_EXECUTION_FAILED",
			7: "CUSOLVER_STATUS_INTERNAL_ERROR", 8: "CUSOLVER_STATUS_MATRIX_TYPE_NOT_SUPPORTED",
			9: "CUSOLVER_STATUS_NOT_SUPPORTED", 10: "CUSOLVER_STATUS_ZERO_PIVOT",
		},
	},
	prefix: "cusolverDn", letters: map[string]string{"f32": "S", "f64": "D", "c64": "C", "c128": "Z"},
	find: findCuSOLVER, args: cusolverArgs, work: cusolverWork,
}

// findCuSOLVER loads first what cuSOLVER needs and, outside of the loader's own path, does not find by itself. If some
// of that is not there, it says so.
var findCuSOLVER = sync.OnceValues(func() ([]*driver.Library, error) {
	_, _ = findCuBLAS()
	for _, name := range []string{"libnvJitLink.so", "libcusparse.so"} {
		_, _ = cudaLibrary(name, "13", "12", "11")
	}
	lib, err := cudaLibrary("libcusolver.so", "12", "11")
	return []*driver.Library{lib}, err
})

// cudaLibrary loads one of CUDA's libraries, of the first of the versions that there is.
func cudaLibrary(name string, versions ...string) (*driver.Library, error) {
	return driver.Search{Name: name, Names: driver.Versioned(name, versions)[1:], Folders: driver.CUDAFolders()}.Load()
}

// cusolverJobs are a character for gesvd, which says what vectors are wanted, the mode of syevd, and the triangle.
func cusolverJobs(f *Factor) (job, mode, fill uintptr) {
	job, mode, fill = 'N', CUSOLVER_EIG_MODE_NOVECTOR, CUBLAS_FILL_MODE_LOWER
	if f.Vectors {
		job, mode = 'S', CUSOLVER_EIG_MODE_VECTOR
		if f.Full {
			job = 'A'
		}
	}
	if f.Upper {
		fill = CUBLAS_FILL_MODE_UPPER
	}
	return job, mode, fill
}

func cusolverWork(f *Factor, handle uintptr) (elements int, query []uintptr) {
	m, n := uintptr(f.M), uintptr(f.N)
	_, mode, fill := cusolverJobs(f)
	switch f.Routine {
	case "getrf", "geqrf":
		return 0, []uintptr{handle, m, n, f.A, m}
	case "potrf":
		return 0, []uintptr{handle, fill, n, f.A, m}
	case "orgqr":
		return 0, []uintptr{handle, m, n, uintptr(f.K), f.A, m, f.Tau}
	case "gesvd":
		return 0, []uintptr{handle, m, n}
	case "gesvdj":
		return 0, cusolverJacobi(f, handle)
	}
	return 0, []uintptr{handle, mode, fill, n, f.A, m, f.Values}
}

func cusolverArgs(f *Factor, handle, work uintptr, elements int) []uintptr {
	m, n, size := uintptr(f.M), uintptr(f.N), uintptr(elements)
	job, mode, fill := cusolverJobs(f)
	switch f.Routine {
	case "getrf":
		return []uintptr{handle, m, n, f.A, m, work, f.Pivots, f.Info}
	case "potrf":
		return []uintptr{handle, fill, n, f.A, m, work, size, f.Info}
	case "geqrf":
		return []uintptr{handle, m, n, f.A, m, f.Tau, work, size, f.Info}
	case "orgqr":
		return []uintptr{handle, m, n, uintptr(f.K), f.A, m, f.Tau, work, size, f.Info}
	case "gesvd":
		return []uintptr{handle, job, job, m, n, f.A, m, f.Values, f.U, m, f.VH, uintptr(f.vectorRows()), work, size, 0,
			f.Info}
	case "gesvdj":
		return append(cusolverJacobi(f, handle), work, size, f.Info, f.jacobi)
	}
	return []uintptr{handle, mode, fill, n, f.A, m, f.Values, work, size, f.Info}
}

// cusolverJacobi are the arguments that gesvdj and the call for its work space have in common.
func cusolverJacobi(f *Factor, handle uintptr) []uintptr {
	m, n, economy := uintptr(f.M), uintptr(f.N), uintptr(1)
	if f.Full {
		economy = 0
	}
	_, mode, _ := cusolverJobs(f)
	return []uintptr{handle, mode, economy, m, n, f.A, m, f.Values, f.U, m, f.VH, n}
}
