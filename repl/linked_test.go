package repl

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// linkedModule reaches functions of package reflect, the runtime and syscall by go:linkname, as reflect2, go-json and
// x/net do.
const linkedModule = `package odd

import (
	"reflect"
	"unsafe"
)

//go:linkname unsafeNew reflect.unsafe_New
func unsafeNew(unsafe.Pointer) unsafe.Pointer

//go:linkname mapAssign reflect.mapassign
func mapAssign(typ, m unsafe.Pointer, key, value unsafe.Pointer)

//go:linkname name reflect.(*rtype).Name
func name(*typ) string

type typ struct{ _ int }

type Point struct{ X, Y int }

func typeOf(x any) unsafe.Pointer {
	t := any(reflect.TypeOf(x))
	return (*[2]unsafe.Pointer)(unsafe.Pointer(&t))[1]
}

func New() *Point {
	p := (*Point)(unsafeNew(typeOf(Point{})))
	p.Y++
	return p
}

func Set(m map[string]int, key string, value int) {
	mapAssign(typeOf(m), *(*unsafe.Pointer)(unsafe.Pointer(&m)), unsafe.Pointer(&key), unsafe.Pointer(&value))
}

func Name(x any) string { return name((*typ)(typeOf(x))) }
`

func TestLinkedFunctions(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go command")
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module example.com/odd\n\ngo 1.24\n", "odd.go": linkedModule,
		"odd.s": ""} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	s, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	out := ""
	for _, cell := range []string{"%get " + dir, `import "example.com/odd"
m := map[string]int{"a": 1}
odd.Set(m, "b", 2)
fmt.Println(*odd.New(), m, odd.Name(odd.Point{}))`} {
		r := s.Eval(context.Background(), Request{Code: cell}, func(e Event) {
			if e.Kind == Stream {
				out += e.Text
			}
		})
		if r.Err != nil {
			t.Fatal(r.Err.Text(false))
		}
	}
	if want := "{0 1} map[a:1 b:2] Point\n"; !strings.HasSuffix(out, want) {
		t.Errorf("got %q, want %q", out, want)
	}
}
