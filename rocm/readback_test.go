package rocm

import (
	"errors"
	"slices"
	"testing"

	"github.com/gorocm/gorocm/rocm/internal/driver"
)

func TestReadbackEmulated(t *testing.T) { testReadback(t, ownEmulator(t)) }

func TestReadbackCUDA(t *testing.T) {
	d, err := Open("cuda:0")
	if err != nil {
		t.Skip(err)
	}
	testReadback(t, d)
}

// testReadback: bytes are those of Start, whatever the buffer has later; what cannot be read says so.
func testReadback(t *testing.T, d *Device) {
	b := alloc(t, d, 64)
	r, err := NewReadback(d, 4)
	if err != nil {
		t.Fatal(err)
	}
	upload := func(bytes ...byte) {
		t.Helper()
		if err := b.Upload(8, bytes); err != nil {
			t.Fatal(err)
		}
	}
	for turn := range byte(3) {
		upload(1, 2, 3, turn)
		if err := r.Start(b, 8); err != nil {
			t.Fatal(err)
		}
		upload(9, 9, 9, 9)
		if got, err := r.Wait(); err != nil || !slices.Equal(got, []byte{1, 2, 3, turn}) {
			t.Errorf("turn %d: read %v, %v", turn, got, err)
		}
	}
	for _, off := range []int{-1, 61} {
		if err := r.Start(b, off); !errors.Is(err, ErrInvalid) {
			t.Errorf("bytes from %d on: %v", off, err)
		}
	}
	if _, err := NewReadback(d, 0); !errors.Is(err, ErrInvalid) {
		t.Errorf("no bytes: %v", err)
	}
	b.Free()
	if err := r.Start(b, 0); !errors.Is(err, ErrInvalid) {
		t.Errorf("a freed buffer: %v", err)
	}
}

// TestReadbackCalls: the transfer waits for nothing, and only its own event is waited for. Each call may fail.
func TestReadbackCalls(t *testing.T) {
	f := newFake(1 << 20)
	d := f.device(t, 0)
	locking(f, d.drv)
	b := alloc(t, d, 16)
	r, err := NewReadback(d, 8)
	if err != nil {
		t.Fatal(err)
	}
	f.take()
	if err := r.Start(b, 8); err != nil {
		t.Fatal(err)
	}
	started := f.take()
	if _, err := r.Wait(); err != nil {
		t.Fatal(err)
	}
	waited := f.take()
	if len(started) != 2 || started[0] != "download 8" || len(waited) != 1 || slices.Contains(started, waited[0]) {
		t.Errorf("calls %q, then %q", started, waited)
	}
	for call, do := range map[string]func() error{
		"hostAlloc":   func() error { _, err := NewReadback(d, 8); return err },
		"eventCreate": func() error { _, err := NewReadback(d, 8); return err },
		"download":    func() error { return r.Start(b, 0) },
		"eventRecord": func() error { return r.Start(b, 0) },
		"eventWait":   func() error { _, err := r.Wait(); return err },
	} {
		f.fail[call] = driver.CodeInvalidValue
		if err := do(); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: %v", call, err)
		}
		delete(f.fail, call)
	}
	if other := f.device(t, 1); !errors.Is(r.Start(alloc(t, other, 16), 0), ErrInvalid) {
		t.Error("the buffer of another device was read")
	}
}
