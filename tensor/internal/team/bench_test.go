package team

import (
	"runtime"
	"testing"
	"time"
)

// BenchmarkRegion times calls of Run whose parts do nothing, one for each core: what a region costs beside its
// work. "next" is one after the other, "apart" leaves 20 µs between them, and "idle" 2 ms, after which helpers sleep;
// "callers" has a goroutine for each core that calls it.
func BenchmarkRegion(b *testing.B) {
	cores := runtime.GOMAXPROCS(0)
	pause := func(d time.Duration) time.Duration {
		start := time.Now()
		if d >= time.Millisecond {
			time.Sleep(d)
		}
		for time.Since(start) < d {
		}
		return time.Since(start)
	}
	for _, c := range []struct {
		name string
		wait time.Duration
	}{{"next", 0}, {"apart", 20 * time.Microsecond}, {"idle", 2 * time.Millisecond}} {
		b.Run(c.name, func(b *testing.B) {
			var took time.Duration
			for b.Loop() {
				if c.wait > 0 {
					pause(c.wait)
				}
				start := time.Now()
				Run(cores, Grain, func(lo, hi int) {})
				took += time.Since(start)
			}
			b.ReportMetric(float64(took.Nanoseconds())/float64(b.N), "ns/region")
			joined := int64(0)
			for i := range shared.helpers {
				joined += shared.helpers[i].joined.Swap(0)
			}
			b.ReportMetric(float64(joined)/float64(b.N), "joined/region")
		})
	}
	b.Run("callers", func(b *testing.B) {
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				Run(cores, Grain, func(lo, hi int) {})
			}
		})
	})
}
