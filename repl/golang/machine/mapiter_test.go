package machine

import (
	"fmt"
	"reflect"
	"testing"
	"unsafe"
)

// TestMapIter: an iterator that has begun comes to all entries, also where several goroutines run, and to none of an
// empty map.
func TestMapIter(t *testing.T) {
	if err := Check(); err != nil {
		t.Fatal(err)
	}
	typ := reflect.TypeFor[map[int]string]()
	for _, several := range []bool{false, true} {
		if several {
			Enter()
			defer Leave()
		}
		for _, n := range []int{0, 1, 8, 9, 100, 5000} {
			m := map[int]string{-1: ""}
			for i := range n {
				m[i] = fmt.Sprint(i)
			}
			delete(m, -1)
			at := *(*unsafe.Pointer)(unsafe.Pointer(&m))
			comesToAll(t, NewMapIter(typ, at), m)
			i, _ := TryMapIter(typ, at)
			comesToAll(t, i, m)
		}
		i, _ := TryMapIter(typ, nil)
		comesToAll(t, i, nil)
	}
}

func comesToAll(t *testing.T, i *MapIter, m map[int]string) {
	t.Helper()
	seen := map[int]bool{}
	for {
		key, elem, done := i.TryNext()
		if !done || key == nil {
			break
		}
		k := *(*int)(key)
		if seen[k] || *(*string)(elem) != fmt.Sprint(k) {
			t.Fatalf("%d entries: key %d has %q", len(m), k, *(*string)(elem))
		}
		seen[k] = true
	}
	if len(seen) != len(m) {
		t.Errorf("it comes to %d of %d entries", len(seen), len(m))
	}
}
