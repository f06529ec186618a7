package checkpoint

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base32"
	"encoding/base64"
	"go/token"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"github.com/gorocm/gorocm/repl/golang/symbols/std"
)

// What belongs to a variable of the standard library is written as the variable's name, so that it is the same in a new
// session: io.EOF, http.DefaultClient, time.UTC. The state of packages is not kept: the variable is the new session's.

// outside is the name of such a variable: "time.UTC" for its memory, "*time.UTC" for what it points to, and, in
// interfaces, for the value that it holds.
type outside string

var outsideType = reflect.TypeFor[outside]()

// outsideForm is its form in Header.Forms, and its name in Header.Boxed.
const outsideForm = "~variable of a package"

// packaged is the memory of a variable, or what it points to.
type packaged struct {
	name       outside
	start, end uintptr
	memory     reflect.Value // pointer
	// was is what the bytes were when the program began, nil where packages may change them.
	was []byte
}

// packages are those of the standard library.
var packages = sync.OnceValue(collectPackages)

// Begin reads the variables of packages. It must be called before any cell can change them.
func Begin() { packages() }

type packageTable struct {
	memory []packaged // in the order of addresses
	starts map[uintptr]bool
	byName map[outside]packaged
	values map[any]outside           // what interfaces hold
	held   map[outside]reflect.Value // the same by name
}

func collectPackages() *packageTable {
	t := &packageTable{starts: map[uintptr]bool{}, byName: map[outside]packaged{}, values: map[any]outside{},
		held: map[outside]reflect.Value{}}
	t.hold("context.Background()", reflect.ValueOf(context.Background()))
	t.hold("context.TODO()", reflect.ValueOf(context.TODO()))
	for _, key := range slices.Sorted(maps.Keys(std.Symbols)) {
		var names []string
		for name, v := range std.Symbols[key] {
			if v.CanAddr() {
				names = append(names, name)
			}
		}
		slices.Sort(names)
		for _, name := range names {
			t.add(outside(path.Dir(key)+"."+name), std.Symbols[key][name])
		}
	}
	slices.SortFunc(t.memory, func(a, b packaged) int { return cmp.Compare(a.start, b.start) })
	return t
}

// add adds a variable.
func (t *packageTable) add(name outside, v reflect.Value) {
	t.region(packaged{name: name, memory: v.Addr()})
	switch {
	case v.Kind() == reflect.Struct: // such as binary.LittleEndian
		t.hold(name, v)
		return
	case v.Kind() == reflect.Interface && !v.IsNil():
		t.hold(name, v.Elem())
		return
	case v.Kind() != reflect.Pointer || v.IsNil() || !constant(v.Type().Elem()):
		return
	}
	t.target("*"+name, reflect.ValueOf(v.Interface()))
}

// target adds what a variable points to.
func (t *packageTable) target(name outside, pointer reflect.Value) {
	p := packaged{name: name, memory: pointer}
	if !openedTypes[pointer.Type().Elem()] {
		p.was = bytes.Clone(bytesOf(pointer))
	}
	t.region(p)
}

// constant reports whether what a variable points to is the same in all processes, unless cells set its fields. A
// *http.ServeMux has handlers that no field shows.
func constant(t reflect.Type) bool {
	return t == reflect.TypeFor[base64.Encoding]() || t == reflect.TypeFor[base32.Encoding]() ||
		!isHidden(t) && !marshals(t)
}

// hold adds a value of an interface.
func (t *packageTable) hold(name outside, v reflect.Value) {
	if v = reflect.ValueOf(v.Interface()); !named(v) || v.Kind() == reflect.Pointer && v.Type().Elem().Size() > 0 &&
		!constant(v.Type().Elem()) {
		return
	}
	if _, ok := t.values[v.Interface()]; !ok {
		t.values[v.Interface()] = name
	}
	t.held[name] = v
	if v.Kind() == reflect.Pointer {
		t.target("*"+name, v)
	}
}

// named reports whether a value in an interface may be kept as the name of a variable: it has an identity, or a type
// that no cell can write.
func named(v reflect.Value) bool {
	t := v.Type()
	return v.Comparable() && (t.Kind() == reflect.Pointer || isCompiled(t) && !token.IsExported(t.Name()))
}

func (t *packageTable) region(p packaged) {
	size := p.memory.Type().Elem().Size()
	p.start = uintptr(p.memory.UnsafePointer())
	p.end = p.start + size
	if size == 0 {
		return
	}
	t.byName[p.name] = p
	if !t.starts[p.start] { // fs.ErrExist and os.ErrExist point to the same memory
		t.starts[p.start] = true
		t.memory = append(t.memory, p)
	}
}

// find returns what holds so many values of a type at an address, nil for memory of the session.
func (t *packageTable) find(p unsafe.Pointer, elem reflect.Type, count int) *packaged {
	at := uintptr(p)
	i, found := slices.BinarySearchFunc(t.memory, at, func(m packaged, at uintptr) int {
		return cmp.Compare(m.start, at)
	})
	if !found {
		i--
	}
	if i < 0 || at >= t.memory[i].end {
		return nil
	}
	m := &t.memory[i]
	if has := room(m.memory.Type().Elem(), 1, at-m.start, elem); has == 0 || has < uintptr(count) {
		return nil
	}
	return m
}

// changed reports whether cells have changed it.
func (p *packaged) changed() bool { return p.was != nil && !bytes.Equal(p.was, bytesOf(p.memory)) }

// String is the name as cells write it.
func (n outside) String() string {
	text := strings.TrimPrefix(string(n), "*")
	return text[strings.LastIndex(text, "/")+1:]
}

// bytesOf are those of what a pointer points to.
func bytesOf(p reflect.Value) []byte {
	return unsafe.Slice((*byte)(p.UnsafePointer()), p.Type().Elem().Size())
}

// valueOf is the name of the variable that an interface's value belongs to, "" for others.
func (t *packageTable) valueOf(v reflect.Value) outside {
	if !named(v) {
		return ""
	}
	return t.values[v.Interface()]
}
