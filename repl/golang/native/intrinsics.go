package native

import (
	"go/types"

	"github.com/gorocm/gorocm/repl/golang/native/ir"
)

// intrinsics are functions that are operations here.
var intrinsics = map[string]ir.Op{
	"math.Sqrt": ir.Sqrt, "math.Abs": ir.Abs, "math.Float64bits": ir.Bits, "math.Float64frombits": ir.Bits,
	"math.Float32bits": ir.Bits, "math.Float32frombits": ir.Bits,
}

func isIntrinsic(f *types.Func) bool {
	if f.Pkg() == nil || f.Signature().Recv() != nil {
		return false
	}
	_, ok := intrinsics[f.Pkg().Path()+"."+f.Name()]
	return ok
}
