package quant

import (
	"fmt"
	"strings"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/access"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// Operations on packed blocks on a GPU. The kernels are those of kernels/quant.hip.

const (
	threads   = 256
	maxBlocks = 1 << 14
	part      = 32 // elements of a row that kernels take at a time

	// Products with so many rows of x read the packed matrix once for each row, for every four, or for every eight.
	// With more rows they are made in tiles, which take the same time however empty they are: of 32 × 32 on matrix
	// cores, where they pay sooner, or of 64 × 64. See docs/quantized.md.
	maxSingle     = 1
	maxFour       = 4
	maxEight      = 32
	maxEightCores = 8
)

// launch runs a kernel of package kernels on a GPU.
func launch(dev *tensor.Device, kernel string, grid [3]int, args *rocm.Args) {
	if err := access.Backend(dev).(backend.Launcher).Launch(kernel, grid, args); err != nil {
		panic(&tensor.Error{Op: "quantized", Kind: tensor.ErrDriver, Message: strings.TrimPrefix(err.Error(), "rocm: "),
			Err: err})
	}
}

// grid is for n independent pieces of work, each for a block.
func grid(n, each int) int { return min((n+each-1)/each, maxBlocks) }

func kernelName(t Type) string { return strings.ToLower(t.String()) }

// pointer adds the elements of a contiguous tensor to arguments.
func pointer(args *rocm.Args, t *tensor.Tensor) *rocm.Args {
	b, offset := access.Buffer(t)
	return args.Buffer(b, offset)
}

// dequantized unpacks blocks: to F32, F16 or BF16 directly, to other types through F32.
func dequantized(t Type, packed *tensor.Tensor, shape []int, dt tensor.DType) *tensor.Tensor {
	to := dt
	if dt != tensor.F16 && dt != tensor.BF16 {
		to = tensor.F32
	}
	out := packed.Device().Empty(to, shape...)
	if n := out.ElemCount(); n > 0 {
		args := pointer(pointer(rocm.NewArgs(), packed), out).U64(uint64(n / part))
		launch(packed.Device(), fmt.Sprintf("dequantize_%s_%v", kernelName(t), to), [3]int{grid(n/4, threads), 1, 1},
			args)
	}
	return out.ToDType(dt)
}

// deviceProduct is x·wᵀ, of type dt, for w of rows × cols packed blocks.
func deviceProduct(t Type, packed *tensor.Tensor, rows, cols int, x *tensor.Tensor, dt tensor.DType) *tensor.Tensor {
	dev := x.Device()
	if x.DType() != tensor.F16 && x.DType() != tensor.BF16 {
		x = x.ToDType(tensor.F32)
	}
	x = x.Contiguous()
	shape := x.Dims()
	shape[len(shape)-1] = rows
	n := x.ElemCount()
	if n == 0 || rows == 0 {
		return dev.Zeros(dt, shape...)
	}
	if dt != tensor.F32 && x.DType() == dt && asFloats(packed, n/cols) {
		w := dequantized(t, packed, []int{rows, cols}, dt)
		defer w.Free()
		return x.MatMul(w.T())
	}
	out, result := resultOf(shape, dt, dev)
	parts := dev.Empty(tensor.U8, n/part*kernels.BlockPartBytes)
	defer parts.Free()
	rounding := "quantize_q8_0"
	if formats[t].with == Q8K {
		rounding = "quantize_q8k"
	}
	launch(dev, fmt.Sprintf("%s_%v", rounding, x.DType()), [3]int{grid(n/8, threads), 1, 1},
		pointer(pointer(rocm.NewArgs(), x), parts).U64(uint64(n/part)))

	columns := n / cols
	product := kernels.BlockProduct{Rows: uint64(rows), Cols: uint64(columns), Parts: uint64(cols / part), Type: result}
	if wideProduct(t, packed, rows, columns) {
		codesProduct(t, packed, parts, out, product)
		return out.ToDType(dt)
	}
	args := pointer(pointer(pointer(rocm.NewArgs(), packed), parts), out).Struct(&product)
	if tiles := tileGrid(dev, rows, columns); tiles != nil {
		launch(dev, "matmul_"+kernelName(t), *tiles, args)
	} else {
		launch(dev, walk(columns)+kernelName(t), walkGrid(product), args)
	}
	return out.ToDType(dt)
}

// asFloats reports whether the product of a matrix and so many rows of F16 or BF16 is one of floats, by the GPU's BLAS
// library: w is unpacked to the type of x, which takes a part of the time that so many rows take. It is a variable for
// tests. See docs/performance.md, "Prompts of packed weights".
var asFloats = func(packed *tensor.Tensor, columns int) bool {
	const minColumns = 128
	if columns < minColumns {
		return false
	}
	b, _ := access.Buffer(packed)
	return b.Device().BLAS().Name != ""
}

// tileGrid is the grid of a product in tiles, nil for so few columns that rows are read for a few of them at a time.
func tileGrid(dev *tensor.Device, rows, columns int) *[3]int {
	tile := kernels.BlockTile(dev.Arch())
	if columns <= maxEightCores || tile == 64 && columns <= maxEight {
		return nil
	}
	return &[3]int{grid(rows, tile), grid(columns, tile), 1}
}

// resultOf returns memory for a product, of F32 where kernels do not compute dt, and the kernels' number for its
// type.
func resultOf(shape []int, dt tensor.DType, dev *tensor.Device) (out *tensor.Tensor, number uint64) {
	number, ok := kernels.BlockResult(dt)
	if !ok {
		dt = tensor.F32
	}
	return dev.Empty(dt, shape...), number
}

// walk is the prefix of the kernel that reads each row of the matrix once for so many columns.
func walk(columns int) string {
	switch {
	case columns <= maxSingle:
		return "matvec1_"
	case columns <= maxFour:
		return "matvec4_"
	}
	return "matvec8_"
}

// walkGrid is the grid of such a kernel, in which groups of threads share rows, and each of its second dimension takes
// eight columns.
func walkGrid(p kernels.BlockProduct) [3]int {
	group := 1
	for group < 32 && group < int(p.Parts) {
		group *= 2
	}
	return [3]int{grid(int(p.Rows), threads/group), grid(int(p.Cols), 8), 1}
}

// floatProduct is x·wᵀ, of type dt, for w [rows cols] of F16 or BF16, with x rounded to its type, added in F32. For
// few columns it reads w once.
func floatProduct(w, x *tensor.Tensor, dt tensor.DType) *tensor.Tensor {
	const (
		eight     = 8 // elements that the kernel takes at a time
		maxFloats = 8 // columns
	)
	rows, cols := w.Dim(0), w.Dim(1)
	n := x.ElemCount()
	if columns := n / max(cols, 1); columns == 0 || columns > maxFloats || rows == 0 || cols%eight != 0 {
		return x.ToDType(w.DType()).ToDType(tensor.F32).MatMul(w.ToDType(tensor.F32).T()).ToDType(dt)
	}
	x = x.ToDType(tensor.F32).Contiguous()
	if _, offset := access.Buffer(x); offset%16 != 0 { // it is read 16 bytes at a time
		x = x.Copy()
	}
	shape := x.Dims()
	shape[len(shape)-1] = rows
	out, result := resultOf(shape, dt, x.Device())
	product := kernels.BlockProduct{Rows: uint64(rows), Cols: uint64(n / cols), Parts: uint64(cols / eight),
		Type: result}
	launch(w.Device(), walk(min(n/cols, maxFour))+w.DType().String(), walkGrid(product),
		pointer(pointer(pointer(rocm.NewArgs(), w), x), out).Struct(&product))
	return out.ToDType(dt)
}
