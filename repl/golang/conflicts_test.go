package golang

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/gorocm/gorocm/internal/thorough"
)

// TestMapConflicts: goroutines of a cell that use a map at the same time, one of them to write, end the cell, at the
// line of one of them, and not the process.
func TestMapConflicts(t *testing.T) {
	thorough.Slow(t)
	const (
		twice  = "concurrent map writes"
		mixed  = "concurrent map read and map write"
		ranged = "concurrent map iteration and map write"
	)
	for _, tt := range []struct {
		name, m, one, other string
		want                []string
	}{
		{"count", "map[int]int{}", "m[1]++", "m[1]++", []string{twice}},
		{"set texts", "map[string]int{}", `m["a"] = 1`, `m["b"] = 2`, []string{twice}},
		{"add", "map[string]float64{}", `m["a"] += 1`, `m["b"] += 2`, []string{twice}},
		{"set small keys", "map[int32]bool{}", "m[1] = true", "m[2] = false", []string{twice}},
		{"set lists", "map[int][]int{}", "m[1] = append(m[1][:0], 2)", "m[2] = []int{1}", []string{twice, mixed}},
		{"set structs", "map[[2]int]struct{ a, b int }{}", "m[[2]int{1}] = struct{ a, b int }{1, 2}",
			"m[[2]int{2}] = struct{ a, b int }{1, 2}", []string{twice}},
		{"set anything", "map[any]any{}", "m[1] = 2", `m["a"] = "b"`, []string{twice}},
		{"set several", "map[byte]string{}", `m[1], m[2] = "a", "b"`, `m[3], m[4] = "c", "d"`, []string{twice}},
		{"set by a call", "map[int]complex128{}", "m[1] = func() complex128 { return 1i }()", "m[2] = 2i",
			[]string{twice}},
		{"read", "map[int]int{1: 1}", "m[1] = 2", "_ = m[1] + 1", []string{mixed}},
		{"read a struct", "map[string]struct{ a, b int }{}", `m["a"] = struct{ a, b int }{1, 2}`, `x := m["a"]; _ = x`,
			[]string{mixed}},
		{"look for", "map[int]int{1: 1}", "m[1] = 2", "if _, ok := m[1]; !ok { panic(1) }", []string{mixed}},
		{"delete", "map[int]int{1: 1}", "m[1] = 2", "delete(m, 2)", []string{twice}},
		{"clear", "map[int]int{}", "m[2] = 2", "clear(m)", []string{twice}},
		{"range", "map[int]int{1: 1, 2: 2}", "m[1] = 2", "for k, v := range m { _, _ = k, v }",
			[]string{ranged, mixed}},
		{"range over keys", "map[string]bool{\"a\": true}", `m["a"] = true`, "for k := range m { _ = k }",
			[]string{ranged, mixed}},
		{"field", "map[int]int{}", "s.m[1]++", "s.m[2]++", []string{twice}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e, _ := newEngine(t)
			runCell(t, e, 1, "var quit atomic.Bool\nm := "+tt.m+"\ns := struct{ m map[int]int }{map[int]int{}}\n_ = s")
			o := runFailing(t, e, 2, "defer quit.Store(true)\nvar wg sync.WaitGroup\nwg.Go(func() { for !quit.Load() {\n"+tt.one+"\n} })\ngo func() { for !quit.Load() {\n"+tt.other+"\n} }()\nselect {}")
			f := o.Failure
			if f.Name != "RuntimeError" || !slices.Contains(tt.want, f.Message) {
				t.Errorf("%s: %s, want one of %q", f.Name, f.Message, tt.want)
			}
			if len(f.Frames) == 0 || f.Frames[0].Cell != "cell[2]" || f.Frames[0].Line != 4 && f.Frames[0].Line != 7 {
				t.Errorf("at %+v", f.Frames)
			}
			if !strings.Contains(strings.Join(f.Notes, "\n"), "sync.Mutex") {
				t.Errorf("notes %q", f.Notes)
			}
			if got := value(t, e, "quit.Load()"); got != "true bool" {
				t.Errorf("afterwards quit is %s", got)
			}
		})
	}
}

// runFailing runs a cell that fails.
func runFailing(t *testing.T, e *Engine, n int, code string) Outcome {
	t.Helper()
	o := e.Eval(t.Context(), n, code)
	if o.Failure == nil {
		t.Fatalf("%s\ndoes not fail", code)
	}
	return o
}

// TestMapWrittenByCompiledCode: a cell that uses a map while the runtime's mark in it says that compiled code writes to
// it fails at its line, in a session of one goroutine, too.
func TestMapWrittenByCompiledCode(t *testing.T) {
	thorough.Slow(t)
	mark := func(m any) {
		*(*uint8)(unsafe.Add(reflect.ValueOf(m).UnsafePointer(), writingAt(t)))++
	}
	for _, code := range []string{"m[1] = 2", "m[1]++", "_ = fmt.Sprint(m[1])", "delete(m, 1)", "clear(m)",
		"for range m { }", "for k := range m { _ = k }", "_, ok := m[1]; _ = ok", "k[\"a\"] = 2",
		"b[1] = true", "b[1], b[2] = true, false", "v[1] = 2", "v[x] = 2", "z[1] = 2i",
		"z[x] = func() complex128 { return 1i }()", "z[1] += 2", "z[x]++"} {
		e, err := New(Options{Symbols: map[string]map[string]reflect.Value{"runtime/runtime": {"KeepAlive": reflect.ValueOf(mark)}}})
		if err != nil {
			t.Fatal(err)
		}
		runCell(t, e, 1, "m, k, b, v, z := map[int]int{1: 1}, map[string]float64{\"a\": 1}, map[int32]bool{1: true}, map[any]any{1: 1}, map[int]complex128{1: 1}\n"+
			"for _, x := range []any{m, k, b, v, z} { runtime.KeepAlive(x) }")
		f := runFailing(t, e, 2, "x := 1\n"+code+"\nx = 2").Failure
		if !strings.HasPrefix(f.Message, "concurrent map ") || len(f.Frames) == 0 || f.Frames[0].Line != 2 {
			t.Errorf("%s: %s, at %+v", code, f.Message, f.Frames)
		}
	}
}

// writingAt is where the runtime's map has its mark.
func writingAt(t *testing.T) uintptr {
	it, _ := reflect.TypeFor[reflect.MapIter]().FieldByName("hiter")
	m, _ := it.Type.FieldByName("m")
	w, ok := m.Type.Elem().FieldByName("writing")
	if !ok {
		t.Fatal("the runtime's maps have no mark")
	}
	return w.Offset
}

// TestMapsOfSeveralGoroutines: goroutines may use maps of their own, and read the same one.
func TestMapsOfSeveralGoroutines(t *testing.T) {
	e, _ := newEngine(t)
	got := value(t, e, `
shared := map[string]int{"a": 1, "b": 2}
var sum atomic.Int64
var wg sync.WaitGroup
for i := range 8 {
	wg.Go(func() {
		own := map[int]int{}
		for j := range 500 {
			own[j%7] += shared["a"]
			if v, ok := shared["b"]; ok { own[i+j] = v }
			if j%50 == 0 { for _, v := range shared { own[-1] += v } }
			delete(own, j+1)
		}
		clear(own)
		sum.Add(int64(len(own) + 1))
	})
}
wg.Wait()
sum.Load()`)
	if got != "8 int64" {
		t.Error(got)
	}
}
