package tensor

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/kernels"
)

// TestEveryFloatRowHasARule: every operation of the table that takes floats has a gradient rule, and its kind of reduction one. What has none on purpose, because
// its results change in steps, has the rule that says so. The structured operations are checked by devicetest.Gradients, method by method.
func TestEveryFloatRowHasARule(t *testing.T) {
	for _, op := range kernels.Unary {
		if unaryGradients[op.Name].back == nil {
			t.Errorf("%s has no rule in unaryGradients", op.Name)
		}
	}
	for _, op := range kernels.Params {
		if paramRule(op.Name, 0.5).back == nil {
			t.Errorf("%s has no rule in paramGradients", op.Name)
		}
	}
	for _, op := range kernels.Binary {
		if binaryGradients[op.Name] == nil {
			t.Errorf("%s has no rule in binaryGradients", op.Name)
		}
	}
}

// TestMissingRule: a forgotten rule is an error that names the operation, for those who ask for its gradient.
func TestMissingRule(t *testing.T) {
	unary, param, binary := unaryGradients["exp"], paramGradients["elu"], binaryGradients["add"]
	defer func() { unaryGradients["exp"], paramGradients["elu"], binaryGradients["add"] = unary, param, binary }()
	delete(unaryGradients, "exp")
	delete(paramGradients, "elu")
	delete(binaryGradients, "add")
	w := NewVar(Of(1, 2))
	for op, y := range map[string]*Tensor{"exp": w.Exp(), "elu": w.Elu(1), "add": w.Add(1)} {
		err := Catch(func() error { y.SumAll().Backward(); return nil })
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
		{fmt.Errorf("while it was read: %w", fault("add", ErrShape, nil, "sizes").note("do this")), "add: while it was read: add: sizes", ErrShape},
		{errors.Join(errors.New("one"), errors.New("two")), "tensor: one\n  note: two", ErrDriver},
	} {
		err := Catch(func() error { check(c.err); return nil })
		if got := fmt.Sprintf("%+v", err); !strings.HasPrefix(got, c.want) || !errors.Is(err, c.kind) || !errors.Is(err, c.err) {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}
