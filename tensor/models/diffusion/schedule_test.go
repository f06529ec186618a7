package diffusion_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/formats"
	"github.com/gorocm/gorocm/tensor/models/diffusion"
)

// schedulerCase is one of testdata/schedulers.py.
type schedulerCase struct {
	Kind         string
	Config       map[string]json.RawMessage
	Steps, First int
	Times        []float64
}

// TestSchedulers: times and pictures of all steps are those of diffusers.
func TestSchedulers(t *testing.T) {
	data, err := os.ReadFile("testdata/schedulers.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []schedulerCase
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	list, err := formats.ReadSafetensors("testdata/schedulers.safetensors", tensor.CPU())
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]*tensor.Tensor{}
	for _, named := range list {
		want[named.Name] = named.Tensor
	}
	shape := []int{1, 4, 2, 3}
	said := func(x *tensor.Tensor, t float64) *tensor.Tensor {
		return x.Affine(0.7, 0.01*t).Sin().Mul(0.8).Add(x.Mul(0.2))
	}
	for n, c := range cases {
		config, _ := json.Marshal(c.Config)
		what := fmt.Sprintf("%s %s, %d steps from %d", c.Kind, config, c.Steps, c.First)
		s, err := diffusion.SchedulerOf(c.Kind, c.Config)
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		at := func(k int) *tensor.Tensor { return noise(k, shape) }
		times, track := diffusion.Track(s, c.Steps, c.First, at(100), at, said)
		for i := range c.Times {
			if len(times) != len(c.Times) || math.Abs(times[i]-c.Times[i]) > 1e-4 {
				t.Errorf("%s: times %v, want %v", what, times, c.Times)
				break
			}
		}
		if n%4 != 0 {
			track = []*tensor.Tensor{track[0], track[len(track)/2], track[len(track)-1]}
		}
		near(t, what, tensor.Cat(track, 0).Reshape(len(track), 24), want[fmt.Sprint(n)], 2e-5)
	}
}
