package diffusion_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
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
	thorough.Slow(t)
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

// TestSettings: settings come before those of the file, and unknown ones are errors.
func TestSettings(t *testing.T) {
	s, err := diffusion.SchedulerOf("PNDMScheduler", map[string]json.RawMessage{"skip_prk_steps": json.RawMessage("true")})
	if err != nil {
		t.Fatal(err)
	}
	const kind = "DPMSolverMultistepScheduler"
	times := func(s *diffusion.Scheduler, err error) []float64 {
		if err != nil {
			t.Fatal(err)
		}
		x := tensor.CPU().Zeros(tensor.F32, 1, 4, 2, 2)
		all, _ := diffusion.Track(s, 4, 0, x, func(int) *tensor.Tensor { return x },
			func(x *tensor.Tensor, _ float64) *tensor.Tensor { return x })
		return all
	}
	usual := times(s.As(kind))
	karras := times(s.As(kind, diffusion.Settings{"use_karras_sigmas": true, "algorithm_type": "sde-dpmsolver++"}))
	if slices.Equal(usual, karras) {
		t.Errorf("times %v with and without use_karras_sigmas", usual)
	}
	if _, err := s.As(kind, diffusion.Settings{"solver_order": 9}); err == nil {
		t.Error("a solver_order of 9 is no error")
	}
	if _, err := s.As(kind, diffusion.Settings{"use_karras": true}); err == nil {
		t.Error("an unknown setting is no error")
	}
}
