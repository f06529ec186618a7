package rocm

import (
	"strings"
	"testing"

	"github.com/gorocm/gorocm/rocm/internal/childtest"
	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// The tests in this file ask AMD's own libraries, where they are installed, without a GPU: .ci/rocm runs them beside those of Debian unstable. Each is
// in a process of its own, as a library may end it.

func TestRealROCm(t *testing.T) {
	for _, name := range []string{"TestRealRoctxChild"} {
		out := ""
		t.Run(strings.TrimSuffix(name, "Child"), func(t *testing.T) {
			var err error
			if out, err = childtest.RunFailing(t, name); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			if strings.Contains(out, "--- SKIP") {
				t.Skip(out)
			}
			t.Log(out)
		})
	}
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
