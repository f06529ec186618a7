package train

import "github.com/gorocm/gorocm/internal/monitor"

// Event is a step of a run, or an evaluation, which has Values.
type Event struct {
	Step         int                // steps that were taken, this one among them
	Epoch, Batch int                // of the last batch of the step, from 0
	Loss         float64            // of the step
	LearningRate float64            // of the step
	Skipped      bool               // gradients were not finite, and a Scaler left the step out
	Values       map[string]float64 // what Evaluate has returned; nil for a step
}

// History is what happened in a call of Fit.
type History struct {
	Events   []Event
	Step     int     // steps of the run, with those before it was resumed
	Best     float64 // the best value of Metric; NaN if there was no evaluation
	BestStep int
	Ended    string // why: "epochs", "steps", "patience", "stop", or "interrupted"
}

// Losses returns the losses of the steps, for a chart.
func (h *History) Losses() []float64 {
	var list []float64
	for _, e := range h.Events {
		if e.Values == nil {
			list = append(list, e.Loss)
		}
	}
	return list
}

// Values returns what Evaluate has returned under a name, for a chart: the steps and the numbers.
func (h *History) Values(name string) (steps, values []float64) {
	for _, e := range h.Events {
		if v, ok := e.Values[name]; ok {
			steps, values = append(steps, float64(e.Step)), append(values, v)
		}
	}
	return steps, values
}

// Monitor shows a run while it goes on, as display.Monitor does.
type Monitor interface {
	// Update is called after step of total, which is 0 if it is not known, with numbers by name.
	Update(step, total int, values map[string]float64)
	// End is called when the run has ended.
	End()
}

// noMonitor shows nothing.
type noMonitor struct{}

func (noMonitor) Update(int, int, map[string]float64) {}
func (noMonitor) End()                                {}

func (c *Config) monitor() Monitor {
	switch {
	case c.Quiet:
		return noMonitor{}
	case c.Monitor != nil:
		return c.Monitor
	}
	return monitor.New("training") // of the session
}
