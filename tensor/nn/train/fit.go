package train

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"strings"
	"sync/atomic"

	"github.com/gorocm/gorocm/internal/interrupt"
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
)

// Fit trains: for every batch of Data it takes a step of Optimizer against Loss, evaluates, writes checkpoints and
// tells what happens, until Epochs or Steps are over, Patience is, or it is interrupted. It returns what happened,
// with an error if that is why the run ended.
//
// A run that is interrupted, as a cell is, writes a checkpoint and returns ErrInterrupted; an emulated GPU ends in the
// middle of a step, and then the last checkpoint stays the last. One that was killed has the
// checkpoints that it had written, each of which is complete. With Resume the same call goes on from the last one, and
// ends with the same bits as if it had never ended, if Loss computes the same bits for the same numbers.
//
// A loss that is infinite or NaN is an error of the kind ErrNotFinite that names the step, the batch and its items; no
// checkpoint is written then. Fit must not be called by several goroutines for the same parameters.
func Fit(c Config) (*History, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	r := &runner{Config: c, history: &History{Best: math.NaN()}}
	r.trainer = nn.NewTrainer(c.Optimizer, r.loss)
	defer r.trainer.Reset()
	if err := r.begin(); err != nil {
		return nil, err
	}
	defer interrupt.Watch(func() { r.stopped.Store(true) })()
	r.shown = c.monitor()
	defer r.shown.End()
	returned := false
	defer func() {
		if !returned { // the cell was interrupted inside of a function of the Config
			r.abandoned()
		}
	}()
	err := r.run()
	returned = true
	switch {
	case errors.Is(err, rocm.ErrInterrupted): // a kernel was aborted, maybe that of the optimizer
		r.history.Ended = "interrupted"
		err = fmt.Errorf("%w in the middle of a step, of which no checkpoint is written: %w", ErrInterrupted, err)
	case err == nil || errors.Is(err, ErrInterrupted):
		err = errors.Join(err, r.finish())
	}
	err = errors.Join(err, r.log.close())
	r.history.Step = r.state.Step
	if r.state.Evaluated {
		r.history.Best, r.history.BestStep = r.state.Best, r.state.BestStep
	}
	return r.history, err
}

// runner is a run.
type runner struct {
	Config
	trainer *nn.Trainer
	history *History
	shown   Monitor
	log     *logger
	stopped atomic.Bool
	state   state
	pending []pending
	// the step of the last checkpoint, and whether that was before an evaluation of the step
	saved    int
	savedDue bool
	// where random numbers were before a step or an evaluation that goes on; nil outside of them
	before []generatorState
	total  int // steps, as far as they are known
}

// pending is a step whose loss was not looked at.
type pending struct {
	event Event
	loss  *tensor.Tensor
	scale float64
	at    []LoaderState // the batches
}

func (r *runner) loss(batch ...*tensor.Tensor) *tensor.Tensor {
	call := func() *tensor.Tensor { return r.Loss(batch...) }
	var y *tensor.Tensor
	if r.Autocast != nil {
		y = nn.Autocast(*r.Autocast, call)
	} else {
		y = call()
	}
	if r.Scaler != nil {
		y = r.Scaler.Loss(y)
	}
	return y
}

// run takes steps until an end is reached.
func (r *runner) run() error {
	r.total = r.Steps
	if n, err := r.Data.Len(); err != nil {
		return err
	} else if n == 0 {
		return fmt.Errorf("train: the loader has no batches")
	} else if steps := (n + r.Accumulate - 1) / r.Accumulate * r.Epochs; r.total == 0 || steps > 0 && steps < r.total {
		r.total = steps
	}
	if r.state.Due {
		if err := r.evaluate(); err != nil {
			return err
		}
	}
	for !r.over() {
		if err := r.epoch(); err != nil || r.history.Ended != "" {
			return err
		}
	}
	return nil
}

// over reports whether the run has all its epochs or steps.
func (r *runner) over() bool {
	switch {
	case r.Epochs > 0 && r.state.Loader.Epoch >= r.Epochs:
		r.history.Ended = "epochs"
	case r.Steps > 0 && r.state.Step >= r.Steps:
		r.history.Ended = "steps"
	case r.Patience > 0 && r.state.Bad >= r.Patience:
		r.history.Ended = "patience"
	}
	return r.history.Ended != ""
}

// epoch takes the steps of the rest of an epoch.
func (r *runner) epoch() error {
	epoch := r.state.Loader.Epoch
	r.Data.SetState(r.state.Loader)
	var group [][]*tensor.Tensor
	var at []LoaderState
	for i, batch := range r.Data.Batches() {
		group, at = append(group, batch), append(at, LoaderState{epoch, i})
		next := r.Data.State()
		if len(group) < r.Accumulate && next.Epoch == epoch {
			continue
		}
		if err := r.step(group, at, next); err != nil {
			return err
		}
		group, at = nil, nil
		if err := r.after(next.Epoch != epoch); err != nil || r.over() {
			return err
		}
	}
	err := r.Data.Err()
	if err != nil && r.stopped.Load() { // inside of a function of the Loader
		r.history.Ended = "interrupted"
		return ErrInterrupted
	}
	return err
}

// abandoned writes the checkpoint of a run that a panic ends: that of the state before what it ended.
func (r *runner) abandoned() {
	if r.before != nil {
		r.setRandoms(r.before)
	}
	r.Each = nil
	_ = r.finish() // the panic says what happened
	_ = r.log.close()
}

// step takes one step, after which the loader is at next.
func (r *runner) step(group [][]*tensor.Tensor, at []LoaderState, next LoaderState) error {
	r.before = r.randoms()
	if r.Schedule != nil {
		r.Optimizer.SetLearningRate(r.Schedule(r.state.Step))
	}
	p := pending{scale: 1, at: at}
	last := at[len(at)-1]
	p.event = Event{Epoch: last.Epoch, Batch: last.Batch, LearningRate: r.Optimizer.LearningRate()}
	if r.Scaler != nil {
		p.scale = r.Scaler.Scale()
	}
	err := tensor.Catch(func() error {
		p.loss = r.trainer.StepAll(group)
		if p.loss.ElemCount() != 1 {
			return fmt.Errorf("a loss of shape %v is no scalar", p.loss.Dims())
		}
		if r.Scaler != nil {
			p.event.Skipped = r.Scaler.Update()
		}
		if r.EMA != nil && !p.event.Skipped {
			r.EMA.Update()
		}
		return nil
	})
	r.before = nil
	if err != nil {
		return fmt.Errorf("train: step %d, %s: %w", r.state.Step+1, r.batches(at), err)
	}
	r.state.Step++
	r.state.Loader = next
	p.event.Step = r.state.Step
	r.pending = append(r.pending, p)
	return nil
}

// after does what comes after a step: looks, evaluations, checkpoints, the ends of a run.
func (r *runner) after(epochEnds bool) error {
	due := func(every int) bool { return every == 0 && epochEnds || every > 0 && r.state.Step%every == 0 }
	evaluates := due(r.EvaluateEvery)
	if len(r.pending) >= r.LookEvery || evaluates {
		if err := r.look(); err != nil {
			return err
		}
	}
	if evaluates {
		r.state.Due = true
		if err := r.evaluate(); err != nil {
			return err
		}
	}
	if r.Folder != "" && due(r.SaveEvery) {
		if err := r.save(); err != nil {
			return err
		}
	}
	if r.history.Ended == "" && (r.stopped.Load() || r.Context.Err() != nil) {
		r.history.Ended = "interrupted"
		return ErrInterrupted
	}
	return nil
}

// look reads the losses of the last steps.
func (r *runner) look() error {
	if len(r.pending) == 0 {
		return nil
	}
	list := make([]*tensor.Tensor, len(r.pending))
	var values []float64
	err := tensor.Catch(func() error {
		for i, p := range r.pending {
			list[i] = p.loss.ToDType(tensor.F64).FlattenAll()
		}
		values = tensor.Cat(list, 0).ToVec1()
		return nil
	})
	all := r.pending
	if err != nil {
		return fmt.Errorf("train: steps %d to %d: %w", all[0].event.Step, all[len(all)-1].event.Step, err)
	}
	for i, p := range all {
		r.pending = all[i+1:] // also if Each is interrupted
		p.event.Loss = values[i] / p.scale
		if bad := p.event.Loss - p.event.Loss; bad != 0 && !p.event.Skipped {
			return fmt.Errorf("%w: %v in step %d, %s", ErrNotFinite, p.event.Loss, p.event.Step, r.batches(p.at))
		}
		if !p.event.Skipped {
			r.state.LossSum += p.event.Loss
			r.state.LossCount++
		}
		if err := r.tell(p.event); err != nil {
			return err
		}
	}
	return nil
}

// tell passes an event on.
func (r *runner) tell(e Event) error {
	r.history.Events = append(r.history.Events, e)
	if err := r.log.write(e); err != nil {
		return err
	}
	values := maps.Clone(e.Values)
	if values == nil {
		values = map[string]float64{lossMetric: e.Loss}
	}
	r.shown.Update(e.Step, r.total, values)
	if r.Each == nil {
		return nil
	}
	err := r.Each(e)
	if errors.Is(err, ErrStop) {
		r.history.Ended = "stop"
		return nil
	}
	return err
}

// evaluate finds out how good the run is.
func (r *runner) evaluate() (err error) {
	s := &r.state
	values := map[string]float64{}
	if r.Evaluate != nil {
		r.before = r.randoms()
		if values, err = r.evaluated(); err != nil {
			return fmt.Errorf("train: evaluation after step %d: %w", s.Step, err)
		}
		r.before = nil
	}
	value, ok := values[r.Metric]
	if !ok && r.Metric == lossMetric {
		value, ok = s.LossSum/float64(s.LossCount), true // NaN without steps, which is no better value
	}
	if !ok {
		return fmt.Errorf("train: Evaluate has not returned %q, which Metric names", r.Metric)
	}
	s.LossSum, s.LossCount, s.Due = 0, 0, false
	e := Event{Step: s.Step, Epoch: s.Loader.Epoch, Batch: s.Loader.Batch, Values: values,
		LearningRate: r.Optimizer.LearningRate()}
	if r.Plateau != nil {
		r.Plateau.Step(value)
	}
	better := r.better(value)
	if better {
		s.Evaluated, s.Best, s.BestStep, s.Bad = true, value, s.Step, 0
	} else {
		s.Bad++
	}
	if r.Evaluate != nil {
		if err := r.tell(e); err != nil {
			return err
		}
	}
	if better && r.Folder != "" {
		return r.save()
	}
	return nil
}

// better reports whether a value is the best one so far.
func (r *runner) better(value float64) bool {
	s := &r.state
	switch {
	case value-value != 0:
		return false
	case !s.Evaluated:
		return true
	case r.Maximize:
		return value > s.Best+r.MinDelta
	}
	return value < s.Best-r.MinDelta
}

// evaluated is what Evaluate returns, without gradients, with the averages in place of the variables.
func (r *runner) evaluated() (values map[string]float64, err error) {
	if r.EMA != nil {
		r.EMA.Swap()
		defer r.EMA.Swap()
	}
	err = tensor.Catch(func() error {
		var err error
		tensor.NoGrad(func() { values, err = r.Evaluate() })
		return err
	})
	return values, err
}

// finish looks at the last losses, and writes the last checkpoint.
func (r *runner) finish() error {
	if err := r.look(); err != nil {
		return err
	}
	if r.Folder != "" {
		return r.save()
	}
	return nil
}

// batches names the batches of a step, and their items.
func (r *runner) batches(at []LoaderState) string {
	var b strings.Builder
	for i, s := range at {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "epoch %d, batch %d", s.Epoch, s.Batch)
		ids, err := r.Data.IDs(s)
		if err != nil {
			continue
		}
		const shown = 16
		more := ""
		if len(ids) > shown {
			more = fmt.Sprintf(" and %d more", len(ids)-shown)
		}
		fmt.Fprintf(&b, " (items %s%s)", strings.Trim(fmt.Sprint(ids[:min(shown, len(ids))]), "[]"), more)
	}
	return b.String()
}
