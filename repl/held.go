package repl

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/gorocm/gorocm/repl/golang"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/quant"
)

// Bounds of the search for tensors inside of a value.
const (
	heldDepth = 8
	heldMost  = 1000 // values that are looked at, per variable
	heldShown = 16   // tensors of a variable that are listed each by itself
	heldHops  = 4    // function literals on the way to a tensor
)

// holder finds the tensors that a value holds in its fields, elements and entries, and in what function literals of the
// session have captured. It does not see what is in channels, in local variables of goroutines, in unexported fields of
// other packages' types, and in closures of compiled packages.
type holder struct {
	maps     bool // entries of maps may be read: no goroutine can write to them
	left     int
	visiting map[uintptr]bool
	hops     int // function literals that may be on the way
	found    func(path string, v any)
}

func (h *holder) value(path string, v reflect.Value, depth int) {
	if h.left--; h.left < 0 || depth > heldDepth || !v.IsValid() || !v.CanInterface() {
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() || h.visiting[v.Pointer()] {
			return
		}
		switch x := v.Interface().(type) {
		case *tensor.Tensor, *quant.QTensor:
			h.found(path, x)
			return
		case *tensor.Device:
			return
		}
		h.visiting[v.Pointer()] = true
		h.value(path, v.Elem(), depth)
	case reflect.Interface:
		h.value(path, v.Elem(), depth)
	case reflect.Struct:
		h.fields(path, v, depth)
	case reflect.Func:
		id, list := golang.Captured(v)
		if h.visiting[id] || h.hops == 0 {
			return
		}
		h.visiting[id] = id != 0
		h.hops--
		defer func() { h.hops++ }()
		for _, x := range list {
			h.value(path+" (captured)", x, depth+1)
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			switch v.Type().Elem().Kind() {
			case reflect.Pointer, reflect.Interface, reflect.Struct, reflect.Slice, reflect.Array, reflect.Map,
				reflect.Func:
				h.value(fmt.Sprintf("%s[%d]", path, i), v.Index(i), depth+1)
			}
		}
	case reflect.Map:
		if !h.maps {
			return
		}
		type entry struct {
			key   string
			value reflect.Value
		}
		var entries []entry
		for k, x := range v.Seq2() {
			entries = append(entries, entry{fmt.Sprintf("%#v", k), x})
		}
		slices.SortFunc(entries, func(a, b entry) int { return strings.Compare(a.key, b.key) })
		for _, e := range entries {
			h.value(path+"["+e.key+"]", e.value, depth+1)
		}
	}
}

// fields looks into a struct: what its package exports, and all of what cells and package nn declare.
func (h *holder) fields(path string, v reflect.Value, depth int) {
	if !v.CanAddr() {
		p := reflect.New(v.Type()).Elem()
		p.Set(v)
		v = p
	}
	for i := range v.NumField() {
		f, field := v.Field(i), v.Type().Field(i)
		if !field.IsExported() {
			own := field.PkgPath == "main" || field.PkgPath == modulePath+"/tensor/nn"
			if !own || strings.HasPrefix(field.Type.PkgPath(), "sync") {
				continue
			}
			f = reflect.NewAt(f.Type(), f.Addr().UnsafePointer()).Elem()
		}
		h.value(path+"."+field.Name, f, depth+1)
	}
}

// heldRows are the rows of the tensors inside of a variable's value, behind at most so many function literals, without
// those in seen, which gets them.
func heldRows(name string, value any, hops int, seen map[any]bool) (rows [][]string) {
	more, bytes := 0, 0
	h := &holder{maps: golang.Alone(), left: heldMost, hops: hops, visiting: map[uintptr]bool{}}
	h.found = func(path string, x any) {
		if seen[x] {
			return
		}
		seen[x] = true
		if len(rows) < heldShown {
			rows = append(rows, tensorRow(path, x))
			return
		}
		more++
		bytes += x.(interface{ Bytes() int }).Bytes()
	}
	h.value(name, reflect.ValueOf(value), 0)
	if more > 0 {
		rows = append(rows, []string{name + " …", count(more, "more tensor"), "", "", size(int64(bytes))})
	}
	return rows
}
