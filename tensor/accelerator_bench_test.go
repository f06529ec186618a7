package tensor

import (
	"fmt"
	"testing"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
)

// BenchmarkFirstUse times what the first use of each kernel family takes: compiling it, and loading what an earlier process
// compiled from the disk. An emulated device has code objects already; there the compiler for cells stands in. One run is one first use:
//
//	go test ./tensor -run xxx -bench FirstUse -benchtime 1x
func BenchmarkFirstUse(b *testing.B) {
	for _, location := range []string{"rocm:0", "cuda:0"} {
		dev, err := rocm.Open(location)
		if err != nil {
			continue
		}
		b.Setenv("GOROCM_CACHE", b.TempDir())
		for _, family := range kernels.Families() {
			source, err := kernels.Source(family)
			if err != nil {
				b.Fatal(err)
			}
			first := kernels.Symbols(family)[0]
			use := func(b *testing.B, name, source string) {
				module, err := dev.Compile(name, source)
				if err != nil {
					b.Skip(err)
				}
				if _, err := module.Function(first); err != nil {
					b.Fatal(err)
				}
			}
			unlike := 0 // any other
			b.Run(fmt.Sprintf("%s/%s/compiled", location, family), func(b *testing.B) {
				for b.Loop() {
					unlike++
					use(b, family, fmt.Sprintf("%s// %d\n", source, unlike))
				}
			})
			b.Run(fmt.Sprintf("%s/%s/cached", location, family), func(b *testing.B) {
				use(b, family, source)
				for b.Loop() {
					unlike++
					use(b, fmt.Sprint(family, unlike), source)
				}
			})
		}
	}
}
