package native

import "testing"

// BenchmarkCompile is the time that a random function of usual length takes, with its checks by go/types.
func BenchmarkCompile(b *testing.B) {
	src := randomSource(7)
	compileAll(b, src)
	for b.Loop() {
		compileAll(b, src)
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/20, "µs/function")
}
