// Command server learns which of two moons a point is on, and answers predictions over HTTP: the program of
// docs/library.md.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"math"
	"net/http"
	"os"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
)

func main() {
	spec := "rocm" // a GPU, or the emulated one; or cuda, or cpu
	if len(os.Args) > 1 {
		spec = os.Args[1]
	}
	dev, err := tensor.NewDevice(spec)
	if err != nil {
		log.Fatalf("%+v", err)
	}
	log.Println(dev.Info())
	model, err := train(dev)
	if err != nil {
		log.Fatalf("%+v", err) // with what to do about it
	}
	http.Handle("POST /predict", predictor{model, dev})
	log.Fatal(http.ListenAndServe("localhost:8080", nil))
}

// build returns the model whose parameters are p.
func build(p *nn.Params) tensor.Module {
	return nn.Sequential{
		nn.NewLinear(2, 16, p.At("0")),
		tensor.Func((*tensor.Tensor).Tanh),
		nn.NewLinear(16, 2, p.At("2")),
	}
}

// train returns a model that keeps nothing for gradients.
func train(dev *tensor.Device) (model tensor.Module, err error) {
	err = tensor.Catch(func() error {
		dev.SetSeed(7)
		params := nn.NewParams(tensor.F32, dev)
		net := build(params)
		config := nn.DefaultAdamW()
		config.LR = 0.05
		opt := nn.NewAdamW(params.Vars(), config)
		points, labels := moons(dev)
		for range 100 {
			nn.TrainStep(opt, func() *tensor.Tensor { return nn.CrossEntropy(net.Forward(points), labels) })
		}
		model = build(params.Detach())
		return nil
	})
	return model, err
}

// moons returns points on two half circles, [200 2], and on which of them each is, U32 [200].
func moons(dev *tensor.Device) (points, labels *tensor.Tensor) {
	angle := dev.Linspace(tensor.F32, 0, math.Pi, 100)
	upper := tensor.Stack([]*tensor.Tensor{angle.Cos(), angle.Sin()}, 1)
	lower := tensor.Stack([]*tensor.Tensor{angle.Cos().Affine(-1, 1), angle.Sin().Affine(-1, 0.5)}, 1)
	zeros := dev.Zeros(tensor.U32, 100)
	return tensor.Cat([]*tensor.Tensor{upper, lower}, 0), tensor.Cat([]*tensor.Tensor{zeros, zeros.OnesLike()}, 0)
}

// predictor answers {"Points": [[x, y], …]}. Its requests share the model and the device.
type predictor struct {
	model tensor.Module
	dev   *tensor.Device
}

func (p predictor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var ask struct{ Points [][]float32 }
	var answer struct{ Moons []uint32 }
	err := json.NewDecoder(r.Body).Decode(&ask)
	if err == nil {
		err = tensor.Catch(func() error {
			answer.Moons = tensor.ToVec1[uint32](p.model.Forward(p.dev.New(ask.Points)).ArgMax(-1))
			return nil
		})
	}
	switch {
	case errors.Is(err, tensor.ErrMemory), errors.Is(err, tensor.ErrDriver):
		log.Printf("%+v", err)
		http.Error(w, "the device failed", http.StatusInternalServerError)
	case err != nil: // such as shapes that do not fit: the request's fault
		http.Error(w, fmt.Sprintf("want {\"Points\": [[x, y], …]}: %v", err), http.StatusBadRequest)
	default:
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(answer)
	}
}
