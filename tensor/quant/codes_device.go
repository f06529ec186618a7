package quant

import (
	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/access"
)

// wideProduct reports whether a product of a matrix and so many columns unpacks its operands first, by
// kernels/codes.hip: on GPUs on which products of blocks use matrix cores, for many columns, and with tiles for most of
// the GPU's units. On an H200 it takes the shorter time then: see docs/performance.md. It is a variable for tests.
var wideProduct = func(t Type, packed *tensor.Tensor, rows, columns int) bool {
	const minColumns = 128
	if columns < minColumns || kernels.BlockTile(packed.Device().Arch()) != 32 || !hasCodes(t) {
		return false
	}
	b, _ := access.Buffer(packed)
	tiles := grid(rows, kernels.CodesTile) * grid(columns, kernels.CodesTile)
	return tiles >= b.Device().Info().ComputeUnits*3/4
}

// hasCodes reports whether kernels/codes.hip unpacks blocks of a format.
func hasCodes(t Type) bool {
	has, _ := kernels.BlockCodes(kernelName(t))
	return has != ""
}

// codesProduct writes x·wᵀ to out: of packed blocks, and of x as the kernels round it. Its memory, a byte for each
// element of w and x and their scales, is free again when it returns.
func codesProduct(t Type, packed, x, out *tensor.Tensor, product kernels.BlockProduct) {
	dev := out.Device()
	has, besides := kernels.BlockCodes(kernelName(t))
	w, ws := unpackedCodes("unpack_"+kernelName(t), packed, product.Rows, product.Parts, besides)
	codes, scales := unpackedCodes("unpack_rows", x, product.Cols, product.Parts, 2)
	args := pointer(pointer(pointer(pointer(rocm.NewArgs(), w), ws), codes), scales)
	launch(dev, "matmul_codes_"+has, [3]int{grid(int(product.Cols), kernels.CodesTile),
		grid(int(product.Rows), kernels.CodesTile), 1}, pointer(args, out).Struct(&product))
	for _, t := range []*tensor.Tensor{w, ws, codes, scales} {
		t.Free()
	}
}

// unpackedCodes returns the codes of rows of a block format as bytes, and the numbers that parts have besides.
func unpackedCodes(kernel string, packed *tensor.Tensor, rows, parts uint64, besides int) (codes,
	scales *tensor.Tensor) {
	dev := packed.Device()
	codes = dev.Empty(tensor.U8, int(rows), int(parts)*part)
	scales = dev.Empty(tensor.F32, int(parts), int(rows), besides)
	launch(dev, kernel, [3]int{grid(int(parts)*2, threads), min(int(rows), maxBlocks), 1},
		pointer(pointer(pointer(rocm.NewArgs(), packed), codes), scales).U64(rows).U64(parts))
	return codes, scales
}
