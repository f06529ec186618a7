package native

import (
	"go/types"
	"reflect"

	"github.com/gorocm/gorocm/repl/golang/native/ir"
	"golang.org/x/tools/go/ssa"
)

// slice translates x[i:j:k] of a slice or string.
func (t *translator) slice(in *ssa.Slice) {
	isString, isArray, size := false, false, int64(1)
	var x []*ir.Value
	switch u := in.X.Type().Underlying().(type) {
	case *types.Slice:
		size = sizes.Sizeof(u.Elem())
	case *types.Basic:
		isString = true
	case *types.Pointer:
		array := u.Elem().Underlying().(*types.Array)
		if isArray = true; in.Max != nil {
			if _, ok := in.Max.(*ssa.Const); !ok {
				t.no("it has a slice expression of an array with a capacity")
			}
		}
		if size = sizes.Sizeof(array.Elem()); size == 0 {
			t.no("it has elements of type %s", array.Elem())
		}
		n := t.int(array.Len())
		x = []*ir.Value{t.pointer(t.address(in.X)), n, n}
	default:
		t.no("it slices a %s", in.X.Type())
	}
	if x == nil {
		x = t.value(in.X)
	}
	limit, first := x[1], sliceLength
	if !isString {
		limit = x[2]
	}
	if !isString && !isArray {
		first = sliceCapacity
	}
	low, high, most := t.int(0), x[1], limit
	if in.Low != nil {
		low = t.one(in.Low)
	}
	if in.High != nil {
		high = t.one(in.High)
	}
	bound := func(form sliceForm, a, b *ir.Value) {
		t.check(ir.UpToTest, site{code: leaveSlice, aux: slicePanic{form, a.Kind.Signed()}}, a, b)
	}
	switch {
	case in.Max != nil:
		most = t.one(in.Max)
		bound(slice3Capacity, most, limit)
		if in.High != nil {
			bound(slice3High, high, most)
		}
		bound(slice3Low, low, high)
	case in.High != nil:
		bound(first, high, limit)
		fallthrough
	default:
		if in.Low != nil {
			bound(sliceLow, low, high)
		}
	}
	n := t.add(ir.Sub, ir.Int64, high, low)
	room := n
	if !isString {
		room = t.add(ir.Sub, ir.Int64, most, low)
	}
	p := x[0]
	if low.Op != ir.Const || low.Imm != 0 { // a pointer behind the end would keep another variable alive
		mask := t.add(ir.Shr, ir.Int64, t.add(ir.Neg, ir.Int64, room), t.f.Int(ir.Uint64, 63))
		delta := t.add(ir.And, ir.Int64, t.add(ir.Mul, ir.Int64, low, t.int(size)), mask)
		p = t.add(ir.Add, ir.Ptr, p, delta)
	}
	if isString {
		t.values[in] = []*ir.Value{p, n}
	} else {
		t.values[in] = []*ir.Value{p, n, room}
	}
}

// sliceForm says which of the bounds of a slice expression is out of range.
type sliceForm int

const (
	sliceCapacity  sliceForm = iota // x[:a] with capacity b
	sliceLength                     // x[:a] with length b
	sliceLow                        // x[a:b]
	slice3Capacity                  // x[::a] with capacity b
	slice3High                      // x[:a:b]
	slice3Low                       // x[a:b:]
)

// slicePanic is the panic of a slice expression.
type slicePanic struct {
	form   sliceForm
	signed bool
}

// makeSlice has Go code allocate a slice.
func (t *translator) makeSlice(in *ssa.MakeSlice) {
	elem := in.Type().Underlying().(*types.Slice).Elem()
	typ := reflect.SliceOf(t.memoryType(elem))
	n, c := t.one(in.Len), t.one(in.Cap)
	for _, v := range []*ir.Value{n, c} {
		if v.Kind == ir.Uint64 {
			t.no("it makes a slice of a length of type uint")
		}
	}
	p := t.leave(site{code: leaveMake, aux: typ}, []ir.Kind{ir.Ptr}, n, c)
	t.values[in] = []*ir.Value{p[0], n, c}
}
