package data

import (
	"go/token"
	"go/types"
	"reflect"
	"testing"

	"github.com/gorocm/gorocm/repl/modules"
)

// FuzzTable: what is read of damaged data has a value of its type, or none; nothing panics.
func FuzzTable(f *testing.F) {
	basic := func(k types.BasicKind) types.Type { return types.Typ[k] }
	list := []struct {
		t types.Type
		v any
	}{
		{types.NewSlice(basic(types.Int16)), []int16{}},
		{types.NewArray(basic(types.Uint8), 3), [3]uint8{}},
		{types.NewSlice(types.NewPointer(types.NewArray(basic(types.Float32), 2))), []*[2]float32{}},
		{types.NewMap(basic(types.String), types.NewSlice(basic(types.Bool))), map[string][]bool{}},
		{types.NewMap(basic(types.Uint64), types.NewInterfaceType(nil, nil)), map[uint64]any{}},
		{types.NewPointer(types.NewSlice(basic(types.String))), new([]string)},
		{types.NewNamed(types.NewTypeName(token.NoPos, nil, "B", nil), types.NewSlice(basic(types.Uint8)), nil), []byte{}},
	}
	f.Add(uint8(0), []byte{modules.TableNumbers, 3, 2, 4, 6})
	f.Add(uint8(1), []byte{modules.TableRaw, 3, 2, 4, 6})
	f.Add(uint8(1), []byte{modules.TableList, 3, 1, 2, modules.TableUint, 5})
	f.Add(uint8(2), []byte{modules.TableList, 1, 1, 0, modules.TablePointer, modules.TableList, 2, 1, 1, modules.TableFloat,
		0, 0, 0, 0, 0, 0, 0xf0, 0x3f})
	f.Add(uint8(3), []byte{modules.TableMap, 1, modules.TableString, 1, 'k', modules.TableList, 1, 1, 0, modules.TableTrue})
	f.Add(uint8(6), []byte{modules.TableBytes, 2, 'a', 'b'})
	f.Fuzz(func(t *testing.T, which uint8, data []byte) {
		x := list[int(which)%len(list)]
		to := reflect.New(reflect.TypeOf(x.v)).Elem()
		b := table{data: modules.NewTableReader(data)}
		if b.read(to, x.t) && b.data.Failed() {
			t.Errorf("%q is read although it ends too early", data)
		}
	})
}
