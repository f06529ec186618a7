package native

import (
	"go/token"
	"go/types"

	"github.com/gorocm/gorocm/repl/golang/native/layouts"
)

// sameLayouts refuses a function whose parameters or results interpreted code keeps otherwise in memory than Go does.
func (p *Program) sameLayouts(sig *types.Signature, pos token.Pos) *Reason {
	for _, tuple := range []*types.Tuple{sig.Params(), sig.Results()} {
		for v := range tuple.Variables() {
			if bad := sameLayout(v.Type(), p.typeOf(v.Type())); bad != nil {
				return refuse(pos, "it has a parameter or result with a %s", types.TypeString(bad, nil))
			}
		}
	}
	return nil
}

// What package layouts knows of types, by short names.
var (
	sizes       = layouts.Sizes
	layout      = layouts.Layout
	words       = layouts.Words
	kindOf      = layouts.KindOf
	tupleWords  = layouts.TupleWords
	isEmpty     = layouts.IsEmpty
	hasPointers = layouts.HasPointers
	isString    = layouts.IsString
	isComplex   = layouts.IsComplex
	fieldOffset = layouts.FieldOffset
	sameLayout  = layouts.Same
)
