package train

import (
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
	"github.com/gorocm/gorocm/tensor/random"
)

// state is what a checkpoint has in its run.json: numbers that are in no tensor.
type state struct {
	Version   int         `json:"version"`
	Step      int         `json:"step"`
	Loader    LoaderState `json:"loader"`
	Metric    string      `json:"metric"`
	Evaluated bool        `json:"evaluated"` // there is a best value
	Best      float64     `json:"best"`
	BestStep  int         `json:"best_step"`
	Bad       int         `json:"bad"` // evaluations since the best one
	LossSum   float64     `json:"loss_sum"`
	LossCount int         `json:"loss_count"`
	Due       bool        `json:"due"` // the evaluation of this step is still to come

	LearningRate float64           `json:"learning_rate"`
	EMA          bool              `json:"ema"`
	Scaler       *nn.ScalerState   `json:"scaler,omitempty"`
	Plateau      *nn.PlateauState  `json:"plateau,omitempty"`
	Random       []generatorState  `json:"random"` // of the devices, then of Config.Random
	Files        map[string]string `json:"files"`  // SHA-256 by name
}

const stateVersion = 1

// generatorState is where a generator of random numbers is.
type generatorState struct {
	Seed    uint64 `json:"seed"`
	Counter uint64 `json:"counter"`
}

// generators are those of the host, of the devices of Params, and of the Config.
func (r *runner) generators() []*random.Generator {
	devices := []*tensor.Device{tensor.CPU()}
	add := func(dev *tensor.Device) {
		for _, d := range devices {
			if d == dev {
				return
			}
		}
		devices = append(devices, dev)
	}
	add(r.Params.Device())
	for _, p := range r.Params.All() {
		add(p.Tensor.Device())
	}
	var list []*random.Generator
	for _, d := range devices {
		list = append(list, random.Default(d))
	}
	return append(list, r.Random...)
}

func (r *runner) randoms() []generatorState {
	list := r.generators()
	states := make([]generatorState, len(list))
	for i, g := range list {
		states[i].Seed, states[i].Counter = g.State()
	}
	return states
}

func (r *runner) setRandoms(states []generatorState) {
	for i, g := range r.generators() {
		g.SetState(states[i].Seed, states[i].Counter)
	}
}
