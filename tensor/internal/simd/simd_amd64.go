package simd

import (
	"os"

	"golang.org/x/sys/cpu"
)

// levels returns the functions that this processor can run, the fastest last.
func levels() []Functions {
	var list []Functions
	if cpu.X86.HasAVX2 && cpu.X86.HasFMA && cpu.X86.HasBMI2 {
		list = append(list, Functions{
			Name: "AVX2",
			Add:  addAVX2, Sub: subAVX2, Mul: mulAVX2, Div: divAVX2, Maximum: maximumAVX2, Minimum: minimumAVX2,
			Neg: negAVX2, Abs: absAVX2, Sqrt: sqrtAVX2, Recip: recipAVX2, Relu: reluAVX2,
			Exp: expAVX2, Tanh: tanhAVX2, Sigmoid: sigmoidAVX2, Silu: siluAVX2, Gelu: geluAVX2,
			Affine: affineAVX2,
		})
		if cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512VL {
			list = append(list, Functions{
				Name: "AVX-512",
				Add:  addAVX512, Sub: subAVX512, Mul: mulAVX512, Div: divAVX512, Maximum: maximumAVX512, Minimum: minimumAVX512,
				Neg: negAVX512, Abs: absAVX512, Sqrt: sqrtAVX512, Recip: recipAVX512, Relu: reluAVX512,
				Exp: expAVX512, Tanh: tanhAVX512, Sigmoid: sigmoidAVX512, Silu: siluAVX512, Gelu: geluAVX512,
				Affine: affineAVX512,
			})
		}
	}
	return list
}

// fastest returns what the processor does best, or what GOROCM_SIMD asks for: go, avx2.
func fastest() Functions {
	list := levels()
	switch os.Getenv("GOROCM_SIMD") {
	case "go":
		list = nil
	case "avx2":
		list = list[:min(1, len(list))]
	}
	if len(list) == 0 {
		return Functions{Name: "Go"}
	}
	return list[len(list)-1]
}
