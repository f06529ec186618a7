package group

import (
	"sync"

	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// rccl is AMD's library, whose calls have NCCL's names.
var rccl = &driver.VendorKind{
	Name: "RCCL", Platform: driver.HIP, Purpose: "sums and copies over several AMD GPUs", Statuses: ncclStatuses,
	Find: sync.OnceValues(func() (*driver.Library, error) {
		hip, err := driver.LoadHIP()
		if err != nil {
			return nil, err
		}
		return driver.SearchBesideHIP(hip.Library, "librccl.so", "librccl.so.1").Load()
	}),
}
