package support

import (
	"cmp"
	"go/types"
	"reflect"
	"slices"
	"unsafe"

	"github.com/gorocm/gorocm/repl/golang/machine"
)

// Sorting is compiled: interpreted, it takes hundreds of times as long. Where a cell's function compares, the numbers
// of the elements are sorted, in the very steps of the standard library, so that elements that compare equal end up
// where they would.

// sorters sort slices by the kind of their elements.
var sorters = map[reflect.Kind]func(reflect.Value){
	reflect.Int: sortAs[int], reflect.Int8: sortAs[int8], reflect.Int16: sortAs[int16], reflect.Int32: sortAs[int32],
	reflect.Int64: sortAs[int64],
	reflect.Uint:  sortAs[uint], reflect.Uint8: sortAs[uint8], reflect.Uint16: sortAs[uint16],
	reflect.Uint32: sortAs[uint32], reflect.Uint64: sortAs[uint64],
	reflect.Uintptr: sortAs[uintptr], reflect.Float32: sortAs[float32], reflect.Float64: sortAs[float64],
	reflect.String: sortAs[string],
}

func sortAs[T cmp.Ordered](x reflect.Value) {
	slices.Sort(unsafe.Slice((*T)(x.UnsafePointer()), x.Len()))
}

func nativeSort(fs *Functions, args []types.Type, _ *types.Signature) func([]reflect.Value) []reflect.Value {
	sort := sorters[fs.scope.Inner(args[0]).Elem().Kind()]
	return func(in []reflect.Value) []reflect.Value {
		sort(in[0])
		return nil
	}
}

// nativeSortFunc sorts the numbers of the elements with a function of the standard library.
func nativeSortFunc(sort func([]int, func(a, b int) int)) native {
	return func(*Functions, []types.Type, *types.Signature) func([]reflect.Value) []reflect.Value {
		return func(in []reflect.Value) []reflect.Value {
			x, compare := in[0], in[1]
			order := make([]int, x.Len())
			for i := range order {
				order[i] = i
			}
			defer arrange(x, order) // also after a panic
			sort(order, comparing(x, compare))
			return nil
		}
	}
}

// comparing compares elements of x, by their numbers, with a function of the session. Its arguments are in memory that
// all calls share, for which no two run at the same time.
func comparing(x, compare reflect.Value) func(a, b int) int {
	t := compare.Type()
	memory := reflect.New(reflect.StructOf([]reflect.StructField{{Name: "F", Type: t}, {Name: "A", Type: t.In(0)},
		{Name: "B", Type: t.In(1)}, {Name: "R", Type: t.Out(0)}})).Elem()
	var offsets []uintptr
	for f := range memory.Type().Fields() {
		offsets = append(offsets, f.Offset)
	}
	memory.Field(0).Set(compare)
	p, first, second, result := memory.Addr().UnsafePointer(), memory.Field(1), memory.Field(2), memory.Field(3)
	call := machine.ValueCaller(t, offsets[:3], offsets[3:])
	return func(a, b int) int {
		first.Set(x.Index(a))
		second.Set(x.Index(b))
		call(p)
		return int(result.Int())
	}
}

// arrange moves the elements of x to where order has their numbers.
func arrange(x reflect.Value, order []int) {
	old := reflect.MakeSlice(x.Type(), x.Len(), x.Len())
	reflect.Copy(old, x)
	for i, from := range order {
		if i != from {
			x.Index(i).Set(old.Index(from))
		}
	}
}

// compareAs is cmp.Compare of two values of the same basic kind.
func compareAs(a, b reflect.Value) int {
	switch {
	case a.CanInt():
		return cmp.Compare(a.Int(), b.Int())
	case a.CanUint():
		return cmp.Compare(a.Uint(), b.Uint())
	case a.CanFloat():
		return cmp.Compare(a.Float(), b.Float())
	}
	return cmp.Compare(a.String(), b.String())
}

func nativeCompare(*Functions, []types.Type, *types.Signature) func([]reflect.Value) []reflect.Value {
	return func(in []reflect.Value) []reflect.Value {
		return []reflect.Value{reflect.ValueOf(compareAs(in[0], in[1]))}
	}
}

func nativeLess(*Functions, []types.Type, *types.Signature) func([]reflect.Value) []reflect.Value {
	return func(in []reflect.Value) []reflect.Value {
		return []reflect.Value{reflect.ValueOf(compareAs(in[0], in[1]) < 0)}
	}
}
