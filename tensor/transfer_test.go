package tensor

import (
	"runtime"
	"strings"
	"testing"
	"time"
)

func openDevice(t *testing.T, spec string) *Device {
	t.Helper()
	dev, err := NewDevice(spec)
	if err != nil {
		t.Skipf("no %s device: %v", spec, err)
	}
	return dev
}

// TestShowingFetchesTheCorner checks that showing a large tensor is one transfer of the shown elements.
func TestShowingFetchesTheCorner(t *testing.T) {
	dev := openDevice(t, "rocm")
	x := Arange(0, 100*200*50, F32, dev).Reshape([]int{100, 200, 50})
	for name, c := range map[string]struct {
		t    *Tensor
		want int64
	}{
		"large":            {x, 6 * 6 * 6 * 4},
		"large transposed": {x.Transpose(0, 2), 6 * 6 * 6 * 4},
		"small":            {x.Narrow(0, 3, 2).Narrow(1, 5, 4), 2 * 4 * 50 * 4},
	} {
		for form, show := range map[string]func() string{"String": c.t.String, "HTML": c.t.HTML} {
			calls, bytes := dev.downloads.Load(), dev.downloaded.Load()
			text := show()
			calls, bytes = dev.downloads.Load()-calls, dev.downloaded.Load()-bytes
			if calls != 1 || bytes != c.want {
				t.Errorf("%s of %s: %d transfers of %d bytes, want 1 of %d", form, name, calls, bytes, c.want)
			}
			if want := c.t.ToDevice(CPU()); form == "String" && text != strings.Replace(want.String(), "f32]", "f32, "+dev.Location()+"]", 1) {
				t.Errorf("%s: got\n%s\nwant\n%v", name, text, want)
			}
		}
	}
}

// TestDroppedTensorsFreeMemory checks that device memory comes back when tensors are collected.
func TestDroppedTensorsFreeMemory(t *testing.T) {
	dev := openDevice(t, "rocm")
	before := buffers(dev)
	for range 1000 {
		Randn(0, 1, []int{64}, F32, dev)
	}
	for wait := time.Millisecond; buffers(dev) > before+3 && wait < 5*time.Second; wait *= 2 {
		runtime.GC()
		time.Sleep(wait) // clean-ups run on a goroutine of their own
	}
	if after := buffers(dev); after > before+3 {
		t.Errorf("%d buffers live after 1000 tensors were dropped, %d before", after, before)
	}
}

func buffers(dev *Device) int { return dev.Memory().Buffers }

func TestNewDeviceGivesOneHandle(t *testing.T) {
	for _, spec := range []string{"cpu", "rocm"} {
		dev := openDevice(t, spec)
		again, err := NewDevice(dev.Location())
		if err != nil || again != dev {
			t.Errorf("%s: another handle for %s (%v)", spec, dev.Location(), err)
		}
	}
	for _, bad := range []string{"", "gpu", "cpu:1", "rocm:x", "cuda:-1"} {
		if d, err := NewDevice(bad); err == nil {
			t.Errorf("NewDevice(%q) gave %v", bad, d)
		}
	}
}
