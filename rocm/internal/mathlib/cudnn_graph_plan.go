package mathlib

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// graphKey is what a plan of a graph is made for.
type graphKey struct{ shape ConvShape }

// graphOperandAlignment is of the operands of graphs, in bytes. Operands that lie otherwise are for the older calls: some ways of cuDNN's access wrong addresses.
const graphOperandAlignment = 16

// graphs reports whether the library has the calls for graphs.
func (lib *dnnLibrary) graphs() bool {
	return lib.graphCreate != nil && lib.graphDestroy != nil && lib.graphSet != nil && lib.graphGet != nil && lib.graphFinalize != nil && lib.graphExecute != nil
}

// HasGraphs reports whether convolutions go to cuDNN's graphs first.
func (n *DNN) HasGraphs() bool { return n.lib.graphs() }

// graph reports whether the operands lie as those of graphs do.
func (c *Conv) graph() bool { return (c.X|c.Weights|c.Y)%graphOperandAlignment == 0 }

// convolveGraph is convolve by a graph.
func (n *DNN) convolveGraph(d Device, c *Conv) (bool, error) {
	fresh := &graphPlan{}
	return n.runPlanned(d, graphKey{c.ConvShape}, c.Text()+", as a graph", c.Elem, fresh, func() error { return n.planGraph(d, c, fresh) }, func(plan dnnPlan) (libraryStep, func(), error) {
		return n.execution(d, c, plan.(*graphPlan))
	})
}

// execution is the call that executes a plan, and what is to be called then.
func (n *DNN) execution(d Device, c *Conv, p *graphPlan) (libraryStep, func(), error) {
	space, err := n.allocWorkspace(d, p.space)
	if err != nil {
		return libraryStep{}, nil, err // memory is short: other ways need less
	}
	at := variantPack{c.X, c.Weights, c.Y, space.Ptr()}
	if p.variantPackDesc == 0 || p.operands != at {
		if err := n.setOperands(d, p, at); err != nil {
			space.Free()
			return libraryStep{}, nil, err
		}
	}
	return n.step("graphExecute", func() driver.Code { return n.lib.graphExecute(n.handle, p.plan, p.variantPackDesc) }), space.Free, nil
}

// variantPack are where the operands of a plan are, and what it uses besides.
type variantPack struct{ x, weights, y, space uintptr }

// setOperands makes the descriptor of places anew: they are often those of the last time.
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

// enginePlan is one of the ways in which the library can compute a graph.
type enginePlan struct {
	engineConfig, plan uintptr
	space              int // bytes that it uses besides the operands
}

// planGraph describes a convolution and chooses a way to compute it: the first of those that the library proposes, or the fastest.
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
	b.descriptors = slices.DeleteFunc(b.descriptors, func(desc uintptr) bool { return desc == p.engineConfig || desc == p.plan })
	return nil
}

// enginePlans are up to most ways to compute a convolution that may be used, those first that the library expects to be fast. Not all that it proposes can be had.
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
	none := &driver.Error{Op: "convolve", Text: "no exact way to compute " + c.Text() + " among those that the library proposes", Kind: driver.ErrUnsupported, Detail: b.n.library.Label()}
	return nil, cmp.Or(err, error(none))
}

// takeError is the error until now, after which the builder goes on.
func (b *descriptorBuilder) takeError() error {
	err := b.err
	b.err = nil
	return err
}

// enginePlan makes the plan of a configuration, if it may be used.
func (b *descriptorBuilder) enginePlan(elem string, config uintptr) (w enginePlan, ok bool) {
	if !b.exact(elem, config) || b.err != nil {
		return w, false
	}
	w.engineConfig = config
	w.plan, w.space = b.plan(config)
	return w, b.err == nil && w.space <= maxWorkspace
}

// exact reports whether a way gives the same bits each time and adds up the products themselves, with all the bits of f32. cuDNN says of a way for three
// channels of f16 that its sums have fewer; on an H200, they had not: sums that f32 holds exactly came out rounded once.
func (b *descriptorBuilder) exact(elem string, config uintptr) bool {
	return !slices.ContainsFunc(b.numericalNotes(config), func(note int32) bool {
		switch note {
		case CUDNN_NUMERICAL_NOTE_TENSOR_CORE:
			return elem == "f32" && !driver.Flag("GOROCM_TF32")
		case CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION:
			return elem == "f32" || elem == "f64"
		case CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC:
			return true
		case CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS, CUDNN_NUMERICAL_NOTE_FFT, CUDNN_NUMERICAL_NOTE_WINOGRAD:
			return !driver.Flag("GOROCM_TF32")
		}
		return false
	})
}

// The most ways that are measured, and how often.
const maxMeasuredPlans, measuredRounds, measuredCalls = 8, 4, 5

// fastest measures ways.
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

// measureGraph is how long a way takes: the least of a few times, after one in which kernels are loaded.
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
