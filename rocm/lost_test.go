package rocm

import (
	"errors"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/rocm/internal/childtest"
	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// TestLost has the stand-in lose a GPU, with codes of faults, resets and GPUs that were taken away.
func TestLost(t *testing.T) {
	childtest.Run(t, "TestLostChild", append(childtest.FakeHIP(t, "testdata"), "FAKEHIP_STREAMS=1")...)
}

func TestLostChild(t *testing.T) {
	childtest.Only(t)
	var lose func(code, helps int32)
	var inject func(name string, code, times int32)
	for _, code := range []int32{46, 100, 214, 700, 709, 719, 999} {
		d, err := Open("rocm")
		if err != nil {
			t.Fatal(err)
		}
		standIn(t, "libamdhip64.so.6", "fakehip_lose", &lose)
		standIn(t, "libamdhip64.so.6", "fakehip_inject", &inject)
		s, err := d.NewStream()
		if err != nil {
			t.Fatal(err)
		}
		other, err := Open("rocm:1")
		if err != nil {
			t.Fatal(err)
		}
		b := alloc(t, d, 16)
		if inject("hipStreamSynchronize", code, 1); d.Synchronize() == nil || Lost(d) != nil {
			t.Errorf("%d once: %v", code, Lost(d))
		}
		lose(code, 1)
		err = d.Synchronize()
		if err == nil || errors.Is(err, ErrLost) || !strings.HasPrefix(err.Error(), "rocm: hipStreamSynchronize: ") ||
			!strings.Contains(err.Error(), `rocm:0 is lost to this process, with the memory that it had: rocm.Open("rocm:0")`) {
			t.Errorf("%d: the call that lost it: %v", code, err)
		}
		for _, err := range []error{Lost(d), Lost(s)} {
			if err == nil || strings.Contains(err.Error(), "is lost") {
				t.Errorf("%d: the error that lost it: %v", code, err)
			}
		}
		for _, err := range []error{b.Upload(0, []byte{1}), s.Synchronize(), b.Fill(0, 16, 1)} {
			if !errors.Is(err, ErrLost) || !strings.Contains(err.Error(), "(Fake Radeon 0) is lost: hipStreamSynchronize failed, and the driver refuses every call since") {
				t.Errorf("%d: a later call: %v", code, err)
			}
		}
		if err := errors.Join(Lost(other), other.Synchronize()); err != nil {
			t.Errorf("%d: the other GPU: %v", code, err)
		}
		again, err := Open("rocm")
		if err != nil || again == d || Lost(again) != nil || Lost(d) == nil {
			t.Fatalf("%d: opened again: %v, %v", code, again, err)
		}
		if third, err := Open("rocm:0"); third != again || err != nil {
			t.Errorf("%d: opened once more: %v, %v", code, third, err)
		}
		if c := alloc(t, again, 16); c.Fill(0, 16, 1) != nil || !errors.Is(b.Fill(0, 16, 1), ErrLost) {
			t.Errorf("%d: memory of before and after", code)
		}
		if list := openDevices(); len(list) != 2 {
			t.Errorf("%d: open are %v", code, list)
		}
	}
	d, err := Open("rocm")
	if err != nil {
		t.Fatal(err)
	}
	lose(100, 0)
	if err := d.Synchronize(); err == nil {
		t.Error("no error")
	}
	for range 2 {
		_, err = Open("rocm")
		if !errors.Is(err, ErrLost) || !strings.HasPrefix(err.Error(), "rocm: open rocm:0: Fake Radeon 0 is lost, and this process cannot open it again: start another one\n  hipStreamCreateWithFlags: ") {
			t.Errorf("a GPU that does not come back: %v", err)
		}
	}
	if Lost(d) == nil {
		t.Error("it is not lost any more")
	}
}

func TestNotLost(t *testing.T) {
	f := newFake(1 << 20)
	d := f.device(t, 0)
	for code := range driver.Code(1000) {
		if driver.MayBeLost(code) {
			f.fail["streamWait"] = code
			if err := d.Synchronize(); err == nil || Lost(d) != nil {
				t.Errorf("%d: %v", code, Lost(d))
			}
		}
	}
}

// TestCUDALost has a kernel end the use of the GPU by a process of its own.
func TestCUDALost(t *testing.T) {
	cudaDevice(t)
	t.Log(childtest.Run(t, "TestCUDALostChild"))
}

func TestCUDALostChild(t *testing.T) {
	childtest.Only(t)
	d := cudaDevice(t)
	m, err := d.Compile("wild.hip", `extern "C" __global__ void wild(unsigned long long at) { *(int *)at = 1; }`)
	if err != nil {
		t.Skip(err)
	}
	b := alloc(t, d, 16)
	if err := d.Launch(kernel(t, m, "wild"), [3]int{1, 1, 1}, [3]int{1, 1, 1}, 0, NewArgs().U64(64)); err != nil {
		t.Fatal(err)
	}
	if err := d.Synchronize(); err == nil || Lost(d) == nil {
		t.Fatalf("a fault: %v, lost: %v", err, Lost(d))
	}
	if err := b.Fill(0, 16, 1); !errors.Is(err, ErrLost) {
		t.Errorf("a later call: %v", err)
	}
	again, err := Open("cuda")
	if err != nil {
		if !errors.Is(err, ErrLost) {
			t.Error(err)
		}
		t.Logf("the driver does not open it again: %v", err)
		return
	}
	if c := alloc(t, again, 16); c.Fill(0, 16, 1) != nil {
		t.Errorf("%v was opened again, and does not work", again)
	}
	t.Log("the driver has opened it again")
}
