package group

import (
	"sync"

	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// The enumerations of NCCL, the same since version 2.10 and in RCCL since ROCm 5.
var (
	ncclTypes      = map[string]int32{"u8": 1, "i32": 2, "u32": 3, "i64": 4, "f16": 6, "f32": 7, "f64": 8, "bf16": 9}
	ncclReductions = map[Reduction]int32{Sum: 0, Product: 1, Max: 2, Min: 3}
)

var ncclStatuses = map[driver.Code]string{
	1: "ncclUnhandledCudaError", 2: "ncclSystemError", 3: "ncclInternalError", 4: "ncclInvalidArgument",
	5: "ncclInvalidUsage",
	6: "ncclRemoteError", 7: "ncclInProgress",
}

// nccl is NVIDIA's library.
var nccl = &driver.VendorKind{
	Name: "NCCL", Platform: driver.CUDA, Purpose: "sums and copies over several NVIDIA GPUs", Statuses: ncclStatuses,
	Find: sync.OnceValues(func() (*driver.Library, error) {
		return driver.Search{Name: "libnccl.so", Names: []string{"libnccl.so.2"}, Folders: driver.CUDAFolders()}.Load()
	}),
}
