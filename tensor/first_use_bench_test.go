package tensor

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
)

// BenchmarkFirstUse times what the first use of kernels takes, one of each family: compiling it, and loading what an
// earlier process compiled from the disk. An emulated device has code objects already; there the compiler for cells
// stands in, and has the whole family to compile. One run is one first use:
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
			symbols := kernels.Symbols(family)
			first := symbols[max(0, slices.IndexFunc(symbols,
				func(s string) bool { return strings.HasSuffix(s, "_f32") }))]
			source, err := kernels.Source(family)
			if !kernels.HasObjects(dev.Info().Arch) {
				source, err = kernels.KernelSource(first)
			}
			if err != nil {
				b.Fatal(err)
			}
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
