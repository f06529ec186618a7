package rocm

import (
	"bytes"
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// locking gives a fake driver pinned memory, events, and the locking of memory that is there.
func locking(f *fake, drv *driver.Table) *pinning {
	pin := new(pinning)
	pin.add(f, drv)
	drv.HostRegister = func(_ unsafe.Pointer, n uintptr, flags uint32) driver.Code {
		return f.call("hostRegister", "%d %d", n, flags)
	}
	drv.HostUnregister = func(uintptr) driver.Code { return f.call("hostUnregister", "") }
	return pin
}

// TestPin: what lies in pinned memory goes over the bus as it is, what does not, and what only begins or ends there, goes in chunks.
func TestPin(t *testing.T) {
	f := newFake(64 << 20)
	d := f.device(t, 0)
	locking(f, d.drv)
	b := alloc(t, d, 8<<20)
	memory := numbered(8 << 20)
	middle := memory[1<<20 : 5<<20]
	p, err := d.Pin(middle)
	if err != nil {
		t.Fatal(err)
	}
	if calls := f.take(); !slices.Contains(calls, "hostRegister 4194304 1") || d.Memory().Pinned != 4<<20 || !strings.Contains(d.Memory().String(), "4 MiB of the host's pinned") {
		t.Errorf("calls %q, memory %v", calls, d.Memory())
	}
	for name, c := range map[string]struct {
		part   []byte
		direct bool
	}{
		"all":        {middle, true},
		"a part":     {memory[2<<20 : 3<<20+17], true},
		"before":     {memory[:1<<20], false},
		"after":      {memory[5<<20:], false},
		"begins":     {memory[4<<20 : 6<<20], false},
		"ends":       {memory[1<<19 : 2<<20], false},
		"around":     {memory, false},
		"elsewhere":  {numbered(1 << 20), false},
		"few, whole": {memory[2<<20:][:100], false}, // goes through the ring
	} {
		want := slices.Clone(c.part)
		f.take()
		err := b.Upload(0, c.part)
		direct := slices.Equal(f.take(), []string{"upload " + strconv.Itoa(len(c.part)), "streamWait 77"})
		if err != nil || direct != c.direct {
			t.Errorf("%s: uploaded as it is: %v (%v)", name, direct, err)
		}
		clear(c.part)
		err = b.Download(c.part, 0)
		direct = slices.Equal(f.take(), []string{"download " + strconv.Itoa(len(c.part)), "streamWait 77"})
		if err != nil || direct != (c.direct || len(c.part) <= maxStaged) || !bytes.Equal(c.part, want) {
			t.Errorf("%s: downloaded as it is: %v (%v)", name, direct, err)
		}
	}
	for range 2 {
		if err := p.Unpin(); err != nil {
			t.Error(err)
		}
	}
	if calls := f.take(); len(slices.DeleteFunc(calls, func(s string) bool { return s != "hostUnregister" })) != 1 || d.Memory().Pinned != 0 {
		t.Errorf("calls %q, memory %v", calls, d.Memory())
	}
	if err := b.Upload(0, middle); err != nil || slices.Contains(f.take(), "upload 4194304") {
		t.Errorf("what was unpinned was uploaded as it is (%v)", err)
	}
}

// TestUploadPinned: the upload is on its way on return, and Wait and Unpin wait for it.
func TestUploadPinned(t *testing.T) {
	f := newFake(64 << 20)
	d := f.device(t, 0)
	pin := locking(f, d.drv)
	b := alloc(t, d, 8<<20)
	memory := numbered(1 << 20)
	p, err := d.Pin(memory)
	if err != nil {
		t.Fatal(err)
	}
	f.take()
	send := func() error { return b.UploadPinned(5, memory[:1000], p) }
	if err := errors.Join(send(), send()); err != nil {
		t.Fatal(err)
	}
	if calls, want := f.take(), []string{"eventCreate 2", "upload 1000", "eventRecord 1 77", "upload 1000", "eventRecord 1 77"}; !slices.Equal(calls, want) {
		t.Errorf("calls %q, want %q", calls, want)
	}
	if err := p.Wait(); err != nil || !slices.Equal(f.take(), []string{"eventWait 1"}) {
		t.Errorf("waiting for it: %v", err)
	}
	got := make([]byte, 1000)
	if err := b.Download(got, 5); err != nil || !bytes.Equal(got, memory[:1000]) {
		t.Errorf("the bytes are not those (%v)", err)
	}
	// What is not known to be done is waited for.
	f.take()
	f.fail["eventRecord"] = driver.CodeIllegalAddress
	if err := send(); !errors.Is(err, ErrFault) || !slices.Contains(f.take(), "streamWait 77") {
		t.Errorf("without an event: %v", err)
	}
	delete(f.fail, "eventRecord")
	// Memory of nobody's goes as ever.
	if err := b.UploadPinned(0, numbered(1000), p); err != nil || slices.Contains(f.take(), "eventRecord 1 77") {
		t.Errorf("from elsewhere: %v", err)
	}
	d.Trim()
	f.take()
	if err := p.Unpin(); err != nil || !slices.Equal(f.take(), []string{"eventWait 1", "eventDestroy", "hostUnregister"}) {
		t.Errorf("unpinned: %v", err)
	}
	if left := pin.left(); left != "0 pieces of memory, 0 events" {
		t.Error(left)
	}
	if err := send(); !errors.Is(err, ErrInvalid) {
		t.Errorf("after Unpin: %v", err)
	}
}

// TestPinFails: what the driver does not lock is not pinned memory.
func TestPinFails(t *testing.T) {
	f := newFake(64 << 20)
	d := f.device(t, 0)
	memory := numbered(1 << 20)
	if _, err := d.Pin(memory); !errors.Is(err, ErrUnsupported) {
		t.Errorf("without the call: %v", err)
	}
	locking(f, d.drv)
	f.fail["hostRegister"] = driver.CodeOutOfMemory
	if _, err := d.Pin(memory); !errors.Is(err, ErrOutOfMemory) || d.Memory().Pinned != 0 {
		t.Errorf("refused: %v, %d bytes pinned", err, d.Memory().Pinned)
	}
	delete(f.fail, "hostRegister")
	if _, err := d.Pin(nil); !errors.Is(err, ErrInvalid) {
		t.Errorf("nothing: %v", err)
	}
}
