package tensor_test

import (
	"errors"
	"fmt"
	"math"
	"sync"

	"github.com/gorocm/gorocm/tensor"
)

// A program that must go on when one of its inputs is wrong, such as a server, puts a Catch around what a request does.
func ExampleCatch() {
	weights := tensor.New([][]float32{{1, 0}, {0, 2}, {1, 1}}) // [3 2]
	predict := func(rows [][]float32) (classes []uint32, err error) {
		err = tensor.Catch(func() error {
			x := weights.Device().New(rows)
			classes = tensor.ToVec1[uint32](x.MatMul(weights).ArgMax(-1))
			return nil
		})
		return classes, err
	}
	fmt.Println(predict([][]float32{{3, 1, 0}, {0, 1, 1}}))
	_, err := predict([][]float32{{3, 1}})
	fmt.Println(err, errors.Is(err, tensor.ErrShape))
	// Output:
	// [0 1] <nil>
	// matmul: inner sizes differ: [1 2] × [3 2] (2 ≠ 3) true
}

// Goroutines share a device and its tensors. A panic on a goroutine ends the program, so each has a Catch of its own.
func ExampleCatch_goroutines() {
	x := tensor.Arange(6).Reshape(3, 2)
	sums, errs := make([]float64, 4), make([]error, 4)
	var all sync.WaitGroup
	for i := range sums {
		all.Go(func() {
			errs[i] = tensor.Catch(func() error {
				sums[i] = x.Get(i).Sum().ToScalar()
				return nil
			})
		})
	}
	all.Wait()
	fmt.Println(sums)
	fmt.Println(errs[3])
	// Output:
	// [1 5 9 0]
	// get: no element 3 in dim 0, which has 3, of shape [3 2]
}

// The slope and the intercept of a line, by gradient descent.
func ExampleTensor_Backward() {
	x := tensor.Of(0, 1, 2, 3)
	y := x.Affine(3, 1)
	w, b := tensor.NewVar(tensor.Of(0)), tensor.NewVar(tensor.Of(0))
	for range 200 {
		loss := x.Mul(w).Add(b).Sub(y).Sqr().Mean()
		grads := loss.Backward()
		w.Set(w.Sub(grads.Get(w).Mul(0.1)))
		b.Set(b.Sub(grads.Get(b).Mul(0.1)))
	}
	fmt.Printf("%.2f %.2f\n", w.ToVec1(), b.ToVec1())
	// Output: [3.00] [1.00]
}

func ExampleTensor_I() {
	x := tensor.Arange(12).Reshape(3, 4)
	fmt.Println(x.I(1).ToVec1())                                    // x[1]
	fmt.Println(x.I(tensor.All, -1).ToVec1())                       // x[:, -1]
	fmt.Println(x.I(tensor.From(1), tensor.R(0, 4).By(2)).ToVec2()) // x[1:, 0:4:2]
	fmt.Println(x.I("1:, ::2").ToVec2())                            // the same
	fmt.Println(x.I([]int{2, 0}, 1).ToVec1())                       // x[[2, 0], 1]
	fmt.Println(x.I(tensor.Ellipsis, tensor.NewAxis).Dims())        // x[..., None]
	// Output:
	// [4 5 6 7]
	// [3 7 11]
	// [[4 6] [8 10]]
	// [[4 6] [8 10]]
	// [9 1]
	// [3 4 1]
}

// The two greatest of each row.
func ExampleTensor_TopK() {
	x := tensor.New([][]float32{{1, 5, 3}, {9, 7, 8}})
	values, ids := x.TopK(2, -1, true)
	fmt.Println(values.ToVec2(), tensor.ToVec2[uint32](ids))
	// Output: [[5 3] [9 8]] [[1 2] [0 2]]
}

// The rows whose first element is above 2, found by their numbers.
func ExampleTensor_Nonzero() {
	x := tensor.New([][]float32{{1, 5}, {9, 7}, {4, 0}})
	rows := x.I(tensor.All, 0).Gt(2).Nonzero().FlattenAll()
	fmt.Println(tensor.ToVec1[uint32](rows), x.IndexSelect(rows, 0).ToVec2())
	// Output: [1 2] [[9 7] [4 0]]
}

// Scores of places that may not be seen, before the softmax.
func ExampleTensor_MaskedFill() {
	scores := tensor.New([][]float32{{1, 2}, {3, 4}})
	hidden := tensor.New([]uint8{0, 1})
	fmt.Println(scores.MaskedFill(hidden, math.Inf(-1)).ToVec2())
	// Output: [[1 -Inf] [3 -Inf]]
}

// A step of beam search: the sequences that are continued, and the words that continue them.
func ExampleTensor_Gather() {
	sequences := tensor.New([][]uint32{{7, 1}, {7, 2}, {7, 3}})
	parents := tensor.New([]uint32{2, 0, 2})
	words := tensor.New([]uint32{10, 11, 12})
	kept := sequences.Gather(parents.Unsqueeze(1).Expand(-1, 2), 0)
	fmt.Println(tensor.ToVec2[uint32](tensor.Cat([]*tensor.Tensor{kept, words.Unsqueeze(1)}, 1)))
	// Output: [[7 3 10] [7 1 11] [7 3 12]]
}

// The mean of the points of each cluster: sums by IndexAdd.
func ExampleTensor_IndexAdd() {
	points := tensor.New([][]float32{{0, 1}, {10, 10}, {0, 3}, {12, 10}})
	cluster := tensor.New([]uint32{0, 1, 0, 1})
	sums := tensor.Zeros(2, 2).IndexAdd(cluster, points, 0)
	counts := tensor.Zeros(2).IndexAdd(cluster,
		tensor.Ones(4), 0)
	fmt.Println(sums.Div(counts.Unsqueeze(1)).ToVec2())
	// Output: [[0 2] [11 10]]
}

// Batches that are filled in the same page-locked memory: a GPU fetches one while the program goes on, and the next
// CopySet waits until it has.
func ExampleTensor_PinMemory() {
	dev := tensor.CPU() // or that of tensor.NewDevice
	data := tensor.Arange(8).Reshape(4, 2)
	batch := tensor.Zeros(2, 2).PinMemory()
	for _, part := range data.Split(2, 0) {
		batch.CopySet(part)
		x := batch.ToDevice(dev)
		fmt.Println(x.Sum().ToScalar())
	}
	// Output:
	// 6
	// 22
}

// Batches that a goroutine brings to the device while the main one computes. On a GPU the copies of another stream
// overlap with the computation.
func ExampleDevice_NewStream() {
	dev := tensor.CPU() // or that of tensor.NewDevice
	copies := dev
	if !dev.IsCPU() {
		stream, err := dev.NewStream()
		if err != nil {
			fmt.Println(err)
			return
		}
		copies = stream
	}
	data := tensor.Arange(8).Reshape(4, 2)
	batches := make(chan *tensor.Tensor, 2) // two are on their way
	go func() {
		defer close(batches)
		for _, part := range data.Split(2, 0) {
			batches <- part.ToDevice(copies)
		}
	}()
	for batch := range batches {
		x := batch.ToDevice(dev) // on the GPU, from one stream to the other
		fmt.Println(x.Sum().ToScalar())
	}
	// Output:
	// 6
	// 22
}
