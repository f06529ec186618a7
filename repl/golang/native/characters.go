package native

import (
	"go/types"
	"sync"
	"unicode"
	"unsafe"

	"github.com/gorocm/gorocm/repl/golang/native/ir"
)

// What functions of package unicode say of ASCII characters is in tables: Go code is called for others alone.

// asciiTable is one: of one of both kinds.
type asciiTable struct {
	is [unicode.MaxASCII + 1]bool
	to [unicode.MaxASCII + 1]rune
}

var asciiTables = sync.OnceValue(func() map[string]*asciiTable {
	list := map[string]*asciiTable{}
	for name, f := range map[string]func(rune) bool{"IsControl": unicode.IsControl, "IsDigit": unicode.IsDigit,
		"IsLetter": unicode.IsLetter, "IsLower": unicode.IsLower, "IsNumber": unicode.IsNumber,
		"IsPrint": unicode.IsPrint, "IsPunct": unicode.IsPunct, "IsSpace": unicode.IsSpace,
		"IsSymbol": unicode.IsSymbol, "IsUpper": unicode.IsUpper} {
		t := &asciiTable{}
		for r := range t.is {
			t.is[r] = f(rune(r))
		}
		list[name] = t
	}
	for name, f := range map[string]func(rune) rune{"ToLower": unicode.ToLower, "ToTitle": unicode.ToTitle,
		"ToUpper": unicode.ToUpper} {
		t := &asciiTable{}
		for r := range t.to {
			t.to[r] = f(rune(r))
		}
		list[name] = t
	}
	return list
})

// ofCharacter translates such a function; other calls it. It is nil for any other function.
func (t goCalls) ofCharacter(fn *types.Func, args []*ir.Value, other func() []*ir.Value) []*ir.Value {
	if fn.Pkg().Path() != "unicode" || fn.Signature().Recv() != nil {
		return nil
	}
	table := asciiTables()[fn.Name()]
	if table == nil {
		return nil
	}
	k := kindOf(fn.Signature().Results().At(0).Type())
	at := unsafe.Pointer(&table.is)
	if k == ir.Int32 {
		at = unsafe.Pointer(&table.to)
	}
	r := t.add(ir.Convert, ir.Uint32, args[0])
	isASCII := t.add(ir.Lt, ir.Bool, r, t.f.Int(ir.Uint32, unicode.MaxASCII+1))
	return t.either(isASCII, []ir.Kind{k}, func() []*ir.Value {
		a := address{base: t.functions().fixed(at), index: r, scale: uint8(k.Size())}
		return []*ir.Value{t.memory(ir.Load, k, a, 0, nil)}
	}, other)
}
