package emulator

import (
	"errors"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestGlobalAtomics(t *testing.T) {
	d := newDevice(t, "kernels", 4)
	const n, bins = 10000, 37
	a, idx, f, q := make([]int32, n), make([]int64, n), make([]float32, n), make([]float64, n)
	counts := make([]uint32, bins)
	sums := make([]float32, bins)
	total, ints := 0.0, make([]int64, n)
	for i := range a {
		a[i], idx[i], f[i], q[i] = int32(i*i%bins), int64(i%bins), float32(i%5), float64(i%11)
		ints[i] = int64(i*7919%n-n/2) << 33
		counts[a[i]]++
		sums[idx[i]] += f[i]
		total += q[i]
	}
	out := put(d, make([]uint32, bins))
	d.mustLaunch("histogram", (n+255)/256, 256, put(d, a), out, int32(n), int32(bins))
	if got := get[uint32](d, out, bins); !slices.Equal(got, counts) {
		t.Errorf("histogram %v, want %v", got, counts)
	}
	out = put(d, make([]float32, bins))
	d.mustLaunch("scatter_add_f32", (n+255)/256, 256, put(d, f), put(d, idx), out, int32(n))
	if got := get[float32](d, out, bins); !slices.Equal(got, sums) { // small integers: any order gives the same sum
		t.Errorf("scatter_add %v, want %v", got, sums)
	}
	out = put(d, []float64{0})
	d.mustLaunch("sum_f64_cas", (n+255)/256, 256, put(d, q), out, int32(n))
	if got := get[float64](d, out, 1)[0]; got != total {
		t.Errorf("sum %v, want %v", got, total)
	}
	out = put(d, []int64{math.MaxInt64, math.MinInt64})
	d.mustLaunch("minmax_i64", (n+255)/256, 256, put(d, ints), out, int32(n))
	if got := get[int64](d, out, 2); got[0] != slices.Min(ints) || got[1] != slices.Max(ints) {
		t.Errorf("min, max %v, want %d, %d", got, slices.Min(ints), slices.Max(ints))
	}
	out = put(d, []int32{-1 << 31})
	d.mustLaunch("max_i32", (n+255)/256, 256, put(d, a), out, int32(n))
	if got := get[int32](d, out, 1)[0]; got != slices.Max(a) {
		t.Errorf("max %d, want %d", got, slices.Max(a))
	}
	factors := make([]float32, 600)
	for i := range factors {
		factors[i] = []float32{2, 0.5, -1}[i%3]
	}
	out = put(d, []float32{3})
	d.mustLaunch("product_cas", 3, 256, put(d, factors), out, int32(len(factors)))
	if got := get[float32](d, out, 1)[0]; got != 3 { // powers of two: any order is exact
		t.Errorf("product %v, want 3", got)
	}
	counter, tickets := put(d, []uint32{0}), put(d, make([]uint32, n/8))
	d.mustLaunch("ticket", n/8/250, 250, counter, tickets)
	got := get[uint32](d, tickets, n/8)
	slices.Sort(got)
	for i, x := range got {
		if x != uint32(i) {
			t.Fatalf("tickets are not a permutation: %d at %d", x, i)
		}
	}
}

func TestSharedAtomics(t *testing.T) {
	d := newDevice(t, "kernels", 1)
	out := put(d, make([]uint32, 7))
	d.mustLaunch("lds_atomics", 1, 64, out)
	got := get[uint32](d, out, 7)
	want := []uint32{63 * 64 / 2, 63 * 3, 0, 2 * 64, 63 * 64 / 2, math.Float32bits(96), 1}
	want[3] = got[3] // each work-item tries once or more; see below
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got[3] != 128 {
		t.Errorf("compare-and-swap: got %d, want 128", got[3])
	}
}

// TestWholeLoadsAndStores: 8 bytes that one workgroup stores are never seen half old and half new by another, whether all lanes of a wave are active
// or not.
func TestWholeLoadsAndStores(t *testing.T) {
	d := newDevice(t, "kernels", 2)
	for _, n := range []int32{32, 31} {
		numbers, torn := put(d, make([]uint64, 32)), put(d, make([]uint32, 32))
		d.mustLaunch("whole_u64", 2, 32, numbers, torn, int32(20000), n)
		if got := get[uint32](d, torn, 32); slices.Max(got) != 0 {
			t.Errorf("%d lanes: torn numbers %v", n, got)
		}
	}
}

// TestReleaseAndAcquire: who has seen what a workgroup stored last sees what it stored before.
func TestReleaseAndAcquire(t *testing.T) {
	d := newDevice(t, "kernels", 2)
	places, late := put(d, make([]uint32, 33)), put(d, make([]uint32, 32))
	d.mustLaunch("message", 2, 32, places, late, int32(20000))
	if got := get[uint32](d, late, 32); slices.Max(got) != 0 {
		t.Errorf("older than the message: %v", got)
	}
}

func TestWavesTakeTurns(t *testing.T) {
	d := newDevice(t, "kernels", 4)
	lock, count := put(d, []uint32{0}), put(d, []uint32{0})
	d.mustLaunch("spin_lock", 16, 256, lock, count)
	if got := get[uint32](d, count, 1)[0]; got != 16*8 {
		t.Errorf("count is %d, want %d", got, 16*8)
	}
	flag := put(d, []uint32{0, 0})
	d.mustLaunch("hand_over", 1, 64, flag)
	if got := get[uint32](d, flag, 2); got[1] != 7 {
		t.Errorf("the waiting wave did not go on: %v", got)
	}
}

func TestInterrupt(t *testing.T) {
	d := newDevice(t, "kernels", 2)
	done := make(chan error, 1)
	p := put(d, []uint32{0})
	go func() { done <- d.launch("endless", 2, 64, p) }()
	var err error
	for waiting := true; waiting; {
		d.Interrupt()
		select {
		case err = <-done:
			waiting = false
		case <-time.After(time.Millisecond):
		}
	}
	var e *Error
	if !errors.As(err, &e) || !e.Interrupted || e.Kernel != "endless" {
		t.Fatalf("got %v, want an interrupted launch of endless", err)
	}
	out := put(d, make([]float32, 64))
	d.mustLaunch("globals", 1, 64, out) // the GPU goes on
}

func TestParallelLaunches(t *testing.T) {
	d := newDevice(t, "kernels", 4)
	const n = 5000
	a := randomFloats(n)
	in := put(d, a)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			out, err := d.Malloc(4 * n)
			if err != nil {
				t.Error(err)
				return
			}
			if err := d.launch("add_f32", (n+255)/256, 256, in, in, out, int32(n)); err != nil {
				t.Error(err)
			}
			got := make([]float32, n)
			if err := d.Read(bytesOf(got), out); err != nil {
				t.Error(err)
			}
			for i := range got {
				if got[i] != 2*a[i] {
					t.Errorf("element %d is %v, want %v", i, got[i], 2*a[i])
					return
				}
			}
			if err := d.Free(out); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

// fails launches a kernel and checks the error's code and the facts in its text.
func fails(t *testing.T, err error, code int, facts ...string) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("got %v, want an *Error", err)
	}
	if e.Code != code {
		t.Errorf("code %d, want %d: %v", e.Code, code, err)
	}
	for _, f := range facts {
		if !strings.Contains(err.Error(), f) {
			t.Errorf("the error does not say %q: %v", f, err)
		}
	}
}

func TestMemoryFaults(t *testing.T) {
	d := newDevice(t, "kernels", 2)
	out := put(d, make([]uint32, 64))
	fails(t, d.launch("out_of_bounds", 1, 64, out, int32(64)), CodeIllegalAddress, "out_of_bounds", "work-item [3 0 0]", "0 bytes past the end of the buffer of 256 bytes", "global_store_b32")
	fails(t, d.launch("out_of_bounds", 1, 64, out, int32(-1)), CodeIllegalAddress, "work-item [3 0 0]")
	d.mustLaunch("out_of_bounds", 1, 64, out, int32(63))
	if err := d.Free(out); err != nil {
		t.Fatal(err)
	}
	fails(t, d.launch("out_of_bounds", 1, 64, out, int32(0)), CodeIllegalAddress)
	out = put(d, make([]float32, 64))
	fails(t, d.launch("read_shared", 1, 64, out, int32(1)), CodeIllegalAddress, "work-item [63 0 0]", "shared memory, which has 256 bytes")
	d.mustLaunch("read_shared", 1, 64, out, int32(0))
	fails(t, d.launch("out_of_bounds", 1, 64, uint64(0), int32(0)), CodeIllegalAddress, "a null pointer")
	host := make([]uint32, 64)
	fails(t, d.launch("out_of_bounds", 1, 64, hostAddress(host), int32(0)), CodeIllegalAddress, "device memory is")
	fails(t, d.launch("trap", 1, 64), CodeLaunchFailure, "trapped")
}

func TestLaunchConfiguration(t *testing.T) {
	d := newDevice(t, "kernels", 1)
	k, err := d.m.Kernel("add_f32")
	if err != nil {
		t.Fatal(err)
	}
	args := make([]byte, 28)
	one := [3]uint32{1, 1, 1}
	fails(t, d.Launch(k, [3]uint32{0, 1, 1}, one, 0, args), CodeInvalidConfiguration, "empty")
	fails(t, d.Launch(k, one, [3]uint32{257, 1, 1}, 0, args), CodeInvalidConfiguration, "257", "at most 256")
	fails(t, d.Launch(k, one, [3]uint32{2048, 1, 1}, 0, args), CodeInvalidConfiguration, "1024")
	fails(t, d.Launch(k, one, one, 65537, args), CodeInvalidConfiguration, "shared memory", "65536")
	fails(t, d.Launch(k, one, one, 0, args[:20]), CodeInvalidValue, "20 bytes", "takes 28")
	fails(t, d.Launch(nil, one, one, 0, args), CodeInvalidValue)
	if err := d.m.Unload(); err != nil {
		t.Fatal(err)
	}
	fails(t, d.Launch(k, one, one, 0, args), CodeInvalidValue, "not loaded")
	fails(t, d.m.Unload(), CodeInvalidValue, "twice")
}
