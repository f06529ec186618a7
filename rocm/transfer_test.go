package rocm

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"
	"unsafe"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// pinning gives a fake driver pinned memory and events.
type pinning struct {
	mu     sync.Mutex
	pinned map[unsafe.Pointer][]byte
	events map[uintptr]bool
	next   uintptr
}

func (p *pinning) add(f *fake, drv *driver.Table) {
	p.pinned, p.events = map[unsafe.Pointer][]byte{}, map[uintptr]bool{}
	drv.HostAlloc = func(to *unsafe.Pointer, n uintptr, flags uint32) driver.Code {
		p.mu.Lock()
		defer p.mu.Unlock()
		b := bytes.Repeat([]byte{0xee}, int(n))
		*to = unsafe.Pointer(unsafe.SliceData(b))
		p.pinned[*to] = b
		return f.call("hostAlloc", "%d %d", n, flags)
	}
	drv.HostFree = func(from unsafe.Pointer) driver.Code {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.pinned, from)
		return f.call("hostFree", "")
	}
	drv.EventCreate = func(e *uintptr, flags uint32) driver.Code {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.next++
		*e = p.next
		p.events[*e] = true
		return f.call("eventCreate", "%d", flags)
	}
	drv.EventDestroy = func(e uintptr) driver.Code {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.events, e)
		return f.call("eventDestroy", "")
	}
	drv.EventRecord = func(e, stream uintptr) driver.Code { return f.call("eventRecord", "%d %d", e, stream) }
	drv.EventSynchronize = func(e uintptr) driver.Code { return f.call("eventWait", "%d", e) }
}

// left is what the driver has been asked for and was not given back.
func (p *pinning) left() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return fmt.Sprintf("%d pieces of memory, %d events", len(p.pinned), len(p.events))
}

func numbered(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i*7 + i>>8*3 + i>>16)
	}
	return b
}

// TestLargeTransfers moves slices of many lengths through pinned chunks, by as many goroutines as a large machine has.
func TestLargeTransfers(t *testing.T) {
	thorough.Slow(t)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2 * maxCopiers))
	f, pin := newFake(96<<20), new(pinning)
	d := f.device(t, 0)
	pin.add(f, d.drv)
	b := alloc(t, d, 72<<20)
	for _, n := range []int{maxStaged + 1, minChunk, minChunk + 1, 3*minChunk - 5, 4<<20 + 3, 2*maxCopiers*maxChunk + 1, 33<<20 - 1} {
		f.take()
		want, got := numbered(n), make([]byte, n)
		if err := b.Upload(5, want); err != nil {
			t.Fatal(err)
		}
		if err := b.Download(got, 5); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%d bytes: what came back is not what was sent", n)
		}
		if calls := f.take(); slices.Contains(calls, "streamWait 77") {
			t.Errorf("%d bytes: the stream was waited for", n)
		}
	}
	if made := 2 * maxCopiers; pin.left() != fmt.Sprintf("%d pieces of memory, %d events", made, made+1) {
		t.Errorf("%s, want %d and one more", pin.left(), made)
	}
	d.Trim()
	if pin.left() != "0 pieces of memory, 0 events" {
		t.Errorf("after Trim: %s", pin.left())
	}
	if err := b.Upload(0, numbered(1<<20)); err != nil {
		t.Errorf("after Trim: %v", err)
	}
}

// TestLargeTransfersPieces: uploads begin with small pieces, downloads end with them, and memory is pinned for those that come.
func TestLargeTransfersPieces(t *testing.T) {
	thorough.Slow(t)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2)) // one copier, so that there is an order
	f, pin := newFake(64<<20), new(pinning)
	d := f.device(t, 0)
	pin.add(f, d.drv)
	b := alloc(t, d, 40<<20)
	host := numbered(40 << 20)
	sizes := func(call string) (list []int) {
		for _, c := range f.take() {
			var n int
			if _, err := fmt.Sscanf(c, call+" %d", &n); err == nil {
				list = append(list, n)
			}
		}
		return list
	}
	if err := b.Upload(0, host[:1<<20]); err != nil {
		t.Fatal(err)
	}
	if got := sizes("hostAlloc"); !slices.Equal(got, []int{1 << 20, 1 << 20}) {
		t.Errorf("for 1 MiB, pieces of %v were pinned", got)
	}
	f.take()
	if err := b.Upload(0, host); err != nil {
		t.Fatal(err)
	}
	calls := f.take()
	f.calls = slices.Clone(calls)
	up := sizes("upload")
	if !slices.IsSorted(up[:len(up)-1]) || up[0] != minChunk || up[len(up)-2] != maxChunk {
		t.Errorf("pieces of an upload: %v", up)
	}
	f.calls = calls
	if got := sizes("hostAlloc"); !slices.Equal(got, []int{maxChunk, maxChunk}) {
		t.Errorf("then pieces of %v were pinned", got)
	}
	got := make([]byte, len(host))
	if err := b.Download(got, 0); err != nil || !bytes.Equal(got, host) {
		t.Fatalf("what came back is not what was sent (%v)", err)
	}
	down := sizes("download")
	slices.Reverse(down)
	if !slices.IsSorted(down) || down[len(down)-1] != maxChunk {
		t.Errorf("pieces of a download, from the last: %v", down)
	}
	if pin.left() != "2 pieces of memory, 3 events" {
		t.Error(pin.left())
	}
	// Where no more can be pinned, smaller pieces do.
	d.Trim()
	if err := b.Upload(0, host[:1<<20]); err != nil {
		t.Fatal(err)
	}
	f.take()
	f.fail["hostAlloc"] = driver.CodeOutOfMemory
	clear(got)
	if err := errors.Join(b.Upload(0, host), b.Download(got, 0)); err != nil || !bytes.Equal(got, host) {
		t.Errorf("without more pinned memory: wrong (%v)", err)
	}
	if up := sizes("upload"); slices.Max(up) != 1<<20 {
		t.Errorf("pieces of %v in chunks of 1 MiB", up)
	}
}

// TestLargeTransfersTogether moves slices from several goroutines at a time.
func TestLargeTransfersTogether(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(8))
	f := newFake(64 << 20)
	d := f.device(t, 0)
	new(pinning).add(f, d.drv)
	var all sync.WaitGroup
	for i := range 4 {
		b := alloc(t, d, 3<<20)
		all.Go(func() {
			want, got := numbered(3<<20-i), make([]byte, 3<<20-i)
			if err := errors.Join(b.Upload(i, want), b.Download(got, i)); err != nil || !bytes.Equal(got, want) {
				t.Errorf("transfer %d went wrong (%v)", i, err)
			}
		})
	}
	all.Wait()
}

// TestLargeTransfersFail has every call fail: the error is that call's, and the next transfer is right.
func TestLargeTransfersFail(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(8))
	f, pin := newFake(64<<20), new(pinning)
	d := f.device(t, 0)
	pin.add(f, d.drv)
	b := alloc(t, d, 4<<20)
	want, got := numbered(4<<20), make([]byte, 4<<20)
	both := func() error { return errors.Join(b.Upload(0, want), b.Download(got, 0)) }
	for field, name := range map[string]string{"upload": "hipMemcpyHtoDAsync", "download": "hipMemcpyDtoHAsync", "eventRecord": "hipEventRecord", "eventWait": "hipEventSynchronize"} {
		f.fail[field] = driver.CodeIllegalAddress
		var e *Error
		if err := both(); !errors.As(err, &e) || e.Op != name || !errors.Is(err, ErrFault) {
			t.Errorf("%s: %v", field, err)
		}
		delete(f.fail, field)
		clear(got)
		if err := both(); err != nil || !bytes.Equal(got, want) {
			t.Errorf("after %s: wrong (%v)", field, err)
		}
	}
	// Without pinned memory or events the driver does it, and nothing is left of what there was.
	for _, field := range []string{"hostAlloc", "eventCreate"} {
		d.Trim()
		f.fail[field] = driver.CodeOutOfMemory
		f.take()
		if err := both(); err != nil || !bytes.Equal(got, want) {
			t.Errorf("without %s: wrong (%v)", field, err)
		}
		if calls := f.take(); !slices.Contains(calls, "upload 4194304") || !slices.Contains(calls, "download 4194304") {
			t.Errorf("without %s: calls %q", field, calls)
		}
		delete(f.fail, field)
	}
}
