package native

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"unsafe"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/repl/golang/native/enter"
)

// TestMapLoops goes over a map by machine code and by the runtime with iterators that begin alike, while the map grows,
// shrinks and is cleared: both come to the same entries in the same order. To entries that are added meanwhile, machine
// code comes where it looks at an entry that the runtime knew to be empty one step before.
func TestMapLoops(t *testing.T) {
	thorough.Slow(t)
	looksAt[int, int](t, func(i int) int { return i })
	looksAt[string, int32](t, func(i int) string { return strings.Repeat("k", i%20) + fmt.Sprint(i) })
	looksAt[int16, int8](t, func(i int) int16 { return int16(i) })
	looksAt[uint32, string](t, func(i int) uint32 { return uint32(i) })
	looksAt[float64, bool](t, func(i int) float64 { return float64(i) / 4 })
}

// loopTest is a map, with the runtime's iterator for a loop over it.
type loopTest[K, E comparable] struct {
	*testing.T
	r     *rand.Rand
	key   func(int) K
	m     map[K]E
	most  int
	other reflect.MapIter
	some  bool // there is an entry
	steps int
	added map[K]bool // in this loop
	ended bool       // the runtime's iterator is at the end
	ahead bool       // the runtime's iterator is at the entry that comes next
}

func looksAt[K, E comparable](t *testing.T, key func(int) K) {
	x := &loopTest[K, E]{T: t, r: rand.New(rand.NewPCG(3, 4)), key: key}
	typ := reflect.TypeFor[map[K]E]()
	maps := &countedMaps{}
	packages := randomPackages
	packages.Maps = func(r reflect.Type) *Maps {
		ops := maps.of(r)
		begin := ops.Begin
		ops.Begin = func(m unsafe.Pointer) unsafe.Pointer {
			at := begin(m)
			it := (*reflect.MapIter)(at)
			x.some = it.Next()
			iter := unsafe.Add(at, ops.IterAt) // back to the beginning
			*(*int)(unsafe.Add(iter, enter.IterEntryAt)) = 0
			if *(*int)(unsafe.Add(iter, enter.IterIndexAt)) >= 0 {
				*(*unsafe.Pointer)(unsafe.Add(iter, enter.IterGroupAt)) = nil
			}
			x.other = *it
			return at
		}
		return ops
	}
	name := func(t reflect.Type) string { return strings.ReplaceAll(t.String(), "main.", "") }
	src := fmt.Sprintf("func each(m map[%s]%s, f func(%[1]s, %s)) { for k, v := range m { f(k, v) } }\n"+
		"func count(m map[%[1]s]%[2]s) (n int) { for range m { n++ }; return n }\n"+
		"func keys(m map[%[1]s]%[2]s, f func(%[1]s)) { for k := range m { f(k) } }", name(typ.Key()), name(typ.Elem()),
		name(typ.Elem()))
	fn := compilePackaged(t, src, packages)
	for _, n := range []int{0, 1, 3, 7, 8, 9, 20, 100, 900, 4000} {
		for round := range 12 {
			x.fill(n, round)
			*maps = countedMaps{}
			if got := as[func(map[K]E) int](t, fn, "count")(x.m); got != len(x.m) {
				t.Fatalf("%s: %d entries, not %d", typ, got, len(x.m))
			}
			if most := 2 + len(x.m)/100; maps.nexts > most {
				t.Errorf("%s: Go code goes on %d times for %d entries", typ, maps.nexts, len(x.m))
			}
			x.steps, x.added, x.ahead, x.ended = 0, map[K]bool{}, false, false
			if round%2 == 0 {
				as[func(map[K]E, func(K, E))](t, fn, "each")(x.m, func(k K, e E) { x.step(k, e, round) })
			} else {
				as[func(map[K]E, func(K))](t, fn, "keys")(x.m, func(k K) { x.step(k, x.m[k], round) })
			}
			if x.advance(); !x.ended && !x.added[x.other.Key().Interface().(K)] {
				t.Fatalf("%s: the loop ends before %v", typ, x.other.Key())
			}
		}
	}
}

// fill makes a map of about n entries, some of which come where others were deleted.
func (x *loopTest[K, E]) fill(n, round int) {
	x.most = 2*n + 10
	x.m = map[K]E{}
	if round == 1 {
		x.m = make(map[K]E, 4*n)
	}
	for range n {
		x.set()
		if round%3 == 2 {
			delete(x.m, x.key(x.r.IntN(x.most)))
		}
	}
}

func (x *loopTest[K, E]) set() {
	var e E
	v := reflect.ValueOf(&e).Elem()
	switch v.Kind() {
	case reflect.String:
		v.SetString(fmt.Sprint(x.r.IntN(100)))
	case reflect.Bool:
		v.SetBool(x.r.IntN(2) == 0)
	default:
		v.SetInt(int64(x.r.IntN(100)))
	}
	k := x.key(x.r.IntN(x.most))
	if _, had := x.m[k]; !had && x.added != nil {
		x.added[k] = true
	}
	x.m[k] = e
}

// advance has the runtime's iterator go on, unless it is ahead at an entry that is still there.
func (x *loopTest[K, E]) advance() {
	if x.ended {
		return
	}
	if x.ahead {
		k, _ := x.other.Key().Interface().(K)
		if _, ok := x.m[k]; ok {
			return
		}
	}
	x.ended = !x.some || !x.other.Next()
}

// step is an entry of the loop.
func (x *loopTest[K, E]) step(k K, e E, round int) {
	x.steps++
	x.advance()
	if x.ahead = x.added[k] && (x.ended || x.other.Key().Interface() != any(k)); !x.ahead {
		if x.ended {
			x.Fatalf("%T: the loop comes to %v, the runtime's has ended", x.m, k)
		}
		if want := x.other.Key().Interface(); want != any(k) || any(x.m[k]) != any(e) {
			x.Fatalf("%T: step %d comes to %v, %v, not to %v, %v", x.m, x.steps, k, e, want, x.m[k])
		}
	}
	if round < 4 {
		return
	}
	switch x.r.IntN(12) {
	case 0, 1:
		delete(x.m, k)
	case 2, 3, 4:
		delete(x.m, x.key(x.r.IntN(x.most)))
	case 5, 6, 7:
		if round > 5 {
			x.set()
		}
	case 8:
		if x.r.IntN(40) == 0 {
			clear(x.m)
		}
	case 9:
		if round > 8 && x.steps%50 == 3 {
			x.most *= 2
			for range x.most / 2 {
				x.set()
			}
		}
	}
}
