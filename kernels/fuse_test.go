package kernels

import (
	"strings"
	"testing"
)

// chainOf is gelu(tanh(x·2 + 1)·y + b), with b repeated along the rows or not.
func chainOf(b FusedWalk, t DType) *Fused {
	in := func(i uint8) FusedRef { return FusedRef{FromInput, i} }
	step := func(i uint8) FusedRef { return FusedRef{FromStep, i} }
	return &Fused{
		Inputs:  []FusedInput{{t, FusedDense}, {t, FusedDense}, {t, b}},
		Numbers: []DType{t, t},
		Steps: []FusedStep{
			{Kind: FusedBinary, Op: "mul", In: t, Out: t, Args: [3]FusedRef{in(0), {FromNumber, 0}}},
			{Kind: FusedBinary, Op: "add", In: t, Out: t, Args: [3]FusedRef{step(0), {FromNumber, 1}}},
			{Kind: FusedUnary, Op: "tanh", In: t, Out: t, Args: [3]FusedRef{step(1)}},
			{Kind: FusedBinary, Op: "mul", In: t, Out: t, Args: [3]FusedRef{step(2), in(1)}},
			{Kind: FusedBinary, Op: "add", In: t, Out: t, Args: [3]FusedRef{step(3), in(2)}},
			{Kind: FusedUnary, Op: "gelu", In: t, Out: t, Args: [3]FusedRef{step(4)}},
		},
		Rank: 2, Pack: 16 / t.Size(),
	}
}

func TestFusedSource(t *testing.T) {
	f := chainOf(FusedStrided, F32)
	source, err := f.Source()
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(source, "#line 1 \""+f.Symbol()+"\"\n")
	t.Log(text)
}
