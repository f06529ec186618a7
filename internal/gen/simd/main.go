// Command simd writes the vector code of package tensor/internal/simd: each function once for processors with AVX2 and FMA and
// once for those with AVX-512. It is a module of its own so that those who build gorocm do not need the assembler library avo.
// Run it with go generate ./tensor/internal/simd.
package main

import . "github.com/mmcloughlin/avo/build"

func main() {
	ConstraintExpr("amd64")
	for _, w := range []width{{"AVX2", 32}, {"AVX512", 64}} {
		arithmetic(w)
		exponentials(w)
		reductions(w)
		rows(w)
		products(w)
	}
	Generate()
}
