package lower

import (
	"go/ast"
	"go/types"

	"github.com/gorocm/gorocm/repl/golang/check"
	"github.com/gorocm/gorocm/repl/golang/lower/typing"
	"github.com/gorocm/gorocm/repl/golang/run"
)

// Refuse returns the failure of a checked cell with types or values that the session has no memory for, before it has
// run-time types, variables or frames for any of them. Generic functions are looked at by instances: see printInstance.
func (st *State) Refuse(ck *check.Checked) *check.Failure {
	large := st.large(ck.Info, nil)
	for _, d := range ck.Decls {
		if fd, ok := d.Node.(*ast.FuncDecl); !ok {
			if f := large.In(d.Node); f != nil {
				return f
			}
		} else if fd.Recv == nil && fd.Type.TypeParams == nil {
			if f := large.In(fd.Type); f != nil {
				return f
			}
		}
	}
	for _, fn := range ck.Funcs {
		if len(fn.TypeParams) == 0 {
			if f := large.In(fn.Syntax); f != nil {
				return f
			}
		}
	}
	if ck.Body != nil {
		if f := large.In(ck.Body); f != nil {
			return f
		}
	}
	total := int64(0)
	for _, v := range ck.Vars {
		if st.Slots.Of(v.Slot) == nil {
			total += large.Bytes(v.Slot.Type())
		}
	}
	for _, r := range ck.Retyped {
		total += large.Bytes(r.New.Type())
	}
	return run.Refuse(st.rt.Memory, total)
}

// large looks for such types and values in a function: in an instance with the type arguments of env.
func (st *State) large(info *types.Info, env *typing.Env) *check.Large {
	return &check.Large{Scope: st.scope, Info: info, Limit: int64(min(st.rt.Memory.Limit, 1<<50)), Instance: env != nil,
		Subst: func(t types.Type) types.Type { return st.Types.Subst(t, env) },
		Refused: func(what string, bytes int64) *check.Failure {
			return run.Refused(st.rt.Memory, what, bytes)
		}}
}
