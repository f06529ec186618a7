package mathlib

import (
	"sync"

	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// hipFFT is bound, not rocFFT, on which it stands: its calls are cuFFT's, so that one table and one path of code serve
// both platforms, while rocFFT has descriptors, buffers in arrays and enumerations of its own.
var hipfft = &fftKind{driver.VendorKind{
	Name: "hipFFT", Platform: driver.HIP, Purpose: "Fourier transforms on AMD GPUs",
	NoMemory: []driver.Code{fftAllocFailed}, Statuses: fftStatuses("HIPFFT_"),
	Find: sync.OnceValues(func() (*driver.Library, error) {
		hip, err := driver.LoadHIP()
		if err != nil {
			return nil, err
		}
		return driver.SearchBesideHIP(hip.Library, "libhipfft.so", "libhipfft.so.0", "libhipfft.so.1").Load()
	}),
}}
