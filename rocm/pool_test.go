package rocm

import (
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/rocm/internal/driver"
)

func TestSizeClass(t *testing.T) {
	for _, c := range []struct{ n, want int }{
		{0, 0}, {1, 512}, {512, 512}, {513, 1024}, {4096, 4096}, {4097, 4608}, {1 << 20, 1 << 20}, {1<<20 + 1, 1<<20 + 1<<17}, {20<<30 + 1, 20<<30 + 32<<20},
	} {
		if got := sizeClass(c.n); got != c.want {
			t.Errorf("sizeClass(%d) = %d, want %d", c.n, got, c.want)
		}
	}
	for n := 4096; n < 1<<22; n += 997 {
		if c := sizeClass(n); c < n || c-n > n/8+minClass || c%512 != 0 || sizeClass(c) != c {
			t.Fatalf("sizeClass(%d) = %d", n, c)
		}
	}
}

func TestPoolReuses(t *testing.T) {
	f := newFake(1 << 20)
	d := f.device(t, 0)
	a := alloc(t, d, 1000)
	p := a.Ptr()
	a.Free()
	a.Free() // twice gives it back once
	b, c := alloc(t, d, 700), alloc(t, d, 1000)
	if b.Ptr() != p || c.Ptr() == p {
		t.Errorf("after Free(%#x): next buffers at %#x and %#x, want the first reused once", p, b.Ptr(), c.Ptr())
	}
	if got, want := f.take(), []string{"malloc 1024", "malloc 1024"}; !slices.Equal(got, want) {
		t.Errorf("calls %q, want %q", got, want)
	}
	if m := d.Memory(); m.InUse != 2048 || m.Reserved != 2048 || m.Peak != 2048 || m.Buffers != 2 || m.Total != 1<<20 || m.Free != 1<<20-2048 {
		t.Errorf("Memory() = %+v", m)
	}
	b.Free()
	c.Free()
	if m := d.Memory(); m.InUse != 0 || m.Reserved != 2048 || m.Buffers != 0 {
		t.Errorf("after Free: Memory() = %+v", m)
	}
	d.Trim()
	if f.used != 0 || d.Memory().Reserved != 0 {
		t.Errorf("after trim: driver has %d bytes out, pool %d reserved", f.used, d.Memory().Reserved)
	}
}

func TestPoolAsksForMoreAtOnce(t *testing.T) {
	f := newFake(256 << 20)
	d := f.device(t, 0)
	var buffers []*Buffer
	seen := map[uintptr]bool{}
	for range 300 {
		b := alloc(t, d, 100_000)
		if seen[b.Ptr()] || b.Ptr()%512 != 0 || f.bytes(b.Ptr(), 100_000) == nil {
			t.Fatalf("buffer %d at %#x overlaps another, or is outside of the driver's memory", len(buffers), b.Ptr())
		}
		seen[b.Ptr()] = true
		buffers = append(buffers, b)
	}
	if calls := f.take(); len(calls) > 20 {
		t.Errorf("%d driver calls for 300 buffers of one size", len(calls))
	}
	// A slab stays as long as one of its blocks is in use.
	for _, b := range buffers[1:] {
		b.Free()
	}
	d.Trim()
	if class := sizeClass(100_000); f.used != class || d.Memory().Reserved != int64(class) {
		t.Errorf("with one buffer left the driver has %d bytes out, the pool %d", f.used, d.Memory().Reserved)
	}
	last := buffers[0]
	for range 10 {
		buffers = append(buffers, alloc(t, d, 100_000))
	}
	last.Free()
	for _, b := range buffers[300:] {
		b.Free()
	}
	d.Trim()
	if f.used != 0 || d.Memory().Reserved != 0 || len(d.pool.classes) != 0 {
		t.Errorf("with none left the driver has %d bytes out, the pool %d", f.used, d.Memory().Reserved)
	}
	// Large buffers are asked for one by one.
	f.take()
	for range 4 {
		buffers = append(buffers, alloc(t, d, 40<<20))
	}
	if got := f.take(); len(got) != 4 {
		t.Errorf("calls %q", got)
	}
	runtime.KeepAlive(buffers)
}

func TestEmptyBuffer(t *testing.T) {
	f := newFake(1 << 20)
	d := f.device(t, 0)
	b := alloc(t, d, 0)
	if b.Ptr() != 0 || b.Len() != 0 || b.Upload(0, nil) != nil || b.Download(nil, 0) != nil || b.CopyFrom(0, b, 0, 0) != nil {
		t.Errorf("an empty buffer does not work: %#x %d", b.Ptr(), b.Len())
	}
	b.Free()
	b.Free()
	if m := d.Memory(); m.Buffers != 0 || m.InUse != 0 {
		t.Errorf("Memory() = %+v", m)
	}
}

// drop allocates buffers that nothing refers to afterwards.
//
//go:noinline
func drop(t *testing.T, d *Device, count, n int) {
	for range count {
		alloc(t, d, n)
	}
}

func TestOutOfMemoryTrimsThenCollects(t *testing.T) {
	f := newFake(64 << 10)
	d := f.device(t, 0)
	// Unused memory of another size is given back first.
	alloc(t, d, 40<<10).Free()
	b := alloc(t, d, 50<<10)
	if got, want := f.take(), []string{"malloc 40960", "malloc 53248", "streamWait 77", "free", "malloc 53248"}; !slices.Equal(got, want) {
		t.Errorf("calls %q, want %q", got, want)
	}
	b.Free()
	d.pool.trim()

	// Then buffers that the program has dropped.
	drop(t, d, 8, 8<<10)
	alloc(t, d, 60<<10).Free()
	if m := d.Memory(); m.Buffers != 0 {
		t.Errorf("dropped buffers are still counted: %+v", m)
	}

	// Then it is an error that says what the memory is used for.
	b = alloc(t, d, 33<<10)
	_, err := d.Alloc(32 << 10)
	if !errors.Is(err, ErrOutOfMemory) || !strings.Contains(err.Error(), "no room for 32 KiB: 36 KiB in use by 1 buffers (the largest has 36 KiB), 36 KiB reserved") {
		t.Errorf("error %v", err)
	}
	runtime.KeepAlive(b)
}

func TestDroppedBuffersReturnUnderPressure(t *testing.T) {
	thorough.Slow(t)
	const capacity = 1 << 30
	f := newFake(capacity)
	d := f.device(t, 0)
	d.drv.Malloc = func(p *uintptr, n uintptr) driver.Code { // no host memory behind it
		f.mu.Lock()
		defer f.mu.Unlock()
		f.next += n
		*p, f.used = f.next, f.used+int(n)
		return 0
	}
	// 25 GiB of buffers that are dropped at once: without the pool asking for collections, the driver would be asked for all of it.
	// How soon a collection has ended is up to the machine, so the limit is far from both.
	const buffers, size = 1600, 16 << 20
	for range buffers {
		alloc(t, d, size)
	}
	if m := d.Memory(); m.Peak >= buffers*size/2 {
		t.Errorf("peak %s: dropped buffers were not collected in time", byteText(m.Peak))
	}
}

func TestPoolKeepsLimit(t *testing.T) {
	f := newFake(1 << 20)
	d := f.device(t, 0)
	d.pool.unusedLimit, d.pool.exactSizes = 10<<10, true
	a, b := alloc(t, d, 6001), alloc(t, d, 6002)
	a.Free()
	if f.used != 6001+6002 {
		t.Errorf("the driver has %d bytes out", f.used)
	}
	b.Free()
	if f.used != 0 || d.Memory().Reserved != 0 {
		t.Errorf("over the limit, %d bytes are kept", f.used)
	}
	// Dropped buffers go over the limit until the next call.
	drop(t, d, 3, 6000)
	f.take()
	d.pool.collect()
	if calls := f.take(); f.used != 18000 || calls != nil {
		t.Errorf("a cleanup called the driver: %q", calls)
	}
	alloc(t, d, 10).Free()
	if f.used != 10 {
		t.Errorf("over the limit, %d bytes are kept", f.used)
	}
}

func TestPoolConcurrent(t *testing.T) {
	f := newFake(1 << 30)
	d := f.device(t, 0)
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 300 {
				b, err := d.Alloc(100 * (i%7 + g))
				if err != nil {
					t.Error(err)
					return
				}
				if i%3 != 0 {
					go b.Free()
					b.Free()
				}
			}
		})
	}
	wg.Wait()
	d.pool.collect()
	if m := d.Memory(); m.Buffers != 0 || m.InUse != 0 || m.Reserved != int64(f.used) {
		t.Errorf("Memory() = %+v, the driver has %d bytes out", m, f.used)
	}
}

func TestMallocErrorIsReported(t *testing.T) {
	f := newFake(1 << 20)
	d := f.device(t, 0)
	f.fail["malloc"] = driver.CodeIllegalAddress
	_, err := d.Alloc(10)
	if !errors.Is(err, ErrFault) || !strings.HasPrefix(err.Error(), "rocm: hipMalloc: hipError700 (700): the driver's words for 700; a kernel touched memory") {
		t.Errorf("error %v", err)
	}
	if _, err := d.Alloc(-1); !errors.Is(err, ErrInvalid) {
		t.Errorf("Alloc(-1): %v", err)
	}
}

func TestMemoryInfoString(t *testing.T) {
	for want, m := range map[string]MemoryInfo{
		"1.5 MiB in use by 12 buffers (at most 3 MiB so far), 2 MiB reserved, 15 GiB of 16 GiB free": {
			InUse: 3 << 19, Reserved: 2 << 20, Peak: 3 << 20, Free: 15 << 30, Total: 16 << 30, Buffers: 12},
		"512 B in use, 1 KiB reserved":                             {InUse: 512, Reserved: 1 << 10},
		"512 B in use, 1 KiB reserved, 2 MiB of the host's pinned": {InUse: 512, Reserved: 1 << 10, Pinned: 2 << 20},
	} {
		if got := m.String(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
