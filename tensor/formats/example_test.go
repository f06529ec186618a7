package formats_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/formats"
	"github.com/gorocm/gorocm/tensor/quant"
)

// A table of numbers: columns are picked with I.
func ExampleDecodeCSV() {
	text := "size,rooms,price\n50,2,175\n80,3,275\n"
	header, table, err := formats.DecodeCSV(strings.NewReader(text), ',', tensor.CPU())
	if err != nil {
		fmt.Println(err)
		return
	}
	x := table.I(tensor.All, tensor.Until(-1)).ToDType(tensor.F32) // all columns but the last
	y := table.I(tensor.All, -1).ToDType(tensor.F32)
	fmt.Println(header, table.Dims(), table.DType(), x.ToVec2(), y.ToVec1())
	// Output: [size rooms price] [2 3] f64 [[50 2] [80 3]] [175 275]
}

// Tensors with names and notes, of which one is read back: the others stay in the file.
func ExampleOpenSafetensors() {
	path := temporary("model.safetensors")
	defer os.RemoveAll(filepath.Dir(path))
	x := tensor.Arange(6).Reshape(2, 3)
	tensors := []formats.Named{{Name: "layer.weight", Tensor: x}, {Name: "layer.bias", Tensor: x.Get(0)}}
	if err := formats.WriteSafetensors(path, tensors, map[string]string{"by": "example"}); err != nil {
		fmt.Println(err)
		return
	}
	file, err := formats.OpenSafetensors(path)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer file.Close()
	bias, err := file.Tensor("layer.bias", tensor.CPU())
	fmt.Println(file.Names(), file.Metadata["by"], bias.ToVec1(), err)
	// Output: [layer.weight layer.bias] example [0 1 2] <nil>
}

// A model in a GGUF file: one matrix packed in four bits an element, a vector as it is, and two numbers about them.
func ExampleWriteGGUF() {
	path := temporary("model.gguf")
	defer os.RemoveAll(filepath.Dir(path))
	dev := tensor.CPU() // or tensor.NewDevice("rocm")
	weight, norm := dev.Ones(tensor.F32, 8, 256), dev.Ones(tensor.F32, 256)
	err := formats.WriteGGUF(path, []formats.Packed{
		{Name: "blk.0.ffn_up.weight", Tensor: quant.Quantize(weight, quant.Q4K)},
		{Name: "blk.0.ffn_norm.weight", Tensor: quant.Quantize(norm, quant.F32)},
	}, map[string]any{"general.architecture": "tiny", "tiny.block_count": uint32(1)})
	if err != nil {
		fmt.Println(err)
		return
	}
	file, err := formats.OpenGGUF(path)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer file.Close()
	up, err := file.Tensor("blk.0.ffn_up.weight")
	if err != nil {
		fmt.Println(err)
		return
	}
	blocks, _ := file.Metadata["tiny.block_count"].(uint64)
	fmt.Println(up, up.Bytes(), "bytes,", blocks, "block")
	fmt.Println(up.To(dev).MatMul(norm.Unsqueeze(0)).Dims())
	// Output:
	// QTensor[[8, 256], Q4K] 1152 bytes, 1 block
	// [1 8]
}

func ExampleWriteImage() {
	path := temporary("ramp.png")
	defer os.RemoveAll(filepath.Dir(path))
	ramp := tensor.Linspace(0, 1, 4).Reshape(1, 4) // [height width], 0 is dark
	if err := formats.WriteImage(path, ramp); err != nil {
		fmt.Println(err)
		return
	}
	picture, err := formats.ReadImage(path, tensor.CPU())
	fmt.Println(picture.Dims(), picture.DType(), tensor.ToVec1[uint8](picture.FlattenAll()), err)
	// Output: [1 1 4] u8 [0 85 170 255] <nil>
}

// temporary is a path in a folder of its own.
func temporary(name string) string {
	folder, err := os.MkdirTemp("", "formats")
	if err != nil {
		panic(err)
	}
	return filepath.Join(folder, name)
}
