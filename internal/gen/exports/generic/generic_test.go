package generic_test

import (
	"bytes"
	"crypto/hkdf"
	"crypto/pbkdf2"
	"crypto/sha1"
	"crypto/sha256"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"hash/maphash"
	"io/fs"
	"iter"
	"reflect"
	"runtime"
	"slices"
	"testing"
	"time"

	ourhkdf "github.com/gorocm/gorocm/internal/gen/exports/generic/crypto/hkdf"
	ourpbkdf2 "github.com/gorocm/gorocm/internal/gen/exports/generic/crypto/pbkdf2"
	oursql "github.com/gorocm/gorocm/internal/gen/exports/generic/database/sql"
	ourerrors "github.com/gorocm/gorocm/internal/gen/exports/generic/errors"
	ourmaphash "github.com/gorocm/gorocm/internal/gen/exports/generic/hash/maphash"
	ouriter "github.com/gorocm/gorocm/internal/gen/exports/generic/iter"
	ourreflect "github.com/gorocm/gorocm/internal/gen/exports/generic/reflect"
	ourruntime "github.com/gorocm/gorocm/internal/gen/exports/generic/runtime"
	oursync "github.com/gorocm/gorocm/internal/gen/exports/generic/sync"
	"github.com/gorocm/gorocm/internal/gen/exports/generic/sync/atomic"
	"github.com/gorocm/gorocm/internal/gen/exports/generic/unique"
	"github.com/gorocm/gorocm/internal/gen/exports/generic/weak"
)

// The functions here do what those of the standard library do; repl/testdata/script/stdlib.txtar runs them in cells.

func TestKeys(t *testing.T) {
	for _, n := range []int{1, 19, 20, 21, 100} {
		want, err := pbkdf2.Key(sha1.New, "password", []byte("salt"), 3, n)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := ourpbkdf2.Key(sha1.New, "password", []byte("salt"), 3, n); err != nil ||
			!bytes.Equal(got, want) {
			t.Errorf("pbkdf2, %d bytes: %x, %v, want %x", n, got, err, want)
		}
		for _, salt := range [][]byte{nil, {}, []byte("salt")} {
			want, err := hkdf.Key(sha256.New, []byte("secret"), salt, "info", n)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := ourhkdf.Key(sha256.New, []byte("secret"), salt, "info", n); err != nil ||
				!bytes.Equal(got, want) {
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

// TestPullInside: a sequence that calls next or stop itself.
func TestPullInside(t *testing.T) {
	log := func(pull func(func(func(int) bool)) (func() (int, bool), func())) (log []string) {
		try := func(f func()) {
			defer func() { log = append(log, fmt.Sprint(recover())) }()
			f()
		}
		var next func() (int, bool)
		var stop func()
		next, stop = pull(func(yield func(int) bool) {
			try(func() { next() })
			log = append(log, fmt.Sprint(yield(1), yield(2)))
		})
		v, ok := next()
		log = append(log, fmt.Sprint(v, ok))
		stop()
		return log
	}
	want := log(func(seq func(func(int) bool)) (func() (int, bool), func()) { return iter.Pull(iter.Seq[int](seq)) })
	got := log(func(seq func(func(int) bool)) (func() (int, bool), func()) {
		return ouriter.Pull(ouriter.Seq[int](seq))
	})
	if !slices.Equal(got, want) {
		t.Errorf(" got %q\nwant %q", got, want)
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
	if got, ok := ourerrors.AsType[*fs.PathError](errors.Join(fs.ErrExist, fmt.Errorf("outer: %w", cause))); !ok ||
		got != cause {
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
	if p.Load() != nil || p.CompareAndSwap(a, b) || !p.CompareAndSwap(nil, a) || p.Load() != a || p.Swap(b) != a ||
		p.Load() != b {
		t.Error("not an atomic.Pointer")
	}
	p.Store(nil)
	if p.Load() != nil {
		t.Error("nil is not stored")
	}
}

func TestHandle(t *testing.T) {
	type pair struct{ a, b string }
	h := unique.Make(pair{"a", "b"})
	if h != unique.Make(pair{"a", "b"}) || h == unique.Make(pair{}) || h.Value() != (pair{"a", "b"}) {
		t.Error("not a unique.Handle")
	}
}

func TestWeak(t *testing.T) {
	type big struct{ p *int }
	p := &big{new(int)}
	w := weak.Make(p)
	if w.Value() != p || w != weak.Make(p) || w == (weak.Pointer[big]{}) || weak.Make[big](nil).Value() != nil {
		t.Error("not a weak.Pointer")
	}
	gone := make(chan bool, 1)
	ourruntime.AddCleanup(p, func(c chan bool) { c <- true }, gone)
	runtime.KeepAlive(p)
	p = nil
	for range 6000 {
		runtime.GC()
		select {
		case <-gone:
			if w.Value() != nil {
				t.Error("cleaned up and still there")
			}
			return
		case <-time.After(10 * time.Millisecond):
		}
	}
	t.Error("no cleanup")
}

func TestNull(t *testing.T) {
	for _, v := range []any{nil, int64(7), "8", "x", 2.5} {
		var want sql.Null[int]
		var got oursql.Null[int]
		wantErr, gotErr := want.Scan(v), got.Scan(v)
		if fmt.Sprint(got, gotErr) != fmt.Sprint(want, wantErr) {
			t.Errorf("Scan(%v): %v, %v, want %v, %v", v, got, gotErr, want, wantErr)
		}
		wantValue, wantErr := want.Value()
		gotValue, gotErr := got.Value()
		if gotValue != wantValue || fmt.Sprint(gotErr) != fmt.Sprint(wantErr) {
			t.Errorf("Value: %v, %v, want %v, %v", gotValue, gotErr, wantValue, wantErr)
		}
	}
	var none *valuer
	if v, err := (oursql.Null[*valuer]{V: none, Valid: true}).Value(); v != nil || err != nil {
		t.Error(v, err)
	}
}

// valuer has a method that a nil pointer cannot be asked for.
type valuer struct{}

// Value implements driver.Valuer.
func (valuer) Value() (driver.Value, error) { return "v", nil }

func TestComparable(t *testing.T) {
	seed := maphash.MakeSeed()
	if ourmaphash.Comparable(seed, 1) != maphash.Comparable(seed, 1) {
		t.Error("another hash")
	}
	var a, b maphash.Hash
	b.SetSeed(a.Seed())
	ourmaphash.WriteComparable(&a, "x")
	maphash.WriteComparable(&b, "x")
	if a.Sum64() != b.Sum64() {
		t.Error("another hash of what was written")
	}
}

func TestReflect(t *testing.T) {
	if got := ourreflect.TypeFor[error](); got != reflect.TypeFor[error]() {
		t.Error(got)
	}
	if v, ok := ourreflect.TypeAssert[error](reflect.ValueOf(fs.ErrExist)); !ok || v != fs.ErrExist {
		t.Error(v, ok)
	}
	if v, ok := ourreflect.TypeAssert[int8](reflect.ValueOf(1)); ok {
		t.Error(v)
	}
	for _, v := range []reflect.Value{{}, reflect.ValueOf(struct{ x int }{1}).Field(0)} {
		said := func(f func()) (r any) {
			defer func() { r = fmt.Sprint(recover()) }()
			f()
			return nil
		}
		want := said(func() { reflect.TypeAssert[int](v) })
		if got := said(func() { ourreflect.TypeAssert[int](v) }); got != want {
			t.Errorf("%v, want %v", got, want)
		}
	}
}
