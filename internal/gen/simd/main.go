// Command simd writes the vector code of package tensor/internal/simd: each function once for processors with AVX2 and
// FMA and once for those with AVX-512. It is a module of its own so that those who build gorocm do not need the
// assembler library avo. Run it with go generate ./tensor/internal/simd.
package main

import (
	"flag"
	"log"
	"os"

	. "github.com/mmcloughlin/avo/build"
)

func main() {
	if len(os.Args) == 3 && os.Args[1] == "broadcast" {
		if err := broadcast(os.Args[2]); err != nil {
			log.Fatal(err)
		}
		return
	}
	ConstraintExpr("amd64")
	for _, w := range []width{{vectors{name: "AVX2", bytes: 32}}, {vectors{name: "AVX512", bytes: 64}}} {
		for _, stream := range []bool{false, true} {
			v := w
			if stream {
				v.stream, v.name = true, "Stream"+w.name
			}
			arithmetic(v)
			exponentials(v)
			logarithms(v)
			errorFunctions(v)
			formulas(v)
			doubleArithmetic(v)
			widening(v)
			truncating(v)
			integers(v)
		}
		powers(w)
		trigonometry(w)
		doubles(w)
		narrowing(w)
		halves(w)
		w.comparisons()
		w.where()
		reductions(w)
		wholeReductions(w)
		rows(w)
		products(w)
	}
	TEXT("fence", NOSPLIT, "func()")
	Doc("fence makes what was written past the caches visible to other cores.")
	SFENCE()
	RET()
	tables := flag.String("tables", "", "file for the functions of formulas by row")
	Generate()
	if err := writeTables(*tables); err != nil {
		log.Fatal(err)
	}
}
