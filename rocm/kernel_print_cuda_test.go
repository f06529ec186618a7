package rocm

import (
	"errors"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/rocm/internal/childtest"
	"github.com/gorocm/gorocm/rocm/internal/compile"
)

const printSource = `#include <stdio.h>
#include <assert.h>
__global__ void check(int n) {
  int i = threadIdx.x;
  if (i == 2) printf("thread %d of %d\n", i, n);
  assert(i < n);
}`

// TestCUDAPrints has a kernel print and fail an assertion on an NVIDIA GPU, in processes of their own: the driver prints to their standard output, and
// a failed assertion ends the use of the GPU.
func TestCUDAPrints(t *testing.T) {
	cudaDevice(t)
	if _, err := compile.LoadNVRTC(); err != nil {
		t.Skipf("no NVRTC: %v", firstLine(err))
	}
	if out := childtest.Run(t, "TestCUDAPrintsChild", "GOROCM_CACHE="+t.TempDir()); !strings.Contains(out, "thread 2 of 32\n") {
		t.Errorf("printed %q", out)
	}
	out := childtest.Run(t, "TestCUDAAssertsChild", "GOROCM_CACHE="+t.TempDir())
	if !strings.Contains(out, "check:6: ") || !strings.Contains(out, "Assertion `i < n` failed") {
		t.Errorf("printed %q", out)
	}
}

func TestCUDAPrintsChild(t *testing.T) {
	childtest.Only(t)
	d := cudaDevice(t)
	k, err := Compile("check", printSource)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.StartProfile(); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if err := k.LaunchGrid([3]int{2, 1, 1}, [3]int{32, 1, 1}, 0, 32); err != nil {
			t.Fatal(err)
		}
	}
	list, err := d.StopProfile()
	if err != nil || len(list) != 1 || list[0].Kernel != "check" || list[0].Launches != 3 || list[0].Blocks != 6 || list[0].Waves != 6 || list[0].Time <= 0 {
		t.Errorf("profile %+v (%v)", list, err)
	}
	if err := d.SetChecks(Checks{Races: true}); !errors.Is(err, ErrUnsupported) {
		t.Errorf("checks: %v", err)
	}
}

func TestCUDAAssertsChild(t *testing.T) {
	childtest.Only(t)
	d := cudaDevice(t)
	k, err := Compile("check", printSource)
	if err != nil {
		t.Fatal(err)
	}
	err = errors.Join(k.LaunchGrid([3]int{1, 1, 1}, [3]int{32, 1, 1}, 0, 20), d.Synchronize())
	if !errors.Is(err, ErrFault) || !strings.Contains(err.Error(), "check") {
		t.Errorf("error %v", err)
	}
}
