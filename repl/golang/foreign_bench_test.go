package golang

import (
	"context"
	"testing"
)

// BenchmarkForeign is a call of a compiled function in a loop.
func BenchmarkForeign(b *testing.B) {
	for _, way := range []string{"1", "0"} {
		for name, call := range map[string]string{"index": `k += strings.Index("hello world", "wor")`,
			"builder": `b.WriteString("ab")`, "rand": "k += r.IntN(7)", "slow": "k += len(strings.Repeat(\"a\", 2))"} {
			b.Run(name+"/native="+way, func(b *testing.B) {
				b.Setenv("GOROCM_NATIVE", way)
				e, err := New(Options{})
				if err != nil {
					b.Fatal(err)
				}
				out := e.Eval(context.Background(), 1, "import \"math/rand/v2\"\nfunc f(n int, r *rand.Rand) (k int) { var b strings.Builder; for range n { "+
					call+" }; return k + b.Len() }\nr := rand.New(rand.NewPCG(1, 2))")
				if out.Failure != nil {
					b.Fatal(out.Failure)
				}
				b.ResetTimer()
				for range b.N {
					if out := e.Eval(context.Background(), 2, "f(10000, r)"); out.Failure != nil {
						b.Fatal(out.Failure)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1e4, "ns/call")
			})
		}
	}
}
