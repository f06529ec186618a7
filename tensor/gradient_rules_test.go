package tensor

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/kernels/expr"
)

// TestEveryFloatRowHasAGradient: every elementwise operation of the table that takes floats has the formula of its
// gradient. What has none on purpose, because its results change in steps, has 0. The structured operations are checked
// by devicetest.Gradients, method by method.
func TestEveryFloatRowHasAGradient(t *testing.T) {
	without := []string{"trigamma", "nextafter"} // the derivative of the first is no operation
	check := func(name string, on []kernels.DType) {
		if want := slices.ContainsFunc(on, kernels.DType.IsFloat) && !slices.Contains(without, name); want !=
			(gradientRules[name] != nil) {
			t.Errorf("%s has a Grad in its row: %v, want %v", name, !want, want)
		}
	}
	for _, op := range kernels.Unary {
		check(op.Name, op.On)
	}
	for _, op := range kernels.Params {
		check(op.Name, op.On)
	}
	for _, op := range kernels.Binary {
		check(op.Name, op.On)
	}
}

// TestMissingGradient: a forgotten formula is an error that names the operation, for those who ask for its gradient.
func TestMissingGradient(t *testing.T) {
	forgotten := []string{"exp", "elu", "add"}
	were := map[string][]expr.Expr{}
	for _, op := range forgotten {
		were[op] = gradientRules[op]
		delete(gradientRules, op)
	}
	defer maps.Copy(gradientRules, were)
	w := NewVar(Of(1, 2))
	for op, y := range map[string]*Tensor{"exp": w.Exp(), "elu": w.Elu(1), "add": w.Add(1)} {
		err := Catch(func() error { y.Sum().Backward(); return nil })
		if !errors.Is(err, ErrGradient) || err.Error() != "backward: "+op+" has no gradient rule" {
			t.Errorf("%s: %+v", op, err)
		}
	}
}

// TestForeignErrors: whatever error reaches check, the panic is an *Error.
func TestForeignErrors(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
		kind error
	}{
		{io.ErrUnexpectedEOF, "tensor: unexpected EOF", ErrDriver},
		{fmt.Errorf("while it was read: %w", fault("add", ErrShape, nil, "sizes").note("do this")),
			"add: while it was read: add: sizes", ErrShape},
		{errors.Join(errors.New("one"), errors.New("two")), "tensor: one\n  note: two", ErrDriver},
	} {
		err := Catch(func() error { check(c.err); return nil })
		if got := fmt.Sprintf("%+v", err); !strings.HasPrefix(got, c.want) || !errors.Is(err, c.kind) ||
			!errors.Is(err, c.err) {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}
