package compile

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// TestCompileAtOnce: NVRTC compiles two sources at a time in a process, hiprtc one.
func TestCompileAtOnce(t *testing.T) {
	for platform, want := range map[driver.Platform]int32{driver.CUDA: 2, driver.HIP: 1} {
		var inside, most atomic.Int32
		r := &RTC{
			Platform: platform, Library: &driver.Library{Path: "fake"},
			create: func(p *uintptr, _, _ *byte, _ int32, _, _ **byte) driver.Code { *p = 1; return 0 },
			build: func(uintptr, int32, **byte) driver.Code {
				n := inside.Add(1)
				for i := 0; i < 200 && most.Load() < want; i++ { // until the other has come, or none does
					most.Store(max(most.Load(), inside.Load()))
					time.Sleep(time.Millisecond)
				}
				most.Store(max(most.Load(), n))
				inside.Add(-1)
				return 0
			},
			codeSize: func(_ uintptr, n *uintptr) driver.Code { *n = 4; return 0 },
			code:     func(uintptr, *byte) driver.Code { return 0 },
			destroy:  func(*uintptr) driver.Code { return 0 },
		}
		var wg sync.WaitGroup
		for range 2 {
			wg.Go(func() {
				if _, err := r.compileSource("k", "source", []string{"--gpu-architecture=sm_90"}); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if most.Load() != want {
			t.Errorf("%s: %d compilations at a time, want %d", platform, most.Load(), want)
		}
	}
}
