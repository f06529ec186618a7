package machine

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"
	"unsafe"
)

// TestCaller: compiled functions get their arguments and give their results in memory, in registers and by reflection.
func TestCaller(t *testing.T) {
	method := func(v any, name string) any {
		m, _ := reflect.TypeOf(v).MethodByName(name)
		return m.Func.Interface()
	}
	var b strings.Builder
	b.WriteString("abc")
	tests := []struct {
		fn   any
		in   []any
		want string
	}{
		{strings.Repeat, []any{"ab", 3}, "[ababab]"},
		{strconv.Atoi, []any{"17"}, "[17 <nil>]"},
		{strconv.Atoi, []any{"x"}, `[0 strconv.Atoi: parsing "x": invalid syntax]`},
		{math.Pow, []any{2.0, 10.0}, "[1024]"},
		{math.Float32bits, []any{float32(1)}, "[1065353216]"},
		{math.Float32frombits, []any{uint32(0xc0000000)}, "[-2]"},
		{fmt.Sprintf, []any{"%d %s", []any{1, "b"}}, "[1 b]"},
		{strings.Split, []any{"a b", " "}, "[[a b]]"},
		{strings.Cut, []any{"a=b", "="}, "[a b true]"},
		{math.Frexp, []any{8.0}, "[0.5 4]"},
		{method(&b, "Len"), []any{&b}, "[3]"},
		{method(time.Second, "Seconds"), []any{1500 * time.Millisecond}, "[1.5]"},
		{method(time.Time{}, "Equal"), []any{time.Unix(5, 0), time.Unix(5, 0).UTC()}, "[true]"},
		{func(a int8, b uint16, c bool, x float32, s []int) (int8, bool, []int) { return a - 1, !c, s[b:] },
			[]any{int8(-128), uint16(1), true, float32(2), []int{1, 2}}, "[127 false [2]]"},
		{func(a [3]int, b complex128) (complex128, [3]int) { return b * 2, a },
			[]any{[3]int{1, 2, 3}, 1 + 2i}, "[(2+4i) [1 2 3]]"},
		{func() {}, nil, "[]"},
		{errors.New, []any{"e"}, "[e]"},
	}
	for i, test := range tests {
		fn := reflect.ValueOf(test.fn)
		var fields []reflect.StructField
		add := func(t reflect.Type) {
			fields = append(fields, reflect.StructField{Name: fmt.Sprint("X", len(fields)), Type: t})
		}
		for i := range fn.Type().NumIn() {
			add(fn.Type().In(i))
		}
		for i := range fn.Type().NumOut() {
			add(fn.Type().Out(i))
		}
		memory := reflect.StructOf(fields)
		v := reflect.New(memory)
		var params, results []uintptr
		for i := range fields {
			if i < fn.Type().NumIn() {
				params = append(params, memory.Field(i).Offset)
				v.Elem().Field(i).Set(reflect.ValueOf(test.in[i]))
			} else {
				results = append(results, memory.Field(i).Offset)
			}
		}
		do := Caller(fn, params, results)
		do(unsafe.Pointer(v.Pointer()))
		var got []any
		for i := range results {
			got = append(got, v.Elem().Field(len(params)+i).Interface())
		}
		if fmt.Sprint(got) != test.want {
			t.Errorf("%d: %v, want %s", i, got, test.want)
		}
	}
}
