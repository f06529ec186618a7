package simd

import (
	"os"

	"golang.org/x/sys/cpu"
)

var (
	avx2 = Functions{
		Name: "AVX2",
		Add:  addAVX2, Sub: subAVX2, Mul: mulAVX2, Div: divAVX2, Maximum: maximumAVX2, Minimum: minimumAVX2,
		Neg: negAVX2, Abs: absAVX2, Sqrt: sqrtAVX2, Recip: recipAVX2, Relu: reluAVX2,
		Exp: expAVX2, Tanh: tanhAVX2, Sigmoid: sigmoidAVX2, Silu: siluAVX2, Gelu: geluAVX2,
		Affine: affineAVX2,
		Sum:    sumAVX2, Squares: squaresAVX2, ExpSum: expSumAVX2, AddRows: addRowsAVX2,
		Greatest: greatestAVX2, Least: leastAVX2, Find: findAVX2, FindNaN: findNaNAVX2,
		Standardize: standardizeAVX2, Normalize: normalizeAVX2, Scale: scaleAVX2,
		Tile: tileAVX2, TileColumns: 16, Transpose: transposeAVX2, Dot: dotAVX2, AddScaled: addScaledAVX2,
	}
	avx2Stream = Functions{
		Name: "AVX2",
		Add:  addStreamAVX2, Sub: subStreamAVX2, Mul: mulStreamAVX2, Div: divStreamAVX2, Maximum: maximumStreamAVX2, Minimum: minimumStreamAVX2,
		Neg: negStreamAVX2, Abs: absStreamAVX2, Sqrt: sqrtStreamAVX2, Recip: recipStreamAVX2, Relu: reluStreamAVX2,
		Exp: expStreamAVX2, Tanh: tanhStreamAVX2, Sigmoid: sigmoidStreamAVX2, Silu: siluStreamAVX2, Gelu: geluStreamAVX2,
		Affine: affineStreamAVX2, Fence: fence,
	}
	avx512 = Functions{
		Name: "AVX-512",
		Add:  addAVX512, Sub: subAVX512, Mul: mulAVX512, Div: divAVX512, Maximum: maximumAVX512, Minimum: minimumAVX512,
		Neg: negAVX512, Abs: absAVX512, Sqrt: sqrtAVX512, Recip: recipAVX512, Relu: reluAVX512,
		Exp: expAVX512, Tanh: tanhAVX512, Sigmoid: sigmoidAVX512, Silu: siluAVX512, Gelu: geluAVX512,
		Affine: affineAVX512,
		Sum:    sumAVX512, Squares: squaresAVX512, ExpSum: expSumAVX512, AddRows: addRowsAVX512,
		Greatest: greatestAVX512, Least: leastAVX512, Find: findAVX512, FindNaN: findNaNAVX512,
		Standardize: standardizeAVX512, Normalize: normalizeAVX512, Scale: scaleAVX512,
		Tile: tileAVX512, TileColumns: 32, Transpose: transposeAVX2, Dot: dotAVX512, AddScaled: addScaledAVX512,
	}
	avx512Stream = Functions{
		Name: "AVX-512",
		Add:  addStreamAVX512, Sub: subStreamAVX512, Mul: mulStreamAVX512, Div: divStreamAVX512, Maximum: maximumStreamAVX512, Minimum: minimumStreamAVX512,
		Neg: negStreamAVX512, Abs: absStreamAVX512, Sqrt: sqrtStreamAVX512, Recip: recipStreamAVX512, Relu: reluStreamAVX512,
		Exp:  expStreamAVX2, // faster from memory: measured
		Tanh: tanhStreamAVX512, Sigmoid: sigmoidStreamAVX512, Silu: siluStreamAVX512, Gelu: geluStreamAVX512,
		Affine: affineStreamAVX512, Fence: fence,
	}
)

// level is one kind of processor.
type level struct{ plain, stream Functions }

// levels returns what this processor can run, the fastest last.
func levels() []level {
	if !cpu.X86.HasAVX2 || !cpu.X86.HasFMA || !cpu.X86.HasBMI1 || !cpu.X86.HasBMI2 {
		return nil
	}
	list := []level{{avx2, avx2Stream}}
	if cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512VL {
		list = append(list, level{avx512, avx512Stream})
	}
	return list
}

// fastest returns what the processor does best, or what GOROCM_SIMD asks for: go, avx2.
func fastest() (plain, stream Functions) {
	list := levels()
	switch os.Getenv("GOROCM_SIMD") {
	case "go":
		list = nil
	case "avx2":
		list = list[:min(1, len(list))]
	}
	if len(list) == 0 {
		return Functions{Name: "Go"}, Functions{}
	}
	best := list[len(list)-1]
	return best.plain, best.stream
}
