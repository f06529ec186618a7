package generic_test

import (
	"bytes"
	"crypto/hkdf"
	"crypto/pbkdf2"
	"crypto/sha1"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"slices"
	"testing"

	ourhkdf "github.com/gorocm/gorocm/internal/gen/exports/generic/crypto/hkdf"
	ourpbkdf2 "github.com/gorocm/gorocm/internal/gen/exports/generic/crypto/pbkdf2"
	ourerrors "github.com/gorocm/gorocm/internal/gen/exports/generic/errors"
	ouriter "github.com/gorocm/gorocm/internal/gen/exports/generic/iter"
	oursync "github.com/gorocm/gorocm/internal/gen/exports/generic/sync"
	"github.com/gorocm/gorocm/internal/gen/exports/generic/sync/atomic"
)

// The functions here do what those of the standard library do; repl/testdata/script/stdlib.txtar runs them in cells.

func TestKeys(t *testing.T) {
	for _, n := range []int{1, 19, 20, 21, 100} {
		want, err := pbkdf2.Key(sha1.New, "password", []byte("salt"), 3, n)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := ourpbkdf2.Key(sha1.New, "password", []byte("salt"), 3, n); err != nil || !bytes.Equal(got, want) {
			t.Errorf("pbkdf2, %d bytes: %x, %v, want %x", n, got, err, want)
		}
		for _, salt := range [][]byte{nil, {}, []byte("salt")} {
			want, err := hkdf.Key(sha256.New, []byte("secret"), salt, "info", n)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := ourhkdf.Key(sha256.New, []byte("secret"), salt, "info", n); err != nil || !bytes.Equal(got, want) {
				t.Errorf("hkdf, %d bytes: %x, %v, want %x", n, got, err, want)
			}
		}
	}
	if _, err := ourhkdf.Key(sha256.New, nil, nil, "", 255*sha256.Size+1); err == nil {
		t.Error("hkdf gives a key that is too long")
	}
	if _, err := ourpbkdf2.Key(sha256.New, "", nil, 1, 0); err == nil {
		t.Error("pbkdf2 gives a key of no length")
	}
}

// pulled tells what happens when a sequence is pulled n times and stopped.
func pulled(pull func(func(func(int) bool)) (func() (int, bool), func()), n int, fail bool) (log []string) {
	note := func(format string, args ...any) { log = append(log, fmt.Sprintf(format, args...)) }
	next, stop := pull(func(yield func(int) bool) {
		defer note("ended")
		for i := range 3 {
			if !yield(i) {
				note("stopped at %d", i)
				break
			}
		}
		if fail {
			panic("failed")
		}
	})
	try := func(f func()) {
		defer func() {
			if r := recover(); r != nil {
				note("panic %v", r)
			}
		}()
		f()
	}
	for range n {
		try(func() {
			v, ok := next()
			note("%d %v", v, ok)
		})
	}
	try(stop)
	try(stop)
	try(func() {
		v, ok := next()
		note("%d %v", v, ok)
	})
	return log
}

func TestPull(t *testing.T) {
	theirs := func(seq func(func(int) bool)) (func() (int, bool), func()) { return iter.Pull(iter.Seq[int](seq)) }
	ours := func(seq func(func(int) bool)) (func() (int, bool), func()) {
		return ouriter.Pull(ouriter.Seq[int](seq))
	}
	for n := range 6 {
		for _, fail := range []bool{false, true} {
			if got, want := pulled(ours, n, fail), pulled(theirs, n, fail); !slices.Equal(got, want) {
				t.Errorf("%d pulls, failing %v:\n got %q\nwant %q", n, fail, got, want)
			}
		}
	}
}

func TestOnce(t *testing.T) {
	n := 0
	once := oursync.OnceValues(func() (int, error) { n++; return n, fs.ErrExist })
	for range 2 {
		if v, err := once(); v != 1 || err != fs.ErrExist {
			t.Error(v, err)
		}
	}
	failing := oursync.OnceValue(func() int { n++; panic(n) })
	for range 2 {
		func() {
			defer func() {
				if r := recover(); r != 2 {
					t.Error(r)
				}
			}()
			failing()
		}()
	}
}

func TestAsType(t *testing.T) {
	cause := &fs.PathError{Op: "open", Path: "x", Err: fs.ErrNotExist}
	if got, ok := ourerrors.AsType[*fs.PathError](errors.Join(fs.ErrExist, fmt.Errorf("outer: %w", cause))); !ok || got != cause {
		t.Error(got, ok)
	}
	if got, ok := ourerrors.AsType[*fs.PathError](fs.ErrExist); ok || got != nil {
		t.Error(got, ok)
	}
	if _, ok := ourerrors.AsType[error](nil); ok {
		t.Error("nil is an error")
	}
}

func TestPointer(t *testing.T) {
	var p atomic.Pointer[int]
	a, b := new(int), new(int)
	if p.Load() != nil || p.CompareAndSwap(a, b) || !p.CompareAndSwap(nil, a) || p.Load() != a || p.Swap(b) != a || p.Load() != b {
		t.Error("not an atomic.Pointer")
	}
	p.Store(nil)
	if p.Load() != nil {
		t.Error("nil is not stored")
	}
}
