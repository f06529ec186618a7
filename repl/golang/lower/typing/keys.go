package typing

import (
	"fmt"
	"go/types"
	"strconv"
	"strings"
	"sync"
)

// objectKeys tells objects of the same name apart, by numbers that are never given twice. Goroutines that lower what
// they call first ask it at the same time.
type objectKeys struct {
	mu      sync.Mutex
	numbers map[types.Object]int
	last    int
}

func (k *objectKeys) of(o types.Object) string {
	k.mu.Lock()
	defer k.mu.Unlock()
	n, ok := k.numbers[o]
	if !ok {
		k.last++
		n = k.last
		k.numbers[o] = n
	}
	return o.Name() + "#" + strconv.Itoa(n)
}

// forget drops an object that nothing mentions any more.
func (k *objectKeys) forget(o types.Object) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.numbers, o)
}

// Key tells types apart that are not identical, even when they print alike.
func (ts *Types) Key(t types.Type) string {
	var b strings.Builder
	ts.writeKey(&b, t)
	return b.String()
}

func (ts *Types) writeKey(b *strings.Builder, t types.Type) {
	switch t := t.(type) {
	case *types.Alias:
		ts.writeKey(b, types.Unalias(t))
	case *types.Named:
		o := t.Origin().Obj()
		if o.Pkg() != nil {
			b.WriteString(o.Pkg().Path() + "." + ts.ObjectKey(o))
		} else {
			b.WriteString(o.Name())
		}
		for i := range t.TypeArgs().Len() {
			b.WriteString("[")
			ts.writeKey(b, t.TypeArgs().At(i))
			b.WriteString("]")
		}
	case *types.Pointer:
		b.WriteString("*")
		ts.writeKey(b, t.Elem())
	case *types.Slice:
		b.WriteString("[]")
		ts.writeKey(b, t.Elem())
	case *types.Array:
		fmt.Fprintf(b, "[%d]", t.Len())
		ts.writeKey(b, t.Elem())
	case *types.Map:
		b.WriteString("map[")
		ts.writeKey(b, t.Key())
		b.WriteString("]")
		ts.writeKey(b, t.Elem())
	case *types.Chan:
		fmt.Fprintf(b, "chan%d ", t.Dir())
		ts.writeKey(b, t.Elem())
	case *types.Tuple:
		for i := range t.Len() {
			ts.writeKey(b, t.At(i).Type())
			b.WriteString(",")
		}
	case *types.Signature:
		b.WriteString("func(")
		ts.writeKey(b, t.Params())
		b.WriteString(")(")
		ts.writeKey(b, t.Results())
		fmt.Fprintf(b, ")%v", t.Variadic())
	case *types.Struct:
		b.WriteString("struct{")
		for i := range t.NumFields() {
			f := t.Field(i)
			fmt.Fprintf(b, "%s %v %q ", f.Id(), f.Embedded(), t.Tag(i))
			ts.writeKey(b, f.Type())
			b.WriteString(";")
		}
		b.WriteString("}")
	case *types.Interface:
		b.WriteString("interface{")
		for i := range t.NumMethods() {
			m := t.Method(i)
			b.WriteString(m.Id())
			ts.writeKey(b, m.Type())
			b.WriteString(";")
		}
		b.WriteString("}")
	case nil:
	default:
		b.WriteString(t.String())
	}
}

// ObjectKey tells objects of the same name apart.
func (ts *Types) ObjectKey(o types.Object) string { return ts.keys.of(o) }

// Forget drops the key of an object that nothing mentions any more.
func (ts *Types) Forget(o types.Object) { ts.keys.forget(o) }
