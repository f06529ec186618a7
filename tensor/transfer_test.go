package tensor

import (
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor/internal/show"
)

func openDevice(t *testing.T, spec string) *Device {
	t.Helper()
	dev, err := NewDevice(spec)
	if err != nil {
		t.Skipf("no %s device: %v", spec, err)
	}
	return dev
}

// TestShowingFetchesTheCorner checks that the text of a large tensor is one transfer of the shown elements, and that
// the HTML form adds what its statistics need, which is far from the whole.
func TestShowingFetchesTheCorner(t *testing.T) {
	dev := openDevice(t, "rocm")
	x := dev.Arange(F32, 100*200*50).Reshape(100, 200, 50)
	for name, c := range map[string]struct {
		t    *Tensor
		want int64
	}{
		"large":            {x, 6 * 6 * 6 * 4},
		"large transposed": {x.Transpose(0, 2), 6 * 6 * 6 * 4},
		"small":            {x.Narrow(0, 3, 2).Narrow(1, 5, 4), 2 * 4 * 50 * 4},
	} {
		fetch := func(show func() string) (text string, calls, bytes int64) {
			calls, bytes = dev.downloads.Load(), dev.downloaded.Load()
			text = show()
			return text, dev.downloads.Load() - calls, dev.downloaded.Load() - bytes
		}
		text, calls, bytes := fetch(c.t.String)
		if calls != 1 || bytes != c.want {
			t.Errorf("String of %s: %d transfers of %d bytes, want 1 of %d", name, calls, bytes, c.want)
		}
		if want := c.t.ToDevice(CPU()); text != strings.Replace(want.String(), "f32]", "f32, "+dev.Location()+"]", 1) {
			t.Errorf("%s: got\n%s\nwant\n%v", name, text, want)
		}
		if _, calls, bytes := fetch(c.t.HTML); calls > 2 || bytes > c.want+fetched {
			t.Errorf("HTML of %s: %d transfers of %d bytes", name, calls, bytes)
		}
	}
}

// TestShowingHundredMillion shows 10^8 elements: on the host, where all are counted, and in the device's memory, from
// where less than 1 MB may come.
func TestShowingHundredMillion(t *testing.T) {
	if testing.Short() {
		t.Skip("400 MB are too much with -short")
	}
	const n = 100_000_000
	host := CPU().Full(F32, 1, 10000, 10000)
	host.Narrow(0, 77, 1).SliceSet(CPU().Full(F32, math.NaN(), 1, 10000), 0, 0)
	text := host.HTML()
	for _, want := range []string{"100,000,000, 381.5 MiB", "1, 1, 1", "10,000 (0.01 %), 0"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %s", want, text)
		}
	}
	dev := openDevice(t, "rocm")
	if free := dev.Memory().Free; free > 0 && free < 4*n {
		t.Skipf("needs 400 MB of device memory, %d bytes are free", free)
	}
	// A column of 10^4 elements, repeated by a stride of 0: as large to show, without the time that the emulator needs
	// to fill it.
	x := dev.Arange(F32, 10000).Unsqueeze(1).Expand(10000, 10000)
	before := dev.downloaded.Load()
	text = x.HTML() + x.String()
	if bytes := dev.downloaded.Load() - before; bytes > 1<<20 {
		t.Errorf("%d bytes came to the host", bytes)
	}
	if dev.Emulated() && !strings.Contains(text, "evenly spread") {
		t.Errorf("the text does not say that elements stand for others: %s", text)
	}
}

// TestStatistics compares the ways to the statistics with each other: the host's scan, the device's reductions, spread
// elements.
func TestStatistics(t *testing.T) {
	odd := []float64{math.NaN(), 1, math.Inf(1), -3, 2, math.Inf(-1), math.NaN(), 4}
	for _, c := range []struct {
		name     string
		values   []float64
		nan, inf int
		min, max float64
		mean     float64
	}{
		{"finite", []float64{1, 2, 3, 6}, 0, 0, 1, 6, 3},
		{"some not finite", odd, 2, 2, -3, 4, 1},
		{"none finite", []float64{math.NaN(), math.Inf(1)}, 1, 1, math.NaN(), math.NaN(), math.NaN()},
	} {
		for _, dt := range []DType{F16, BF16, F32, F64} {
			x := CPU().FromSlice(c.values, -1).ToDType(dt)
			raw, err := x.read("test")
			if err != nil {
				t.Fatal(err)
			}
			devices := map[string]*show.Statistics{"survey": show.Survey(dt, raw)}
			for _, spec := range []string{"cpu", "rocm"} {
				s, err := x.ToDevice(openDevice(t, spec)).surveyed()
				if err != nil {
					t.Fatal(err)
				}
				devices[spec] = s
			}
			for by, s := range devices {
				same := func(a, b float64) bool { return a == b || s.Finite() == 0 }
				if s.NaN != c.nan || s.Inf != c.inf || !same(s.Min, c.min) || !same(s.Max, c.max) ||
					!same(s.Mean, c.mean) {
					t.Errorf("%s of %v by %s: %+v", c.name, dt, by, *s)
				}
			}
		}
	}
	// Elements that are spread out lie in the tensor, in each of its layouts.
	x := CPU().Arange(F32, 1<<20).Reshape(64, 128, 128).Transpose(0, 2)
	part := x.view(x.layout.Spread(standing))
	if n := part.ElemCount(); n < standing/16 || n > standing {
		t.Errorf("%d elements stand for %d", n, x.ElemCount())
	}
	if got := part.Max().ToScalar(); got >= 1<<20 || got < 1<<19 {
		t.Errorf("the greatest of them is %v", got)
	}
}

// TestSample: the elements are those at the steps, of any layout, and no others come to the host.
func TestSample(t *testing.T) {
	for _, spec := range []string{"cpu", "rocm"} {
		dev := openDevice(t, spec)
		x := dev.Arange(F32, 60).Reshape(6, 10).T() // x[i][j] is i + 10j
		before := dev.downloaded.Load()
		dims, values := x.Sample(4, 3)
		want := []float64{0, 30, 4, 34, 8, 38}
		if !slices.Equal(dims, []int{3, 2}) || !slices.Equal(values, want) {
			t.Errorf("%s: %v %v, want %v", spec, dims, values, want)
		}
		if bytes := dev.downloaded.Load() - before; bytes > 6*4 {
			t.Errorf("%s: %d bytes came to the host", spec, bytes)
		}
		if dims, values = x.Sample(); len(values) != 60 || !slices.Equal(dims, []int{10, 6}) {
			t.Errorf("%s: without steps %d elements of dims %v", spec, len(values), dims)
		}
		if _, err := Try(func() *Tensor { x.Sample(0); return nil }); err == nil {
			t.Errorf("%s: a step of 0 is not a mistake", spec)
		}
	}
}

// TestHistogram compares the host's counting with the device's.
func TestHistogram(t *testing.T) {
	thorough.Slow(t)
	values := []float64{0, 1, 2, 3, 4, 5, 6, 7, 7.9, 8, math.NaN(), math.Inf(1), math.Inf(-1)}
	want := []int{2, 2, 2, 4}
	for _, spec := range []string{"cpu", "rocm"} {
		for _, large := range []bool{false, true} {
			dev := openDevice(t, spec)
			x := dev.FromSlice(values, -1).ToDType(F32)
			times := 1
			if large {
				times = 4 * fetched / len(values)
				x = x.Unsqueeze(0).Expand(times, len(values))
				if x.Bytes() <= 4*fetched || testing.Short() {
					continue
				}
			}
			counts, low, high := x.Histogram(4)
			for i, n := range counts {
				if n != times*want[i] || low != 0 || high != 8 {
					t.Errorf("%s, %d elements: %v from %v to %v, want %d times %v", spec, x.ElemCount(), counts, low,
						high, times, want)
					break
				}
			}
		}
	}
	if counts, low, high := CPU().Zeros(I64, 5).Histogram(3); counts[1] != 5 || low != 0 || high != 0 {
		t.Errorf("equal elements: %v from %v to %v", counts, low, high)
	}
}

// TestDroppedTensorsFreeMemory checks that device memory comes back when tensors are collected.
func TestDroppedTensorsFreeMemory(t *testing.T) {
	dev := openDevice(t, "rocm")
	before := buffers(dev)
	for range 1000 {
		dev.Randn(F32, 64)
	}
	for end := time.Now().Add(time.Minute); buffers(dev) > before+3 && time.Now().Before(end); {
		runtime.GC()
		time.Sleep(2 * time.Millisecond) // clean-ups run on a goroutine of their own
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
