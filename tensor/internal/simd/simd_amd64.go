package simd

import (
	"os"

	"golang.org/x/sys/cpu"
)

var (
	avx2 = Functions{
		Name: "AVX2",
		Add:  addAVX2, Sub: subAVX2, Mul: mulAVX2, Div: divAVX2, Maximum: maximumAVX2, Minimum: minimumAVX2,
		Neg: negAVX2, Abs: absAVX2, Sqrt: sqrtAVX2, Recip: recipAVX2, Relu: reluAVX2, Sign: signAVX2, Floor: floorAVX2,
		Ceil: ceilAVX2, Round: roundAVX2,
		Exp: expAVX2, Tanh: tanhAVX2, Sigmoid: sigmoidAVX2, Silu: siluAVX2, Gelu: geluAVX2,
		Log: logAVX2, Erf: erfAVX2, GeluErf: geluErfAVX2, Expm1: expm1AVX2, Log1p: log1pAVX2,
		Formulas: formulasAVX2, Elu: eluAVX2,
		Sin: sinAVX2, Cos: cosAVX2, Tan: tanAVX2, Power: powerAVX2, Powers: powersAVX2,
		Affine: affineAVX2, Clamp: clampAVX2,
		Sum: sumAVX2, SumEach: sumEachAVX2, Squares: squaresAVX2, ExpSum: expSumAVX2, AddRows: addRowsAVX2,
		Max: reduceMaxAVX2, Min: reduceMinAVX2, Find: findAVX2, FindNaN: findNaNAVX2,
		Standardize: standardizeAVX2, Normalize: normalizeAVX2, Scale: scaleAVX2,
		Tile: tileAVX2, TileColumns: 16, Transpose: transposeAVX2, Dot: dotAVX2, AddScaled: addScaledAVX2,
		SumRows: sumRowsAVX2,
		Doubles: Doubles{
			Add: addDoublesAVX2, Sub: subDoublesAVX2, Mul: mulDoublesAVX2, Div: divDoublesAVX2,
			Maximum: maximumDoublesAVX2, Minimum: minimumDoublesAVX2,
			Sqrt: sqrtDoublesAVX2, Recip: recipDoublesAVX2, Abs: absDoublesAVX2, Floor: floorDoublesAVX2,
			Ceil: ceilDoublesAVX2, Exp: expDoublesAVX2, Log: logDoublesAVX2, Tanh: tanhDoublesAVX2,
			Polynomial: polynomialAVX2,
			Squares:    squaresDoublesAVX2, Absolutes: absolutesDoublesAVX2, Greatest: greatestDoublesAVX2,
			Sin: sinDoublesAVX2, Cos: cosDoublesAVX2, Sum: sumDoublesAVX2, AddTwofold: addTwofoldAVX2,
			Max: reduceMaxDoubleAVX2, Min: reduceMinDoubleAVX2, Tile: tileDoublesAVX2,
		},
		Ints: Ints{
			Add: addIntsAVX2, Sub: subIntsAVX2, Mul: mulIntsAVX2, AddLong: addLongsAVX2, SubLong: subLongsAVX2,
			AddBytes: addBytesAVX2, SubBytes: subBytesAVX2,
			SumLong: sumLongsAVX2,
		},
		Casts: Casts{
			AddHalves: halvesAddAVX2, SubHalves: halvesSubAVX2, MulHalves: halvesMulAVX2, DivHalves: halvesDivAVX2,
			HalfToFloat: halfToFloatAVX2, BfloatToFloat: bfloatToFloatAVX2, FloatToHalf: floatToHalfAVX2,
			FloatToBfloat: floatToBfloatAVX2,
			BytesToFloat:  bytesToFloatAVX2, IntsToFloat: intsToFloatAVX2, FloatToDouble: floatToDoubleAVX2,
			DoubleToFloat: doubleToFloatAVX2,
			FloatToInt:    floatToIntAVX2, FloatToLong: floatToLongAVX2, DoubleToLong: doubleToLongAVX2,
			SumHalf: sumHalvesAVX2, SumBfloat: sumBfloatsAVX2,
		},
		Equal: isEqualAVX2, Unequal: isUnequalAVX2, Less: isLessAVX2, AtMost: isAtMostAVX2, Where: whereAVX2,
	}
	avx2Stream = Functions{
		Name: "AVX2",
		Add:  addStreamAVX2, Sub: subStreamAVX2, Mul: mulStreamAVX2, Div: divStreamAVX2, Maximum: maximumStreamAVX2,
		Minimum: minimumStreamAVX2,
		Neg:     negStreamAVX2, Abs: absStreamAVX2, Sqrt: sqrtStreamAVX2, Recip: recipStreamAVX2, Relu: reluStreamAVX2,
		Sign: signStreamAVX2, Floor: floorStreamAVX2, Ceil: ceilStreamAVX2, Round: roundStreamAVX2,
		Exp: expStreamAVX2, Tanh: tanhStreamAVX2, Sigmoid: sigmoidStreamAVX2, Silu: siluStreamAVX2,
		Gelu: geluStreamAVX2,
		Log:  logStreamAVX2, Erf: erfStreamAVX2, GeluErf: geluErfStreamAVX2, Expm1: expm1StreamAVX2,
		Log1p:    log1pStreamAVX2,
		Formulas: formulasStreamAVX2,
		Affine:   affineStreamAVX2, Clamp: clampStreamAVX2, Copy: copyStreamAVX2, Fence: fence,
		Doubles: Doubles{
			Add: addDoublesStreamAVX2, Sub: subDoublesStreamAVX2, Mul: mulDoublesStreamAVX2, Div: divDoublesStreamAVX2,
			Maximum: maximumDoublesStreamAVX2, Minimum: minimumDoublesStreamAVX2,
			Sqrt: sqrtDoublesStreamAVX2, Recip: recipDoublesStreamAVX2, Abs: absDoublesStreamAVX2,
			Floor: floorDoublesStreamAVX2, Ceil: ceilDoublesStreamAVX2,
		},
		Ints: Ints{
			Add: addIntsStreamAVX2, Sub: subIntsStreamAVX2, Mul: mulIntsStreamAVX2, AddLong: addLongsStreamAVX2,
			SubLong:  subLongsStreamAVX2,
			AddBytes: addBytesStreamAVX2, SubBytes: subBytesStreamAVX2,
		},
		Casts: Casts{
			HalfToFloat: halfToFloatStreamAVX2, BfloatToFloat: bfloatToFloatStreamAVX2,
			BytesToFloat: bytesToFloatStreamAVX2,
			IntsToFloat:  intsToFloatStreamAVX2, FloatToDouble: floatToDoubleStreamAVX2,
			DoubleToFloat: doubleToFloatStreamAVX2,
			FloatToInt:    floatToIntStreamAVX2, FloatToLong: floatToLongStreamAVX2,
			DoubleToLong: doubleToLongStreamAVX2,
		},
	}
	avx512 = Functions{
		Name: "AVX-512",
		Add:  addAVX512, Sub: subAVX512, Mul: mulAVX512, Div: divAVX512, Maximum: maximumAVX512, Minimum: minimumAVX512,
		Neg: negAVX512, Abs: absAVX512, Sqrt: sqrtAVX512, Recip: recipAVX512, Relu: reluAVX512, Sign: signAVX512,
		Floor: floorAVX512, Ceil: ceilAVX512, Round: roundAVX512,
		Exp: expAVX512, Tanh: tanhAVX512, Sigmoid: sigmoidAVX512, Silu: siluAVX512, Gelu: geluAVX512,
		Log: logAVX512, Erf: erfAVX512, GeluErf: geluErfAVX512, Expm1: expm1AVX512, Log1p: log1pAVX512,
		Formulas: formulasAVX512, Elu: eluAVX512,
		Sin: sinAVX512, Cos: cosAVX512, Tan: tanAVX512, Power: powerAVX512, Powers: powersAVX512,
		Affine: affineAVX512, Clamp: clampAVX512,
		Sum: sumAVX512, SumEach: sumEachAVX512, Squares: squaresAVX512, ExpSum: expSumAVX512, AddRows: addRowsAVX512,
		Max: reduceMaxAVX512, Min: reduceMinAVX512, Find: findAVX512, FindNaN: findNaNAVX512,
		Standardize: standardizeAVX512, Normalize: normalizeAVX512, Scale: scaleAVX512,
		Tile: tileAVX512, TileColumns: 32, Transpose: transposeAVX2, Dot: dotAVX512, AddScaled: addScaledAVX512,
		SumRows: sumRowsAVX512,
		Doubles: Doubles{
			Add: addDoublesAVX512, Sub: subDoublesAVX512, Mul: mulDoublesAVX512, Div: divDoublesAVX512,
			Maximum: maximumDoublesAVX512, Minimum: minimumDoublesAVX512,
			Sqrt: sqrtDoublesAVX512, Recip: recipDoublesAVX512, Abs: absDoublesAVX512, Floor: floorDoublesAVX512,
			Ceil: ceilDoublesAVX512, Exp: expDoublesAVX512, Log: logDoublesAVX512, Tanh: tanhDoublesAVX512,
			Polynomial: polynomialAVX512,
			Squares:    squaresDoublesAVX512, Absolutes: absolutesDoublesAVX512, Greatest: greatestDoublesAVX512,
			Sin: sinDoublesAVX512, Cos: cosDoublesAVX512, Sum: sumDoublesAVX512, AddTwofold: addTwofoldAVX512,
			Max: reduceMaxDoubleAVX512, Min: reduceMinDoubleAVX512, Tile: tileDoublesAVX512,
		},
		Ints: Ints{
			Add: addIntsAVX512, Sub: subIntsAVX512, Mul: mulIntsAVX512, AddLong: addLongsAVX512,
			SubLong:  subLongsAVX512,
			AddBytes: addBytesAVX512, SubBytes: subBytesAVX512, SumLong: sumLongsAVX512,
		},
		Casts: Casts{
			AddHalves: halvesAddAVX512, SubHalves: halvesSubAVX512, MulHalves: halvesMulAVX512, DivHalves: halvesDivAVX512,
			HalfToFloat: halfToFloatAVX512, BfloatToFloat: bfloatToFloatAVX512, FloatToHalf: floatToHalfAVX512,
			FloatToBfloat: floatToBfloatAVX512,
			BytesToFloat:  bytesToFloatAVX512, IntsToFloat: intsToFloatAVX512, FloatToDouble: floatToDoubleAVX512,
			DoubleToFloat: doubleToFloatAVX512,
			FloatToInt:    floatToIntAVX512, FloatToLong: floatToLongAVX512, DoubleToLong: doubleToLongAVX512,
			SumHalf: sumHalvesAVX512, SumBfloat: sumBfloatsAVX512,
		},
		Equal: isEqualAVX512, Unequal: isUnequalAVX512, Less: isLessAVX512, AtMost: isAtMostAVX512, Where: whereAVX512,
	}
	avx512Stream = Functions{
		Name: "AVX-512",
		Add:  addStreamAVX512, Sub: subStreamAVX512, Mul: mulStreamAVX512, Div: divStreamAVX512,
		Maximum: maximumStreamAVX512, Minimum: minimumStreamAVX512,
		Neg: negStreamAVX512, Abs: absStreamAVX512, Sqrt: sqrtStreamAVX512, Recip: recipStreamAVX512,
		Relu: reluStreamAVX512, Sign: signStreamAVX512, Floor: floorStreamAVX512, Ceil: ceilStreamAVX512,
		Round: roundStreamAVX512,
		Exp:   expStreamAVX2, // faster from memory: measured
		Tanh:  tanhStreamAVX512, Sigmoid: sigmoidStreamAVX512, Silu: siluStreamAVX512, Gelu: geluStreamAVX512,
		Log: logStreamAVX512, Erf: erfStreamAVX512, GeluErf: geluErfStreamAVX512, Expm1: expm1StreamAVX512,
		Log1p:    log1pStreamAVX512,
		Formulas: formulasStreamAVX512,
		Affine:   affineStreamAVX512, Clamp: clampStreamAVX512, Copy: copyStreamAVX512, Fence: fence,
		Doubles: Doubles{
			Add: addDoublesStreamAVX512, Sub: subDoublesStreamAVX512, Mul: mulDoublesStreamAVX512,
			Div: divDoublesStreamAVX512, Maximum: maximumDoublesStreamAVX512, Minimum: minimumDoublesStreamAVX512,
			Sqrt: sqrtDoublesStreamAVX512, Recip: recipDoublesStreamAVX512, Abs: absDoublesStreamAVX512,
			Floor: floorDoublesStreamAVX512, Ceil: ceilDoublesStreamAVX512,
		},
		Ints: Ints{
			Add: addIntsStreamAVX512, Sub: subIntsStreamAVX512, Mul: mulIntsStreamAVX512, AddLong: addLongsStreamAVX512,
			SubLong:  subLongsStreamAVX512,
			AddBytes: addBytesStreamAVX512, SubBytes: subBytesStreamAVX512,
		},
		Casts: Casts{
			HalfToFloat: halfToFloatStreamAVX512, BfloatToFloat: bfloatToFloatStreamAVX512,
			BytesToFloat: bytesToFloatStreamAVX512,
			IntsToFloat:  intsToFloatStreamAVX512, FloatToDouble: floatToDoubleStreamAVX512,
			DoubleToFloat: doubleToFloatStreamAVX512,
			FloatToInt:    floatToIntStreamAVX512, FloatToLong: floatToLongStreamAVX512,
			DoubleToLong: doubleToLongStreamAVX512,
		},
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
