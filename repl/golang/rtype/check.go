package rtype

import (
	"errors"
	"fmt"
	"go/token"
	"go/types"
	"reflect"
	"runtime"
	"sync"
	"unsafe"
)

// Check compares what this package assumes of the run time with the running program: how descriptors and reflect.Value
// are laid out, and that a type built here works. Its error says what differs; nothing else in this package is safe
// then.
func Check() error { return checkOnce() }

var checkOnce = sync.OnceValue(func() (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
		if err != nil {
			err = fmt.Errorf("types cannot be built on %s: %w: use the Go release that this program was written for",
				runtime.Version(), err)
		}
	}()
	for _, check := range []func() error{checkValue, checkDescriptors, checkFunc, checkItab, checkStubs, checkBuilt} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
})

// The samples have every kind that has a mirror, and methods.
type (
	sampleArray   [3]int
	sampleChan    chan<- int
	sampleFunc    func(int, string) error
	sampleInt     int
	sampleMap     map[string]int
	samplePointer struct{ P *int }
	sampleSlice   []string
	sampleStruct  struct {
		_ int8
		B string `tag:"b"`
		sampleInt
	}
)

func (sampleArray) Hidden()   {}
func (sampleChan) Hidden()    {}
func (sampleFunc) Hidden()    {}
func (sampleInt) Hidden()     {}
func (sampleMap) Hidden()     {}
func (samplePointer) Hidden() {}
func (sampleSlice) Hidden()   {}

type sampleInterface interface{ Hidden() }

var samples = []reflect.Type{
	reflect.TypeFor[sampleArray](), reflect.TypeFor[sampleChan](), reflect.TypeFor[sampleFunc](),
	reflect.TypeFor[sampleInt](),
	reflect.TypeFor[sampleMap](), reflect.TypeFor[samplePointer](), reflect.TypeFor[sampleSlice](),
	reflect.TypeFor[sampleStruct](),
	reflect.TypeFor[*sampleStruct](),
}

func checkValue() error {
	var want = [][2]any{{"typ_", unsafe.Offsetof(value{}.typ)}, {"ptr", unsafe.Offsetof(value{}.ptr)},
		{"flag", unsafe.Offsetof(value{}.flag)}}
	t := reflect.TypeFor[reflect.Value]()
	if t.NumField() != len(want) || t.Size() != unsafe.Sizeof(value{}) {
		return fmt.Errorf("reflect.Value has %d fields in %d bytes", t.NumField(), t.Size())
	}
	for i, f := range want {
		if g := t.Field(i); g.Name != f[0] || g.Offset != f[1] {
			return fmt.Errorf("reflect.Value has %s at %d, not %s at %d", g.Name, g.Offset, f[0], f[1])
		}
	}
	x := 7
	v := Retype(reflect.ValueOf(&x).Elem(), reflect.TypeFor[sampleInt]())
	if v.SetInt(8); x != 8 || v.Interface() != sampleInt(8) {
		return errors.New("a reflect.Value cannot be given another type")
	}
	if RetypeAny(8, reflect.TypeFor[sampleInt]()) != any(sampleInt(8)) {
		return errors.New("an interface value cannot be given another type")
	}
	return nil
}

func checkDescriptors() error {
	for _, t := range samples {
		h := descriptor(t)
		if reflected(h) != t {
			return errors.New("a reflect.Type is not the address of a descriptor")
		}
		if h.size != t.Size() || int(h.align) != t.Align() || int(h.fieldAlign) != t.FieldAlign() ||
			reflect.Kind(h.kind) != t.Kind() ||
			(h.equal != nil) != t.Comparable() || h.flags&flagNamed != 0 != (t.Name() != "") {
			return fmt.Errorf("the descriptor of %v reads %+v", t, *h)
		}
		direct := t.Size() == unsafe.Sizeof(h) && h.ptrBytes == h.size
		if h.flags&flagDirect != 0 != direct || h.flags&flagUncommon == 0 {
			return fmt.Errorf("the descriptor of %v has flags %#x", t, h.flags)
		}
		u := (*uncommon)(unsafe.Add(unsafe.Pointer(h), mirror(t.Kind()).Size()))
		if u.mcount != 1 || int(u.xcount) != t.NumMethod() {
			return fmt.Errorf("the descriptor of %v has %d methods", t, u.mcount)
		}
	}
	st := (*structType)(unsafe.Pointer(descriptor(reflect.TypeFor[sampleStruct]())))
	for i, f := range st.fields {
		want := reflect.TypeFor[sampleStruct]().Field(i)
		flags := exportedFlag(want.Name)
		if want.Anonymous {
			flags |= nameEmbedded
		}
		name := newName(want.Name, string(want.Tag), "", flags)
		n := 2 + len(want.Name)
		if want.Tag != "" {
			n += 1 + len(want.Tag)
		}
		if string(unsafe.Slice(name, n)) != string(unsafe.Slice(f.name, n)) || f.offset != want.Offset ||
			reflected(f.typ) != want.Type {
			return fmt.Errorf("field %s of a struct reads %+v", want.Name, f)
		}
	}
	mt := (*mapType)(unsafe.Pointer(descriptor(reflect.TypeFor[sampleMap]())))
	if reflected(mt.key) != reflect.TypeFor[string]() || reflected(mt.elem) != reflect.TypeFor[int]() ||
		mt.groupSize != mt.group.size || mt.elemOff != 16 {
		return fmt.Errorf("the descriptor of a map reads %+v", *mt)
	}
	at := (*arrayType)(unsafe.Pointer(descriptor(reflect.TypeFor[sampleArray]())))
	ct := (*chanType)(unsafe.Pointer(descriptor(reflect.TypeFor[sampleChan]())))
	if at.len != 3 || reflected(at.slice) != reflect.TypeFor[[]int]() || reflect.ChanDir(ct.dir) != reflect.SendDir {
		return errors.New("the descriptors of arrays and channels are unknown")
	}
	return nil
}

func checkFunc() error {
	t := reflect.TypeFor[sampleFunc]()
	ft := (*funcType)(unsafe.Pointer(descriptor(t)))
	words := unsafe.Slice((**header)(unsafe.Add(unsafe.Pointer(ft), unsafe.Sizeof(*ft)+unsafe.Sizeof(uncommon{}))), 3)
	if ft.in != 2 || ft.out != 1 || reflected(words[1]) != t.In(1) || words[2] != descriptor(t.Out(0)) {
		return fmt.Errorf("the descriptor of a func reads %+v", *ft)
	}
	return nil
}

func checkItab() error {
	var s sampleInterface = sampleInt(1)
	tab := (*(*[2]unsafe.Pointer)(unsafe.Pointer(&s)))[0]
	it := (*interfaceType)(unsafe.Pointer(descriptor(reflect.TypeFor[sampleInterface]())))
	i := (*itab)(tab)
	if i.inter != &it.header || i.typ != descriptor(reflect.TypeFor[sampleInt]()) || i.fun[0] == nil ||
		len(it.methods) != 1 {
		return fmt.Errorf("the method table of an interface value reads %+v", *i)
	}
	return nil
}

// checkStubs calls the last stub, which is kept for this, through its address.
func checkStubs() error {
	if Stubs == 0 {
		return nil
	}
	double := func(n int) int { return 2 * n }
	funcs[Stubs-1] = *(*unsafe.Pointer)(unsafe.Pointer(&double))
	code := &struct{ entry unsafe.Pointer }{unsafe.Add(stubCode(), (Stubs-1)*stubSize)}
	if got := (*(*func(int) int)(unsafe.Pointer(&code)))(21); got != 42 {
		return fmt.Errorf("a stub returns %d for 42", got)
	}
	return nil
}

// checkBuilt builds type T struct{ s string; n *T } with method String.
func checkBuilt() error {
	pkg := types.NewPackage("main", "main")
	t := types.NewNamed(types.NewTypeName(token.NoPos, pkg, "T", nil), nil, nil)
	t.SetUnderlying(types.NewStruct([]*types.Var{
		types.NewField(token.NoPos, pkg, "s", types.Typ[types.String], false),
		types.NewField(token.NoPos, pkg, "n", types.NewPointer(t), false),
	}, nil))
	recv, result := types.NewVar(token.NoPos, pkg, "", t), types.NewVar(token.NoPos, pkg, "", types.Typ[types.String])
	t.AddMethod(types.NewFunc(token.NoPos, pkg, "String",
		types.NewSignatureType(recv, nil, nil, nil, types.NewTuple(result), false)))
	var w *World
	w = New(Config{
		Compiled: func(*types.Named) reflect.Type { return nil },
		Method: func(m *types.Func) reflect.Value {
			f := reflect.FuncOf([]reflect.Type{w.Inner(t)}, []reflect.Type{reflect.TypeFor[string]()}, false)
			return reflect.MakeFunc(f, func(a []reflect.Value) []reflect.Value { return []reflect.Value{a[0].Field(0)} })
		},
	})
	v := reflect.New(w.Inner(t)).Elem()
	v.Field(0).SetString("hello")
	v.Field(1).Set(v.Addr())
	got := Retype(v, w.Outer(t)).Interface()
	if r := reflect.TypeOf(got); r.String() != "main.T" || r.PkgPath() != "main" || r.NumField() != 2 ||
		r.Field(1).Type.Elem() != r {
		return fmt.Errorf("a type built here reads %v", r)
	}
	if s, ok := got.(fmt.Stringer); Stubs > 0 && (!ok || s.String() != "hello") {
		return errors.New("a method of a type built here is not found")
	}
	return nil
}
