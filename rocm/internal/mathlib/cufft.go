package mathlib

import (
	"sync"

	"github.com/gorocm/gorocm/rocm/internal/driver"
)

var cufft = &fftKind{driver.VendorKind{
	Name: "cuFFT", Platform: driver.CUDA, Purpose: "Fourier transforms on NVIDIA GPUs",
	NoMemory: []driver.Code{fftAllocFailed}, Statuses: fftStatuses("CUFFT_"),
	Find: sync.OnceValues(func() (*driver.Library, error) {
		const name = "libcufft.so"
		versions := []string{"12", "11", "10"} // of CUDA 13, 12 and 11
		return driver.Search{Name: name, Names: driver.Versioned(name, versions)[1:], Folders: driver.CUDAFolders()}.Load()
	}),
}}
