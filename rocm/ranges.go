package rocm

import (
	"sync"

	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// rangeCalls mark ranges of time for the system's profilers. Ranges that are started, unlike those that are pushed, may
// end on another thread.
type rangeCalls struct {
	start func(name *byte) uint64 `hip:"roctxRangeStartA" cuda:"nvtxRangeStartA"`
	stop  func(id uint64)         `hip:"roctxRangeStop" cuda:"nvtxRangeEnd"`
}

// loadRanges returns the calls of a platform's library, nil where there is none.
var loadRanges = func() func(Platform) *rangeCalls {
	specs := map[driver.Platform]func() driver.Search{
		driver.HIP: func() driver.Search {
			return driver.Search{Name: "libroctx64.so",
				Names: []string{"librocprofiler-sdk-roctx.so.1", "libroctx64.so.4"}, Folders: driver.ROCmFolders()}
		},
		driver.CUDA: func() driver.Search {
			return driver.Search{Name: "libnvToolsExt.so", Names: []string{"libnvToolsExt.so.1"},
				Folders: driver.CUDAFolders()}
		},
	}
	load := map[driver.Platform]func() *rangeCalls{}
	for platform, spec := range specs {
		load[platform] = sync.OnceValue(func() *rangeCalls {
			lib, err := spec().Load()
			if err != nil {
				return nil // the profiler is not installed
			}
			calls := &rangeCalls{}
			if driver.Bind(calls, platform.Column(), lib) != nil {
				return nil
			}
			return calls
		})
	}
	return func(p Platform) *rangeCalls {
		if f := load[driver.Platform(p)]; f != nil {
			return f()
		}
		return nil
	}
}()

// Range marks the time until end is called with a name, for the system's profilers: rocprofv3 and omnitrace by roctx,
// Nsight by NVTX. It does nothing before a GPU is opened, and where the library for it (librocprofiler-sdk-roctx or
// libroctx64; libnvToolsExt) is not installed.
func Range(name string) (end func()) {
	var ends []func()
	seen := map[Platform]bool{}
	for _, d := range openDevices() {
		platform := d.info.Platform
		if seen[platform] {
			continue
		}
		seen[platform] = true
		if calls := loadRanges(platform); calls != nil {
			id := calls.start(driver.CString(name))
			ends = append(ends, func() { calls.stop(id) })
		}
	}
	return func() {
		for _, f := range ends {
			f()
		}
	}
}
