//lint:file-ignore ST1003 names of rocSOLVER, as its manual has them

package mathlib

import (
	"sync"

	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// The enumerations of rocSOLVER, since ROCm 5, as far as they are used: rocsolver-extra-types.h.
const (
	rocblas_svect_all      = 191 // rocblas_svect
	rocblas_svect_singular = 192
	rocblas_svect_none     = 194

	rocblas_evect_original = 211 // rocblas_evect
	rocblas_evect_none     = 213

	rocblas_outofplace = 201 // rocblas_workmode
)

var rocsolver = &solverKind{
	VendorKind: driver.VendorKind{
		Name: "rocSOLVER", Platform: driver.HIP, Purpose: "factorisations on AMD GPUs",
		NoMemory: []driver.Code{rocblas_status_memory_error}, Statuses: rocblasStatuses,
		// rocSOLVER multiplies with rocBLAS
		Supports: func(_ *driver.Library, arch string) error {
			blas, err := findRocBLAS()
			if err != nil {
				return err
			}
			return rocblasKernels(blas, arch)
		},
	},
	prefix: "rocsolver_", letters: map[string]string{"f32": "s", "f64": "d", "c64": "c", "c128": "z"},
	find: findRocSOLVER, args: rocsolverArgs, work: rocsolverWork,
}

var findRocSOLVER = sync.OnceValues(func() ([]*driver.Library, error) {
	search, blas, err := searchRocSOLVER()
	if err != nil {
		return nil, err
	}
	lib, err := search.Load()
	return []*driver.Library{lib, blas}, err
})

// searchRocSOLVER says where the library may be, and loads rocBLAS, which it needs.
func searchRocSOLVER() (search driver.Search, blas *driver.Library, err error) {
	hip, err := driver.LoadHIP()
	if err != nil {
		return search, nil, err
	}
	const name = "librocsolver.so"
	blas, err = findRocBLAS()
	return driver.SearchBesideHIP(hip.Library, name, driver.Versioned(name, []string{"0", "1"})[1:]...), blas, err
}

// probeRocSOLVER finds the library without loading it: its file has up to two gigabytes, which takes seconds.
func probeRocSOLVER() driver.Probed {
	search, _, err := searchRocSOLVER()
	if err == nil {
		if file := search.Find(); file != nil {
			version := "loaded on first use"
			if v := file.FileVersion(); v != "" {
				version = "file version " + v + ", " + version
			}
			l := driver.VendorLibrary{Kind: &rocsolver.VendorKind, File: file, Version: version}
			return driver.Probed{Kind: l.Kind, Library: &l}
		}
	}
	l, err := rocsolver.load() // says what is missing
	return probed(&rocsolver.VendorKind, l, err)
}

// rocsolverWork: the library allocates by itself; gesvd and syevd want memory for min(M, N) numbers off a diagonal.
func rocsolverWork(f *Factor, _ uintptr) (elements int, query []uintptr) {
	if f.Routine == "gesvd" || f.Routine == "syevd" {
		return min(f.M, f.N), nil
	}
	return 0, nil
}

func rocsolverArgs(f *Factor, handle, work uintptr, _ int) []uintptr {
	m, n := uintptr(f.M), uintptr(f.N)
	fill := uintptr(rocblas_fill_lower)
	if f.Upper {
		fill = rocblas_fill_upper
	}
	switch f.Routine {
	case "getrf":
		return []uintptr{handle, m, n, f.A, m, f.Pivots, f.Info}
	case "potrf":
		return []uintptr{handle, fill, n, f.A, m, f.Info}
	case "geqrf":
		return []uintptr{handle, m, n, f.A, m, f.Tau}
	case "orgqr":
		return []uintptr{handle, m, n, uintptr(f.K), f.A, m, f.Tau}
	case "gesvd":
		job := uintptr(rocblas_svect_none)
		switch {
		case f.Vectors && f.Full:
			job = rocblas_svect_all
		case f.Vectors:
			job = rocblas_svect_singular
		}
		return []uintptr{handle, job, job, m, n, f.A, m, f.Values, f.U, m, f.VH, uintptr(f.vectorRows()), work,
			rocblas_outofplace, f.Info}
	}
	evect := uintptr(rocblas_evect_none)
	if f.Vectors {
		evect = rocblas_evect_original
	}
	return []uintptr{handle, evect, fill, n, f.A, m, f.Values, work, f.Info}
}
