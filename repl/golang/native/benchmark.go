package native

import (
	"go/types"

	"github.com/gorocm/gorocm/repl/golang/native/ir"
	"github.com/gorocm/gorocm/repl/golang/native/layouts"
)

// ofBenchmark translates a call of (*testing.B).Loop: it counts, as the compiled method does, and calls that where the
// count has come to its limit. It returns nil for any other call.
func (t goCalls) ofBenchmark(fn *types.Func, args []*ir.Value, call func() []*ir.Value) []*ir.Value {
	count, limit, ok := layouts.BenchmarkLoop()
	if !ok || fn.FullName() != layouts.BenchmarkLoopName {
		return nil
	}
	at := address{base: args[0]}
	t.check(ir.NilTest, site{code: leaveNil}, args[0])
	n := t.memory(ir.Load, ir.Uint64, at, count, nil)
	goesOn := t.add(ir.Lt, ir.Bool, n, t.memory(ir.Load, ir.Uint64, at, limit, nil))
	return t.either(goesOn, []ir.Kind{ir.Bool}, func() []*ir.Value {
		t.memory(ir.Store, ir.Uint64, at, count, t.add(ir.Add, ir.Uint64, n, t.f.Int(ir.Uint64, 1)))
		return []*ir.Value{t.f.Int(ir.Bool, 1)}
	}, t.functions().rarely(call))
}
