package mathlib

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// graphKey is the key of a graphPlan. That of a convPlan is the shape itself.
type graphKey struct{ shape ConvShape }

// graphOperandAlignment is the alignment of operands of graphs, in bytes. Other operands go to the older calls: some of
// cuDNN's engines access wrong addresses for them.
const graphOperandAlignment = 16

// graphs reports whether the library has the calls for graphs.
func (lib *dnnLibrary) graphs() bool {
	return lib.graphCreate != nil && lib.graphDestroy != nil && lib.graphSet != nil && lib.graphGet != nil &&
		lib.graphFinalize != nil && lib.graphExecute != nil
}

// HasGraphs reports whether convolutions go to cuDNN's graphs first.
func (n *DNN) HasGraphs() bool { return n.lib.graphs() }

// graph reports whether the operands are aligned as those of graphs.
func (c *Conv) graph() bool { return (c.X|c.Weights|c.Y)%graphOperandAlignment == 0 }

// convolveGraph computes a convolution as a graph.
func (n *DNN) convolveGraph(d Device, c *Conv) (bool, error) {
	fresh := &graphPlan{}
	return n.runPlanned(d, graphKey{c.ConvShape}, c.Text()+", as a graph", c.Elem, fresh,
		func() error { return n.planGraph(d, c, fresh) }, func(plan dnnPlan) (libraryStep, func(), error) {
			return n.execution(d, c, plan.(*graphPlan))
		})
}

// execution is the call that executes a plan, and what is to be called after it.
func (n *DNN) execution(d Device, c *Conv, p *graphPlan) (libraryStep, func(), error) {
	space, err := n.allocWorkspace(d, p.space)
	if err != nil {
		return libraryStep{}, nil, err // memory is short: other algorithms need less
	}
	at := variantPack{c.X, c.Weights, c.Y, space.Ptr()}
	if p.variantPackDesc == 0 || p.operands != at {
		if err := n.setOperands(d, p, at); err != nil {
			space.Free()
			return libraryStep{}, nil, err
		}
	}
	s := n.step("graphExecute", func() driver.Code {
		return n.lib.graphExecute(n.handle, p.plan, p.variantPackDesc)
	})
	return n.onWorkStream(d, s), space.Free, nil
}

// variantPack is the addresses of a plan's operands and workspace.
type variantPack struct{ x, weights, y, space uintptr }

// setOperands creates the variant pack of other operands than those of the last execution.
func (n *DNN) setOperands(d Device, p *graphPlan, at variantPack) error {
	n.destroy(d, &graphPlan{variantPackDesc: p.variantPackDesc})
	b := &descriptorBuilder{n: n, d: d}
	p.variantPackDesc, p.operands = b.variantPack(at), at
	if b.err != nil {
		b.destroy()
		p.variantPackDesc = 0
	}
	return b.err
}

// enginePlan is an execution plan of a graph, and its engine configuration.
type enginePlan struct {
	engineConfig, plan uintptr
	space              int // bytes of workspace
}

// planGraph describes a convolution and selects an engine configuration: the first that the library proposes, or the
// fastest.
func (n *DNN) planGraph(d Device, c *Conv, p *graphPlan) error {
	b := &descriptorBuilder{n: n, d: d}
	defer func() { b.destroy() }()
	most := 1
	if dnnFind() {
		most = maxMeasuredPlans
	}
	ways, err := b.enginePlans(c, most)
	if err != nil {
		return err
	}
	way := ways[0]
	if len(ways) > 1 {
		if way, err = n.fastest(d, c, ways); err != nil {
			return err
		}
	}
	p.engineConfig, p.plan, p.space = way.engineConfig, way.plan, way.space
	b.descriptors = slices.DeleteFunc(b.descriptors,
		func(desc uintptr) bool { return desc == p.engineConfig || desc == p.plan })
	return nil
}

// enginePlans are up to most usable execution plans, those first that the library expects to be fast. Some of its
// proposals cannot be finalized.
func (b *descriptorBuilder) enginePlans(c *Conv, most int) (list []enginePlan, err error) {
	graph := b.graph(c)
	if b.err != nil {
		return nil, b.err
	}
	for _, mode := range []int32{CUDNN_HEUR_MODE_A, CUDNN_HEUR_MODE_FALLBACK} {
		configs := b.engineConfigs(graph, mode)
		err = cmp.Or(err, b.takeError())
		for _, config := range configs {
			if w, ok := b.enginePlan(c.Elem, config); ok {
				list = append(list, w)
			}
			if err = cmp.Or(err, b.takeError()); len(list) == most {
				return list, nil
			}
		}
	}
	if len(list) > 0 {
		return list, nil
	}
	none := &driver.Error{Op: "convolve", Text: "no exact way to compute " + c.Text() +
		" among those that the library proposes", Kind: driver.ErrUnsupported, Detail: b.n.library.Label()}
	return nil, cmp.Or(err, error(none))
}

// takeError returns the error and clears it, so that the builder goes on.
func (b *descriptorBuilder) takeError() error {
	err := b.err
	b.err = nil
	return err
}

// enginePlan creates the plan of a configuration, if it is usable.
func (b *descriptorBuilder) enginePlan(elem string, config uintptr) (w enginePlan, ok bool) {
	if !b.exact(elem, config) || b.err != nil {
		return w, false
	}
	w.engineConfig = config
	w.plan, w.space = b.plan(config)
	return w, b.err == nil && w.space <= maxWorkspace
}

// exact reports whether a configuration is deterministic and sums the products themselves, with all the bits of f32.
// For f16 a note that sums have reduced precision is ignored: cuDNN has it for an engine for three channels whose sums,
// on an H200, had all bits of f32 and were rounded once.
func (b *descriptorBuilder) exact(elem string, config uintptr) bool {
	return !slices.ContainsFunc(b.numericalNotes(config), func(note int32) bool {
		switch note {
		case CUDNN_NUMERICAL_NOTE_TENSOR_CORE:
			return elem == "f32" && !driver.EnvBool("GOROCM_TF32")
		case CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION:
			return elem == "f32" || elem == "f64"
		case CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC:
			return true
		case CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS, CUDNN_NUMERICAL_NOTE_FFT, CUDNN_NUMERICAL_NOTE_WINOGRAD:
			return !driver.EnvBool("GOROCM_TF32")
		}
		return false
	})
}

// At most maxMeasuredPlans are measured, in rounds of several calls.
const maxMeasuredPlans, measuredRounds, measuredCalls = 8, 4, 5

// fastest measures plans.
func (n *DNN) fastest(d Device, c *Conv, ways []enginePlan) (best enginePlan, err error) {
	least := time.Duration(math.MaxInt64)
	for _, w := range ways {
		took, failed := n.measureGraph(d, c, w)
		if failed != nil {
			err = failed
		} else if took < least {
			best, least = w, took
		}
	}
	if best.plan != 0 {
		err = nil
	}
	return best, err
}

// measureGraph is the time of a plan: the minimum of several rounds, after one in which kernels are loaded.
func (n *DNN) measureGraph(d Device, c *Conv, w enginePlan) (least time.Duration, err error) {
	p := &graphPlan{enginePlan: w}
	defer func() { n.destroy(d, &graphPlan{variantPackDesc: p.variantPackDesc}) }()
	least = math.MaxInt64
	for round := range measuredRounds {
		start := time.Now()
		for range measuredCalls {
			s, after, err := n.execution(d, c, p)
			if err != nil {
				return 0, err
			}
			err = n.call(d, s)
			after()
			if err != nil {
				return 0, err
			}
		}
		if err := d.Wait(); err != nil {
			return 0, err
		}
		if round > 0 {
			least = min(least, time.Since(start))
		}
	}
	return least, nil
}
