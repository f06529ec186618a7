package quickselect

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestNth(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		v := make([]int, 1+r.IntN(60))
		for i := range v {
			v[i] = r.IntN(1 + r.IntN(80)) // with few or many that are equal
		}
		want, k := slices.Sorted(slices.Values(v)), r.IntN(len(v))
		got := Nth(v, k)
		if got != want[k] || v[k] != got || slices.Max(v[:k+1]) != got || slices.Min(v[k:]) != got {
			t.Fatalf("element %d of %v: %d in %v", k, want, got, v)
		}
		if slices.Sort(v); !slices.Equal(v, want) {
			t.Fatalf("%v has become %v", want, v)
		}
	}
}
