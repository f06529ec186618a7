package checkpoint

import (
	"io"
	"reflect"
	"slices"
	"unsafe"

	"github.com/gorocm/gorocm/internal/keep"
	"github.com/gorocm/gorocm/tensor"
)

// maxDepth bounds how deeply interfaces may hold interfaces.
const maxDepth = 10_000

func (d *decoder) values(v reflect.Value) {
	if v.Type().Elem().Kind() == reflect.Uint8 && v.Len() > 0 && d.err == nil {
		if _, err := io.ReadFull(d.in, v.Slice(0, v.Len()).Bytes()); err != nil {
			d.fail("%v", err)
		}
		d.left -= int64(v.Len())
		return
	}
	for i := 0; i < v.Len() && d.err == nil; i++ {
		d.value(v.Index(i))
	}
}

// value reads a value into v, which is addressable.
func (d *decoder) value(v reflect.Value) {
	t := v.Type()
	switch {
	case d.err != nil:
		return
	case t == tensorType:
		if n := d.number(); n > uint64(len(d.tensors)) {
			d.fail("there is no tensor %d", n)
		} else if n > 0 {
			v.Set(reflect.ValueOf(d.tensors[n-1]))
		}
		return
	case t == deviceType:
		if location := d.text(); location != "" {
			var dev *tensor.Device = d.on(location)
			v.Set(reflect.ValueOf(dev))
		}
		return
	case marshals(t):
		text := d.bytes()
		if d.err == nil {
			if err := marshalerOf(v.Addr()).read(text); err != nil {
				d.fail("%v", err)
			}
		}
		return
	}
	switch t.Kind() {
	case reflect.Bool:
		v.SetBool(d.number() != 0)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(d.signed())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		v.SetUint(d.number())
	case reflect.Float32, reflect.Float64:
		v.SetFloat(d.float())
	case reflect.Complex64, reflect.Complex128:
		re := d.float()
		v.SetComplex(complex(re, d.float()))
	case reflect.String:
		v.SetString(d.text())
	case reflect.Pointer, reflect.Slice, reflect.Map:
		d.reference(v)
	case reflect.Array:
		d.values(v)
	case reflect.Struct:
		if isHidden(t) || d.void[t] {
			return
		}
		if form := keep.Of(t); form != nil {
			kept := reflect.New(form.As).Elem()
			if d.value(kept); d.err == nil {
				if err := form.From(v.Addr(), kept); err != nil {
					d.fail("%v", err)
				}
			}
			return
		}
		for i := range t.NumField() {
			d.value(field(v, i))
		}
	case reflect.Interface:
		d.boxedValue(v)
	case reflect.Func:
		d.function(v)
	}
}

// function makes a function as it was made.
func (d *decoder) function(v reflect.Value) {
	if !d.Header.Functions {
		return
	}
	maker := d.text()
	if maker == "" || d.err != nil {
		return
	}
	args := make([]any, d.count())
	broken := d.broken[d.at]
	for i := range args {
		d.boxedValue(reflect.ValueOf(&args[i]).Elem())
	}
	if d.err != nil || d.broken[d.at] && !broken {
		return
	}
	made, err := keep.Make(maker, args)
	switch {
	case err != nil:
		d.fail("%v", err)
	case made == nil || !reflect.TypeOf(made).ConvertibleTo(v.Type()):
		d.fail("%s does not make a %v", maker, v.Type())
	default:
		v.Set(reflect.ValueOf(made).Convert(v.Type()))
	}
}

func (d *decoder) boxedValue(v reflect.Value) {
	n := d.number()
	if n == 0 || d.err != nil {
		return
	}
	if n <= uint64(len(d.boxed)) && d.boxed[n-1] == nil {
		d.lacks()
		d.pass(d.Header.Roots[len(d.vars)+int(n)-1])
		return
	}
	if n <= uint64(len(d.boxed)) && d.boxed[n-1] == outsideType {
		d.named(v, outside(d.text()))
		return
	}
	if n > uint64(len(d.boxed)) || !d.boxed[n-1].AssignableTo(v.Type()) || d.depth > maxDepth {
		d.fail("there is no type %d for a %v", n, v.Type())
		return
	}
	d.depth++
	inside := reflect.New(d.boxed[n-1]).Elem()
	d.value(inside)
	d.depth--
	v.Set(inside)
}

// reference reads what a pointer, a slice or a map refers to: see encoder.reference.
func (d *decoder) reference(v reflect.Value) {
	n := d.number()
	if n == 0 || d.err != nil {
		return
	}
	if v.Kind() == reflect.Map {
		if n-2 < uint64(len(d.maps)) {
			d.refers[d.at] = append(d.refers[d.at], len(d.objects)+int(n-2))
			if !d.maps[n-2].IsValid() {
				return
			}
		}
		if n-2 >= uint64(len(d.maps)) || !alike(d.maps[n-2].Type(), v.Type()) {
			d.fail("there is no map %d", n)
			return
		}
		v.Set(as(copyOf(d.maps[n-2]), v.Type()))
		return
	}
	elem := v.Type().Elem()
	var at unsafe.Pointer
	has := uintptr(0)
	if n == 1 {
		at = reflect.New(elem).UnsafePointer()
		if elem.Size() == 0 {
			has = 1 << 40
		}
	} else {
		offset := d.number()
		if d.err != nil {
			return
		}
		if n-2 >= uint64(len(d.objects)) {
			d.fail("there is no object %d", n)
			return
		}
		o := d.objects[n-2]
		d.refers[d.at] = append(d.refers[d.at], int(n-2))
		if o.lacking != nil {
			if v.Kind() == reflect.Slice {
				d.number()
				d.number()
			}
			return
		}
		in, count := o.row.Type().Elem(), o.row.Len()
		if in == outsideType {
			p, ok := packages().byName[outside(o.row.Index(0).String())]
			if !ok {
				d.lacksVariable(o.row.Index(0).String())
				if v.Kind() == reflect.Slice {
					d.number()
					d.number()
				}
				return
			}
			in, count, o.base = p.memory.Type().Elem(), 1, p.memory.UnsafePointer()
		}
		if elem.Size() > 0 && offset < maxObject {
			has = room(in, uintptr(count), uintptr(offset), elem)
		}
		if has == 0 {
			d.fail("object %d has no %v at %d", n, elem, offset)
			return
		}
		at = unsafe.Add(o.base, offset)
	}
	if v.Kind() == reflect.Pointer {
		v.Set(reflect.NewAt(elem, at).Convert(v.Type()))
		return
	}
	length, capacity := d.number(), d.number()
	if d.err == nil && (length > capacity || capacity > uint64(has)) {
		d.fail("a slice of %d elements, where %d are", capacity, has)
	}
	if d.err == nil {
		v.Set(reflect.SliceAt(elem, at, int(capacity)).Slice3(0, int(length), int(capacity)).Convert(v.Type()))
	}
}

// named sets an interface to what a variable of a package holds.
func (d *decoder) named(v reflect.Value, name outside) {
	held, ok := packages().held[name]
	switch {
	case d.err != nil:
	case !ok:
		d.lacksVariable(string(name))
	case !held.Type().AssignableTo(v.Type()):
		d.fail("%s is no %v", name, v.Type())
	default:
		v.Set(held)
	}
}

// lacksVariable notes that a variable of a package is not there.
func (d *decoder) lacksVariable(name string) {
	d.lacks()
	if !slices.Contains(d.Other, name) {
		d.Other = append(d.Other, name)
	}
}
