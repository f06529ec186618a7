package machine

import (
	"reflect"
	"strconv"
	"strings"
)

// guards has nodes that yaegi goes on running itself do something first: check what they index (bounds.go), list the
// maps that they use (conflicts.go), note what they wait for (waits.go) or the signs of zeros (signs.go).
type guards struct {
	*places
	grow func(uint64) // asks before much is allocated
}

// check has a node that yaegi goes on running itself panic as Go does, with Go's numbers, when an index, a bound or a
// shift count is not in its range.
func (g *guards) check(n *Node) {
	g.watchMaps(n)
	g.noteWait(n)
	var verify func(*Frame)
	switch gen(n) {
	case "getIndexArray":
		verify = checkIndex(n)
	case "slice":
		verify = checkSlice(n, n.Child[1:])
	case "slice0":
		verify = checkSlice(n, append([]*Node{nil}, n.Child[1:]...))
	case "_append", "appendSlice":
		verify = g.checkGrowth(n)
	case "shl", "shr", "shlAssign", "shrAssign":
		verify = checkShift(n)
	}
	if verify == nil {
		return
	}
	generate := n.Gen
	n.Gen = func(n *Node) {
		generate(n)
		run := n.Exec
		n.Exec = func(f *Frame) Step {
			verify(f)
			return run(f)
		}
	}
}

// valueRead is how to get the value of a node that has been run.
func valueRead(n *Node) func(*Frame) reflect.Value {
	switch {
	case n.Kind == kinds.parenExpr:
		return valueRead(n.Child[0])
	case n.Rval.IsValid():
		v := n.Rval
		if s, ok := constantOf[string](v); ok {
			v = reflect.ValueOf(s)
		} else if i, ok := constantOf[int](v); ok {
			v = reflect.ValueOf(i)
		}
		return func(*Frame) reflect.Value { return v }
	}
	i, up := n.Findex, frameUp(max(n.Level, 0))
	if n.Sym != nil {
		i = n.Sym.Index
	}
	if i < 0 || n.Level < 0 || n.Sym != nil && n.Sym.Global {
		return nil
	}
	return func(f *Frame) reflect.Value { return up(f).Data[i] }
}

// readInt reads an index, which may be an unsigned one that no int holds.
func readInt(v reflect.Value) (i int, u uint, isUnsigned bool) {
	switch {
	case v.CanInt():
		return int(v.Int()), 0, false
	case v.CanUint():
		return int(v.Uint()), uint(v.Uint()), true
	}
	return 0, 0, false
}

func checkIndex(n *Node) func(*Frame) {
	list, index := valueRead(n.Child[0]), valueRead(n.Child[1])
	if list == nil || index == nil {
		return nil
	}
	return func(f *Frame) {
		v := list(f)
		if v.Kind() == reflect.Pointer {
			v = v.Elem()
		}
		if !v.IsValid() {
			return
		}
		i, u, isUnsigned := readInt(index(f))
		if uint(i) < uint(v.Len()) {
			return
		}
		blame(f, n)
		none := make([]struct{}, v.Len())
		if isUnsigned {
			_ = none[u]
		}
		_ = none[i]
	}
}

func checkSlice(n *Node, bounds []*Node) func(*Frame) {
	list := valueRead(n.Child[0])
	if list == nil {
		return nil
	}
	var reads [3]func(*Frame) reflect.Value
	for i, b := range bounds {
		if b == nil {
			continue
		}
		if reads[i] = valueRead(b); reads[i] == nil {
			return nil
		}
	}
	return func(f *Frame) {
		v := list(f)
		if v.Kind() == reflect.Pointer {
			v = v.Elem()
		}
		if !v.IsValid() {
			return
		}
		length, limit := v.Len(), v.Len()
		if v.Kind() == reflect.Slice {
			limit = v.Cap()
		}
		at := [3]int{0, length, limit}
		for i, r := range reads {
			if r != nil {
				at[i], _, _ = readInt(r(f))
			}
		}
		if reads[2] == nil {
			at[2] = limit
		}
		if 0 <= at[0] && at[0] <= at[1] && at[1] <= at[2] && at[2] <= limit {
			return
		}
		blame(f, n)
		sliceOutOfRange(v.Kind() == reflect.Slice, reads[2] != nil, length, limit, at)
	}
}

// sliceOutOfRange panics as x[i:j] or x[i:j:k] does.
func sliceOutOfRange(isSlice, full bool, length, limit int, at [3]int) {
	s := make([]struct{}, length, limit)
	switch {
	case isSlice && full:
		_ = s[at[0]:at[1]:at[2]]
	case isSlice:
		_ = s[at[0]:at[1]]
	case full:
		if uint(at[2]) > uint(limit) {
			panic(boundsError("slice bounds out of range [::" + strconv.Itoa(at[2]) + "] with length " +
				strconv.Itoa(length)))
		}
		_ = s[at[0]:at[1]:at[2]]
	default:
		_ = strings.Repeat("x", length)[at[0]:at[1]]
	}
}

// boundsError is a runtime.Error that no slice of the runtime can be made to give.
type boundsError string

func (e boundsError) Error() string { return "runtime error: " + string(e) }

// RuntimeError says that it is one of the runtime's.
func (boundsError) RuntimeError() {}

func checkShift(n *Node) func(*Frame) {
	count := valueRead(n.Child[len(n.Child)-1])
	if count == nil {
		return nil
	}
	return func(f *Frame) {
		if v := count(f); v.CanInt() && v.Int() < 0 {
			blame(f, n)
			_ = 1 << v.Int()
		}
	}
}
