package native

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"runtime/pprof"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/repl/golang/native/enter"
)

// countedMaps are operations on maps by package reflect, and how often they were needed.
type countedMaps struct {
	gets, sets, nexts int
	others            int32
}

func (c *countedMaps) of(t reflect.Type) *Maps {
	mapAt := func(m unsafe.Pointer) reflect.Value { return reflect.NewAt(t, unsafe.Pointer(&m)).Elem() }
	key := func(k unsafe.Pointer) reflect.Value { return reflect.NewAt(t.Key(), k).Elem() }
	iter, _ := reflect.TypeFor[reflect.MapIter]().FieldByName("hiter")
	next := func(loop unsafe.Pointer) (k, e unsafe.Pointer) {
		c.nexts++
		it := (*reflect.MapIter)(loop)
		if at := unsafe.Add(loop, iter.Offset); *(*int)(unsafe.Add(at, enter.IterIndexAt)) >= 0 {
			*(*unsafe.Pointer)(unsafe.Add(at, enter.IterGroupAt)) = nil
		}
		if !it.Next() {
			return nil, nil
		}
		pk, pe := reflect.New(t.Key()), reflect.New(t.Elem())
		pk.Elem().SetIterKey(it)
		pe.Elem().SetIterValue(it)
		return pk.UnsafePointer(), pe.UnsafePointer()
	}
	return &Maps{
		Get: func(m, k, elem unsafe.Pointer) bool {
			c.gets++
			v, to := mapAt(m).MapIndex(key(k)), reflect.NewAt(t.Elem(), elem).Elem()
			to.SetZero()
			if v.IsValid() {
				to.Set(v)
			}
			return v.IsValid()
		},
		Set: func(m, k, elem unsafe.Pointer) {
			c.sets++
			mapAt(m).SetMapIndex(key(k), reflect.NewAt(t.Elem(), elem).Elem())
		},
		Delete: func(m, k unsafe.Pointer) { mapAt(m).SetMapIndex(key(k), reflect.Value{}) },
		Clear:  func(m unsafe.Pointer) { mapAt(m).Clear() },
		Begin:  func(m unsafe.Pointer) unsafe.Pointer { return unsafe.Pointer(mapAt(m).MapRange()) },
		Next:   next,
		TryNext: func(unsafe.Pointer) (k, e unsafe.Pointer, done bool) {
			return nil, nil, false
		},
		IterAt: int(iter.Offset),
		Others: &c.others,
	}
}

const mapSource = `
func get(m map[K]E, k K) (E, bool) { v, ok := m[k]; return v, ok }
func plainGet(m map[K]E, k K) E { return m[k] }
func put(m map[K]E, k K, v E) { m[k] = v }
func inc(m map[K]E, k K) { m[k]++ }
func drop(m map[K]E, k K) { delete(m, k) }
func sum(m map[K]E) E { var n E; for _, v := range m { n += v }; return n }
func keep(m map[K]E, ks []K, x, y, z float64, a, b, c E) (float64, E) {
	for i := 0; i < len(ks); i++ { x, y, z = y, z, x+y; a, b, c = b, c, a+m[ks[i]] }
	return x*y + z, a ^ b ^ c
}
`

// mapTest compares operations on maps of a type with those of package reflect.
type mapTest struct {
	*testing.T
	fn   map[string]Outcome
	maps *countedMaps
	r    *rand.Rand
}

func (t *mapTest) run(name string, args, results []reflect.Value) {
	var in, out []unsafe.Pointer
	for _, v := range args {
		p := reflect.New(v.Type())
		p.Elem().Set(v)
		in = append(in, p.UnsafePointer())
	}
	for _, v := range results {
		out = append(out, v.Addr().UnsafePointer())
	}
	t.fn[name].Proc.Code().Run(testHost(), 0, in, out)
}

// operations does random ones on a map with keys of a list. found says that entries are found without Go code.
func (t *mapTest) operations(typ reflect.Type, keys []reflect.Value, found bool) {
	m, ref := reflect.MakeMap(typ), reflect.MakeMap(typ)
	elem := func() reflect.Value { return reflect.New(typ.Elem()).Elem() }
	inserted := 0
	*t.maps = countedMaps{}
	for range 6 * len(keys) {
		k := keys[t.r.IntN(len(keys))]
		want := ref.MapIndex(k)
		has := want.IsValid()
		if !has {
			want = elem()
		}
		switch t.r.IntN(6) {
		case 0, 1:
			v, ok := elem(), reflect.New(boolType).Elem()
			t.run("get", []reflect.Value{m, k}, []reflect.Value{v, ok})
			if v.Int() != want.Int() || ok.Bool() != has {
				t.Fatalf("%s: m[%v] is %v, %v, not %v, %v", typ, k, v, ok, want, has)
			}
		case 2:
			v := elem()
			t.run("plainGet", []reflect.Value{m, k}, []reflect.Value{v})
			if v.Int() != want.Int() {
				t.Fatalf("%s: m[%v] is %v, not %v", typ, k, v, want)
			}
		case 3:
			v := elem()
			v.SetInt(t.r.Int64())
			t.run("put", []reflect.Value{m, k, v}, nil)
			ref.SetMapIndex(k, v)
		case 4:
			v := elem()
			v.SetInt(want.Int() + 1)
			t.run("inc", []reflect.Value{m, k}, nil)
			ref.SetMapIndex(k, v)
		case 5:
			if t.r.IntN(3) == 0 {
				t.run("drop", []reflect.Value{m, k}, nil)
				ref.SetMapIndex(k, reflect.Value{})
			}
		}
		if ref.MapIndex(k).IsValid() && !has {
			inserted++
		}
	}
	if n := t.maps.gets; found && n != 0 || !found && n == 0 {
		t.Errorf("%s: Go code looked up %d elements", typ, n)
	}
	if text := typ.Key().Kind() == reflect.String; found && text && t.maps.sets != inserted {
		t.Errorf("%s: Go code set %d elements, of which %d are new", typ, t.maps.sets, inserted)
	} else if n := t.maps.sets; found && !text && (n > inserted || n > 10+inserted*3/5) {
		t.Errorf("%s: Go code set %d elements of %d that are new", typ, n, inserted)
	}
	for k, v := range ref.Seq2() {
		if e := m.MapIndex(k); !e.IsValid() || e.Int() != v.Int() {
			t.Errorf("%s: m[%v] is %v in the end, not %v", typ, k, e, v)
		}
	}
	total, want := elem(), int64(0)
	t.run("sum", []reflect.Value{m}, []reflect.Value{total})
	for _, v := range ref.Seq2() {
		want += v.Int()
	}
	if total.SetInt(total.Int()); total.Int() != reflect.ValueOf(want).Convert(typ.Elem()).Int() || m.Len() != ref.Len() {
		t.Errorf("%s: the sum is %d, not %d, of %d elements, not %d", typ, total.Int(), want, m.Len(), ref.Len())
	}
	t.registers(typ, m, keys)
}

// registers looks whether values live on in registers while elements are found.
func (t *mapTest) registers(typ reflect.Type, m reflect.Value, keys []reflect.Value) {
	list := reflect.Append(reflect.New(reflect.SliceOf(typ.Key())).Elem(), keys...)
	a, b, c := reflect.New(typ.Elem()).Elem(), reflect.New(typ.Elem()).Elem(), reflect.New(typ.Elem()).Elem()
	args := []reflect.Value{m, list, reflect.ValueOf(1.5), reflect.ValueOf(2.25), reflect.ValueOf(-1.125), a, b, c}
	x, n := reflect.New(reflect.TypeFor[float64]()).Elem(), reflect.New(typ.Elem()).Elem()
	t.run("keep", args, []reflect.Value{x, n})
	fx, fy, fz := 1.5, 2.25, -1.125
	va, vb, vc := int64(0), int64(0), int64(0)
	for _, k := range keys {
		e := reflect.New(typ.Elem()).Elem()
		if v := m.MapIndex(k); v.IsValid() {
			e.Set(v)
		}
		fx, fy, fz = fy, fz, fx+fy
		va, vb, vc = vb, vc, va+e.Int()
	}
	n2 := reflect.ValueOf(va ^ vb ^ vc).Convert(typ.Elem())
	if want := fx*fy + fz; x.Float() != want && !(math.IsNaN(want) && math.IsNaN(x.Float())) || n.Int() != n2.Int() {
		t.Errorf("%s: values are lost: %v, %v, not %v, %v", typ, x, n, want, n2)
	}
}

// TestMaps compares maps whose entries generated code finds with those of the runtime.
func TestMaps(t *testing.T) {
	thorough.Slow(t)
	kinds := []struct {
		key  string
		zero any
		fast bool
	}{{"string", "", true}, {"int", 0, true}, {"int8", int8(0), true}, {"uint16", uint16(0), true},
		{"int32", int32(0), true}, {"uint64", uint64(0), true}, {"bool", false, true},
		{"struct{ A, B int }", struct{ XA, XB int }{}, true},
		{"struct{ A int8; B bool; C int16; D int32 }", struct {
			XA int8
			XB bool
			XC int16
			XD int32
		}{}, true}, {"[3]int32", [3]int32{}, true}, {"[5]int", [5]int{}, true}, {"[8]uint8", [8]uint8{}, true},
		{"struct{ A int; B uint8 }", struct {
			XA int
			XB uint8
		}{}, false}, {"struct{ A string; B int }", struct {
			XA string
			XB int
		}{}, false}, {"float64", 0.0, false}, {"[2]float32", [2]float32{}, false}}
	for i, k := range kinds {
		for _, e := range thorough.Sample([]any{int(0), int8(0), int32(0)}, 3, i) {
			maps := &countedMaps{}
			src := "type K = " + k.key + "\ntype E = " + reflect.TypeOf(e).String() + mapSource
			packages := randomPackages
			packages.Maps = maps.of
			fn := compilePackaged(t, src, packages)
			for name, o := range fn {
				if o.Reason != nil {
					t.Fatalf("%s of %s: %v", name, k.key, o.Reason)
				}
			}
			m := &mapTest{t, fn, maps, rand.New(rand.NewPCG(1, 2))}
			for _, n := range []int{1, 3, 8, 9, 30, 1000, 5000} {
				keys := make([]reflect.Value, n)
				for i := range keys {
					keys[i] = m.random(reflect.TypeOf(k.zero), n)
				}
				m.operations(reflect.MapOf(reflect.TypeOf(k.zero), reflect.TypeOf(e)), keys, k.fast && runtime.GOOS != "windows")
			}
		}
	}
}

// random is a key, one of some n.
func (t *mapTest) random(typ reflect.Type, n int) reflect.Value {
	v := reflect.New(typ).Elem()
	switch k := typ.Kind(); k {
	case reflect.String:
		i := t.r.IntN(n)
		v.SetString(strings.Repeat("abcdefgh", i%40) + fmt.Sprint(i)[:min(i%5, len(fmt.Sprint(i)))] + fmt.Sprint(i * i)[:i%2])
	case reflect.Bool:
		v.SetBool(t.r.IntN(2) == 0)
	case reflect.Float32, reflect.Float64:
		v.SetFloat([]float64{0, math.Copysign(0, -1), float64(t.r.IntN(n)), 1.5}[t.r.IntN(4)])
	case reflect.Struct:
		for i := range v.NumField() {
			v.Field(i).Set(t.random(v.Field(i).Type(), 1+n/3))
		}
	case reflect.Array:
		for i := range v.Len() {
			v.Index(i).Set(t.random(typ.Elem(), 1+n/8))
		}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(int64(t.r.IntN(n)-n/2) << (8 * t.r.IntN(2)))
	default:
		v.SetUint(uint64(t.r.IntN(n)))
	}
	return v
}

// TestMapsListed has Go code do all operations while they have to be listed, or while another goroutine writes.
func TestMapsListed(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("on Windows Go code does all operations")
	}
	maps := &countedMaps{}
	packages := randomPackages
	packages.Maps = maps.of
	fn := compilePackaged(t, "type K = int\ntype E = int"+mapSource, packages)
	m := &mapTest{t, fn, maps, nil}
	x := map[int]int{1: 2}
	v, ok := reflect.New(reflect.TypeFor[int]()).Elem(), reflect.New(boolType).Elem()
	both := func() {
		m.run("get", []reflect.Value{reflect.ValueOf(x), reflect.ValueOf(1)}, []reflect.Value{v, ok})
		m.run("put", []reflect.Value{reflect.ValueOf(x), reflect.ValueOf(1), reflect.ValueOf(2)}, nil)
	}
	both()
	if maps.gets+maps.sets != 0 {
		t.Fatal("Go code does it alone")
	}
	maps.others = 1
	both()
	if maps.gets != 1 || maps.sets != 1 {
		t.Fatalf("%d reads and %d writes are listed", maps.gets, maps.sets)
	}
	maps.others = 0
	var none map[int]int
	if m.run("get", []reflect.Value{reflect.ValueOf(none), reflect.ValueOf(1)}, []reflect.Value{v, ok}); ok.Bool() {
		t.Error("a nil map has an element")
	}
	got := outcome(func() string {
		m.run("inc", []reflect.Value{reflect.ValueOf(none), reflect.ValueOf(1)}, nil)
		return ""
	})
	if got != "panic: assignment to entry in nil map" {
		t.Error(got)
	}
}

// TestMapsInterrupted finds elements in several goroutines while a profile is taken, whose signals come while the
// runtime's code of hashes runs on the stack of generated code, and while the collector stops them.
func TestMapsInterrupted(t *testing.T) {
	thorough.Slow(t)
	maps := &countedMaps{}
	packages := randomPackages
	packages.Maps = maps.of
	fn := compilePackaged(t, "type K = string\ntype E = int"+mapSource+
		"func repeat(m map[K]E, ks []K, n int) (s int) { for range n { for _, k := range ks { s += m[k] } }; return s }", packages)
	if err := pprof.StartCPUProfile(io.Discard); err != nil {
		t.Skip(err)
	}
	defer pprof.StopCPUProfile()
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			m, keys, want := map[string]int{}, []string{}, 0
			for i := range 40 {
				k := strings.Repeat("key ", i*i*3) + fmt.Sprint(i)
				m[k] = i
				keys = append(keys, k)
				want += i
			}
			x := &mapTest{t, fn, maps, nil}
			for range 10 {
				s := reflect.New(reflect.TypeFor[int]()).Elem()
				x.run("repeat", []reflect.Value{reflect.ValueOf(m), reflect.ValueOf(keys), reflect.ValueOf(200)},
					[]reflect.Value{s})
				if s.Int() != int64(200*want) {
					t.Errorf("the sum is %d, not %d", s.Int(), 200*want)
				}
				runtime.GC()
			}
		})
	}
	wg.Wait()
}
