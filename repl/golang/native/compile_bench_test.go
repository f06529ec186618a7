package native

import (
	"math/rand/v2"
	"testing"
)

// BenchmarkCompile is the time that a random function of usual length takes, with its checks by go/types.
func BenchmarkCompile(b *testing.B) {
	g := &generator{r: rand.New(rand.NewPCG(7, 1))}
	for i := range 20 {
		g.function(i)
	}
	src := "import \"math\"\n\nfunc first(n int, x float64) int { return n }\nfunc root(x float64) float64 { return math.Sqrt(x) }\n\n" +
		g.out.String()
	compileAll(b, src)
	for b.Loop() {
		compileAll(b, src)
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/20, "µs/function")
}
