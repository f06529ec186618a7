package nn_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
)

// Parameters go to a file, and into a model of the same code.
func ExampleParams_Save() {
	folder, err := os.MkdirTemp("", "params")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "xor.safetensors")

	params := nn.NewParams(tensor.F32, tensor.CPU())
	model := newPerceptron(params)
	fmt.Println(params.Names(), params.Count())
	fmt.Println(params.Save(path))

	file, err := nn.OpenParams(path, tensor.F32, tensor.CPU())
	if err != nil {
		fmt.Println(err)
		return
	}
	defer file.Close()
	var again *perceptron
	fmt.Println(file.Build(func() { again = newPerceptron(file) }))
	x, _ := xor(tensor.CPU())
	fmt.Println(again.Forward(x).Sub(model.Forward(x)).Abs().Max().ToScalar())
	// Output:
	// [in.weight in.bias out.weight out.bias] 42
	// <nil>
	// <nil>
	// 0
}

// A model to use beside the one that is trained: it has the same parameters, and keeps nothing for gradients.
func ExampleParams_Detach() {
	params := nn.NewParams(tensor.F32, tensor.CPU())
	training := newPerceptron(params)
	using := newPerceptron(params.Detach())
	x, classes := xor(tensor.CPU())
	nn.BackwardStep(nn.NewSGD(params.Vars(), 0.1), nn.CrossEntropy(training.Forward(x), classes))
	fmt.Println(tensor.ToVec2[bool](using.Forward(x).Eq(training.Forward(x))), using.Forward(x).TrackOp())
	// Output: [[true true] [true true] [true true] [true true]] false
}

// Mixed precision: a model in F16 with the variables of one in F32, and a loss that is scaled up so that small
// gradients do not become zero in F16.
func ExampleParamsOf() {
	dev := tensor.CPU()
	dev.SetSeed(1)
	params := nn.NewParams(tensor.F32, dev)
	newPerceptron(params) // makes the variables
	scale := 65536.0
	config := nn.DefaultAdamW()
	config.LR, config.Gradients = 0.05, nn.Gradients{Scale: scale, SkipNotFinite: true}
	opt := nn.NewAdamW(params.Vars(), config)

	x, classes := xor(dev)
	for range 200 {
		half := newPerceptron(nn.ParamsOf(params.All(), tensor.F16, dev)) // converts them as they are now
		loss := nn.CrossEntropy(half.Forward(x.ToDType(tensor.F16)).ToDType(tensor.F32), classes)
		skipped := opt.Skipped()
		opt.Step(loss.Mul(scale).Backward())
		if opt.Skipped() > skipped { // a gradient was too large for F16
			scale /= 2
			opt.Config.Gradients.Scale = scale
		}
	}
	fmt.Println(tensor.ToVec1[uint32](newPerceptron(params).Forward(x).ArgMax(1)))
	// Output: [0 1 1 0]
}

// The weights of attention are softmax(q·kᵀ/√size); a causal query sees the keys up to its own.
func ExampleAttention() {
	q := tensor.Zeros(1, 1, 3, 2) // all keys count alike
	v := tensor.Of(0, 2, 7).Reshape(1, 1, 3, 1)
	fmt.Printf("%.3f\n", nn.Attention(q, q, v, nn.Attend{Causal: true}).FlattenAll().ToVec1())
	// Output: [0.000 1.000 3.000]
}

func ExampleCrossEntropy() {
	logits := tensor.New([][]float32{{0, 0}, {0, 0}})
	classes := tensor.New([]uint32{0, 1})
	fmt.Printf("%.4f\n", nn.CrossEntropy(logits, classes).ToScalar()) // ln 2
	// Output: 0.6931
}

func ExampleCrossEntropyWith() {
	logits := tensor.New([][]float32{{2, 0}, {0, 1}, {5, 5}})
	classes := tensor.New([]int64{0, 1, -100}) // the last row is padding
	loss := nn.CrossEntropyWith(logits, classes, nn.CrossEntropyOptions{
		IgnoreIndex: new(-100), LabelSmoothing: 0.1, Reduction: nn.ReduceNone})
	fmt.Printf("%.4f\n", loss.ToVec1())
	// Output: [0.2269 0.3633 0.0000]
}

func ExampleWarmup() {
	schedule := nn.Warmup(0.1, 2, nn.CosineDecay(0.1, 0, 4))
	for step := range 6 {
		fmt.Printf("%.3f ", schedule(step))
	}
	// Output: 0.050 0.100 0.100 0.085 0.050 0.015
}
