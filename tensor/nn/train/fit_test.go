package train_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/interrupt"
	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
	"github.com/gorocm/gorocm/tensor/nn/train"
)

// line is a run that learns a line: y = 3x - 2.
func line(change func(c *train.Config)) train.Config {
	x := cpu.Linspace(tensor.F32, -1, 1, 12).Unsqueeze(1)
	p := nn.NewParams(tensor.F32, cpu)
	cpu.SetSeed(1)
	layer := nn.NewLinear(1, 1, p)
	c := train.Config{
		Data:   train.NewLoader(train.Tensors(x, x.Affine(3, -2)), train.LoaderOptions{Batch: 4, Shuffle: true, Seed: 2}),
		Params: p, Optimizer: nn.NewSGD(p.Vars(), 0.3), Epochs: 20,
		Loss: func(b ...*tensor.Tensor) *tensor.Tensor { return nn.Mse(layer.Forward(b[0]), b[1]) },
	}
	change(&c)
	return c
}

// shown is a Monitor that counts.
type shown struct{ updates, ends, total int }

func (s *shown) Update(_, total int, _ map[string]float64) { s.updates++; s.total = total }
func (s *shown) End()                                      { s.ends++ }

func TestFit(t *testing.T) {
	s := &shown{}
	var steps []int
	c := line(func(c *train.Config) {
		c.Monitor = s
		c.LookEvery = 7
		c.Each = func(e train.Event) error { steps = append(steps, e.Step); return nil }
	})
	h, err := train.Fit(c)
	if err != nil {
		t.Fatal(err)
	}
	if losses := h.Losses(); len(losses) != 60 || !(losses[59] < 1e-3) || h.Ended != "epochs" || h.Step != 60 || !(h.Best < 1e-10) {
		t.Errorf("%+v", h)
	}
	if *s != (shown{60, 1, 60}) || len(steps) != 60 || !slices.IsSorted(steps) {
		t.Errorf("%+v %v", s, steps)
	}
}

// TestFitEnds: a run ends by steps, by patience, by Each, by a context, and by an interruption.
func TestFitEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	calls := 0
	for _, test := range []struct {
		want   string
		step   int
		change func(c *train.Config)
	}{
		{"steps", 7, func(c *train.Config) { c.Steps = 7 }},
		{"patience", 12, func(c *train.Config) {
			c.Patience, c.Metric, c.Maximize, c.EvaluateEvery = 2, "score", true, 3
			c.Evaluate = func() (map[string]float64, error) {
				calls++
				return map[string]float64{"score": []float64{1, 2, 1.5, 2.2}[calls-1]}, nil
			}
			c.MinDelta = 0.5
		}},
		{"stop", 5, func(c *train.Config) {
			c.Each = func(e train.Event) error {
				if e.Step == 5 {
					return train.ErrStop
				}
				return nil
			}
		}},
		{"interrupted", 4, func(c *train.Config) {
			c.Context = ctx
			c.Each = func(e train.Event) error {
				if e.Step == 4 {
					cancel()
				}
				return nil
			}
		}},
		{"interrupted", 6, func(c *train.Config) {
			c.Each = func(e train.Event) error {
				if e.Step == 6 {
					interrupt.Stop(interrupt.Goroutine())
				}
				return nil
			}
		}},
	} {
		folder := filepath.Join(t.TempDir(), "run")
		h, err := train.Fit(line(func(c *train.Config) { c.Folder = folder; test.change(c) }))
		if h == nil || h.Ended != test.want || h.Step != test.step || errors.Is(err, train.ErrInterrupted) != (test.want == "interrupted") {
			t.Errorf("want %s after %d: %+v %v", test.want, test.step, h, err)
		}
		list, err := train.Checkpoints(folder)
		if want := fmt.Sprintf("step-%010d", test.step); err != nil || len(list) == 0 || filepath.Base(list[len(list)-1]) != want {
			t.Errorf("checkpoints %v, want one of %s; %v", list, want, err)
		}
	}
}

// TestFitNotFinite: a loss that becomes NaN is an error with the step, the batch and its items, and no checkpoint has
// what came of it.
func TestFitNotFinite(t *testing.T) {
	folder := t.TempDir()
	n := 0
	c := line(func(c *train.Config) {
		loss := c.Loss
		c.Loss = func(b ...*tensor.Tensor) *tensor.Tensor {
			if n++; n == 5 {
				return loss(b...).Mul(math.NaN())
			}
			return loss(b...)
		}
		c.Folder, c.SaveEvery, c.LookEvery = folder, 2, 100
	})
	ids, err := c.Data.IDs(train.LoaderState{Epoch: 1, Batch: 1})
	if err != nil {
		t.Fatal(err)
	}
	_, err = train.Fit(c)
	want := fmt.Sprintf("NaN in step 5, epoch 1, batch 1 (items %s)", strings.Trim(fmt.Sprint(ids), "[]"))
	if !errors.Is(err, train.ErrNotFinite) || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
	list, _ := train.Checkpoints(folder)
	if len(list) == 0 || filepath.Base(list[len(list)-1]) != "step-0000000004" {
		t.Error(list)
	}
}

// TestFitMistakes: what a Config lacks, and what a folder has, is an error that says so.
func TestFitMistakes(t *testing.T) {
	folder := t.TempDir()
	for want, change := range map[string]func(c *train.Config){
		"no Data":                     func(c *train.Config) { c.Data = nil },
		"neither Epochs nor Steps":    func(c *train.Config) { c.Epochs = 0 },
		"LookEvery is -1":             func(c *train.Config) { c.LookEvery = -1 },
		"Resume needs a Folder":       func(c *train.Config) { c.Resume = true },
		"no Evaluate that returns it": func(c *train.Config) { c.Metric = "right" },
		"want one of them": func(c *train.Config) {
			c.Schedule, c.Plateau = nn.StepDecay(1, 1, 1), nn.NewPlateau(c.Optimizer, nn.DefaultPlateau())
		},
		"a log is a file": func(c *train.Config) { c.Log = "log.txt" },
		"has no batches":  func(c *train.Config) { c.Data = train.NewLoader(train.Func(0, nil), train.LoaderOptions{}) },
		"step 1, epoch 0": func(c *train.Config) { c.Loss = func(b ...*tensor.Tensor) *tensor.Tensor { return b[0].MatMul(b[1]) } },
		"has not returned": func(c *train.Config) {
			c.Evaluate = func() (map[string]float64, error) { return nil, nil }
			c.Metric = "x"
		},
		"evaluation after": func(c *train.Config) {
			c.Evaluate = func() (map[string]float64, error) { return nil, errors.New("bad") }
		},
		"has no methods": func(c *train.Config) { c.Optimizer, c.Folder = struct{ nn.Optimizer }{c.Optimizer}, folder },
	} {
		if _, err := train.Fit(line(change)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if _, err := train.Fit(line(func(c *train.Config) { c.Folder, c.Epochs = folder, 2 })); err != nil {
		t.Fatal(err)
	}
	again := func(change func(c *train.Config)) error {
		_, err := train.Fit(line(func(c *train.Config) { c.Folder, c.Resume = folder, true; change(c) }))
		return err
	}
	for want, change := range map[string]func(c *train.Config){
		"begins anew": func(c *train.Config) { c.Resume = false },
		"other parts": func(c *train.Config) { c.EMA = nn.NewEMA(c.Params.Vars(), 0.9) },
		`best value is of`: func(c *train.Config) {
			c.Metric, c.Evaluate = "x", func() (map[string]float64, error) { return nil, nil }
		},
	} {
		if err := again(change); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	list, _ := train.Checkpoints(folder)
	if err := os.WriteFile(filepath.Join(list[len(list)-1], train.ModelFile), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := again(func(*train.Config) {}); err == nil || !strings.Contains(err.Error(), "is not what was written") {
		t.Error(err)
	}
}

// TestKeep: the last checkpoints and the best one stay.
func TestKeep(t *testing.T) {
	folder := t.TempDir()
	values := []float64{3, 1, 2, 4, 5, 6}
	_, err := train.Fit(line(func(c *train.Config) {
		c.Folder, c.Epochs, c.Keep, c.Metric = folder, 6, 2, "value"
		c.Evaluate = func() (map[string]float64, error) {
			v := values[0]
			values = values[1:]
			return map[string]float64{"value": v}, nil
		}
	}))
	if err != nil {
		t.Fatal(err)
	}
	list, err := train.Checkpoints(folder)
	for i := range list {
		list[i] = filepath.Base(list[i])
	}
	if want := []string{"step-0000000006", "step-0000000015", "step-0000000018"}; err != nil || !slices.Equal(list, want) {
		t.Errorf("%v, want %v", list, want)
	}
	if best, err := train.Best(folder); err != nil || filepath.Base(best) != "step-0000000006" {
		t.Error(best, err)
	}
}

// TestLogs: both forms of a log.
func TestLogs(t *testing.T) {
	for ending, want := range map[string]string{
		".jsonl": `{"step":1,"epoch":0,"batch":0,"loss":2,"learning_rate":0.5}
{"step":2,"epoch":0,"batch":1,"loss":2,"learning_rate":0.25}
{"step":2,"epoch":1,"batch":0,"learning_rate":0.25,"values":{"a":1,"b":null}}
`,
		".csv": `step,epoch,batch,learning_rate,name,value
1,0,0,0.5,loss,2
2,0,1,0.25,loss,2
2,1,0,0.25,evaluation a,1
2,1,0,0.25,evaluation b,NaN
`,
	} {
		path := filepath.Join(t.TempDir(), "log"+ending)
		w := tensor.NewVar(tensor.Of(1))
		_, err := train.Fit(line(func(c *train.Config) {
			c.Data = train.NewLoader(train.Tensors(numbers(4)), train.LoaderOptions{Batch: 2})
			c.Optimizer, c.Epochs, c.Log = nn.NewSGD([]*tensor.Tensor{w}, 0), 1, path
			c.Schedule = nn.StepDecay(0.5, 0.5, 1)
			c.Loss = func(b ...*tensor.Tensor) *tensor.Tensor { return w.Mul(0).Add(2).Sum() }
			c.Evaluate = func() (map[string]float64, error) { return map[string]float64{"a": 1, "b": math.NaN()}, nil }
		}))
		if err != nil {
			t.Error(err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != want {
			t.Errorf("%s: %s, want %s", ending, got, want)
		}
	}
}

// TestFitScaler: a step whose gradients overflow is skipped, the scale falls, and the run goes on.
func TestFitScaler(t *testing.T) {
	c := line(func(c *train.Config) {
		c.Scaler = nn.NewScaler(c.Optimizer, nn.ScalerConfig{Scale: 1e38, Growth: 2, Backoff: 1e-3, Interval: 4})
		c.Epochs = 4
	})
	w := c.Params.Vars()[0]
	loss := c.Loss
	c.Loss = func(b ...*tensor.Tensor) *tensor.Tensor { return loss(b...).Mul(100) } // 100·1e38 is infinite
	c.Optimizer.SetLearningRate(0.001)
	before := w.Copy()
	h, err := train.Fit(c)
	if err != nil {
		t.Fatal(err)
	}
	first, last := h.Events[0], h.Events[len(h.Events)-1]
	if !first.Skipped || last.Skipped || c.Scaler.Scale() != 1e35*4 || w.Sub(before).Abs().Max().ToScalar() == 0 {
		t.Errorf("%+v, %+v, scale %v", first, last, c.Scaler.Scale())
	}
}

// TestFitPanics: a panic in a function of the Config, as an interrupted cell has, passes Fit, which has written a
// checkpoint before; resumed, the run has the bits and the log of one that ran through.
func TestFitPanics(t *testing.T) {
	thorough.Slow(t)
	var whole string
	for _, where := range []string{"", "loss", "each", "evaluate"} {
		folder := t.TempDir()
		fit := func(where string) (failed any) {
			defer func() { failed = recover() }()
			n := 0
			at := func(name string, step int) {
				if n++; where == name && n >= step {
					n = -1000
					panic("interrupted")
				}
			}
			cpu.SetSeed(3)
			_, err := train.Fit(line(func(c *train.Config) {
				loss := c.Loss
				c.Loss = func(b ...*tensor.Tensor) *tensor.Tensor {
					noise := nn.Dropout(0.1).ForwardT(b[0], true)
					if where == "loss" {
						at("loss", 5)
					}
					return loss(noise, b[1])
				}
				c.Each = func(e train.Event) error {
					if where == "each" {
						at("each", 6)
					}
					return nil
				}
				c.Evaluate = func() (map[string]float64, error) {
					v := cpu.Rand(tensor.F32).ToScalar()
					if where == "evaluate" {
						at("evaluate", 2)
					}
					return map[string]float64{"drawn": v}, nil
				}
				c.Epochs, c.Folder, c.Resume, c.Log, c.LookEvery = 4, folder+"/run", true, folder+"/log.csv", 2
				c.SaveEvery, c.EvaluateEvery = 50, 4
			}))
			if err != nil {
				t.Fatal(err)
			}
			return nil
		}
		if got := fit(where); (got == "interrupted") != (where != "") {
			t.Fatalf("%s: recovered %v", where, got)
		}
		if where != "" && fit("") != nil {
			t.Fatal(where)
		}
		log, err := os.ReadFile(folder + "/log.csv")
		if err != nil {
			t.Fatal(err)
		}
		if whole == "" {
			whole = string(log)
		} else if string(log) != whole {
			t.Errorf("%s: the log is %s\nnot %s", where, log, whole)
		}
	}
}
