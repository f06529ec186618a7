package rocm

import (
	"testing"

	"github.com/gorocm/gorocm/rocm/internal/childtest"
	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// TestRealROCm asks AMD's own libraries, where they are installed, without a GPU: .ci/rocm runs it beside those of
// Debian unstable. Each is in a process of its own, as a library may end it.
func TestRealROCm(t *testing.T) {
	childtest.Each(t, "TestRealRoctxChild")
}

func TestRealRoctxChild(t *testing.T) {
	childtest.Only(t)
	childtest.NoGPU(t)
	calls := loadRanges(HIP)
	if calls == nil {
		t.Skip("no roctx")
	}
	first, second := calls.start(driver.CString("first")), calls.start(driver.CString("second"))
	if first == second {
		t.Errorf("two ranges have the same number, %d", first)
	}
	calls.stop(first)
	calls.stop(second)
}
