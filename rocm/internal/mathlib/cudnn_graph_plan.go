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

// graphAlignment is of the operands of graphs, in bytes. Operands that lie otherwise are for the older calls: some ways of cuDNN's access wrong addresses.
const graphAlignment = 16

// graphs reports whether the library has the calls for graphs.
func (lib *dnnLibrary) graphs() bool {
	return lib.graphCreate != nil && lib.graphDestroy != nil && lib.graphSet != nil && lib.graphGet != nil && lib.graphFinalize != nil && lib.graphExecute != nil
}

// HasGraphs reports whether convolutions go to cuDNN's graphs first.
func (n *DNN) HasGraphs() bool { return n.lib.graphs() }

// graph reports whether the operands lie as those of graphs do.
func (c *Conv) graph() bool { return (c.X|c.Weights|c.Y)%graphAlignment == 0 }

// convolveGraph is convolve by a graph.
func (n *DNN) convolveGraph(d Device, c *Conv) (bool, error) {
	fresh := &graphPlan{}
	return n.planned(d, graphKey{c.ConvShape}, c.Text()+", as a graph", c.Elem, fresh, func() error { return n.planGraph(d, c, fresh) }, func(plan dnnPlan) (step, func(), error) {
		return n.executing(d, c, plan.(*graphPlan))
	})
}

// executing is the call that executes a plan, and what is to be called then.
func (n *DNN) executing(d Device, c *Conv, p *graphPlan) (step, func(), error) {
	space, err := n.room(d, p.space)
	if err != nil {
		return step{}, nil, err // memory is short: other ways need less
	}
	at := graphPlaces{c.X, c.Weights, c.Y, space.Ptr()}
	if p.pack == 0 || p.at != at {
		if err := n.repack(d, p, at); err != nil {
			space.Free()
			return step{}, nil, err
		}
	}
	return n.step("graphExecute", func() driver.Code { return n.lib.graphExecute(n.handle, p.plan, p.pack) }), space.Free, nil
}

// graphPlaces are where the operands of a plan are, and what it uses besides.
type graphPlaces struct{ x, weights, y, space uintptr }

// repack makes the descriptor of places anew: they are often those of the last time.
func (n *DNN) repack(d Device, p *graphPlan, at graphPlaces) error {
	n.discard(d, &graphPlan{pack: p.pack})
	b := &graphBuilder{n: n, d: d}
	p.pack, p.at = b.pack(at), at
	if b.err != nil {
		b.drop()
		p.pack = 0
	}
	return b.err
}

// graphWay is one of the ways in which the library can compute a graph.
type graphWay struct {
	config, plan uintptr
	space        int // bytes that it uses besides the operands
}

// planGraph describes a convolution and chooses a way to compute it: the first of those that the library proposes, or the fastest.
func (n *DNN) planGraph(d Device, c *Conv, p *graphPlan) error {
	b := &graphBuilder{n: n, d: d}
	defer func() { b.drop() }()
	most := 1
	if findDNN() {
		most = maxMeasured
	}
	ways, err := b.ways(c, most)
	if err != nil {
		return err
	}
	way := ways[0]
	if len(ways) > 1 {
		if way, err = n.fastest(d, c, ways); err != nil {
			return err
		}
	}
	p.config, p.plan, p.space = way.config, way.plan, way.space
	b.made = slices.DeleteFunc(b.made, func(desc uintptr) bool { return desc == p.config || desc == p.plan })
	return nil
}

// ways are up to most ways to compute a convolution that may be used, those first that the library expects to be fast. Not all that it proposes can be had.
func (b *graphBuilder) ways(c *Conv, most int) (list []graphWay, err error) {
	graph := b.graph(c)
	if b.err != nil {
		return nil, b.err
	}
	for _, mode := range []int32{heuristicsBest, heuristicsFallback} {
		configs := b.configs(graph, mode)
		err = cmp.Or(err, b.failure())
		for _, config := range configs {
			if w, ok := b.way(c.Elem, config); ok {
				list = append(list, w)
			}
			if err = cmp.Or(err, b.failure()); len(list) == most {
				return list, nil
			}
		}
	}
	if len(list) > 0 {
		return list, nil
	}
	none := &driver.Error{Op: "convolve", Text: "no exact way to compute " + c.Text() + " among those that the library proposes", Kind: driver.ErrUnsupported, Detail: b.n.from.Label()}
	return nil, cmp.Or(err, error(none))
}

// failure is the error until now, after which the builder goes on.
func (b *graphBuilder) failure() error {
	err := b.err
	b.err = nil
	return err
}

// way makes the plan of a configuration, if it may be used.
func (b *graphBuilder) way(elem string, config uintptr) (w graphWay, ok bool) {
	if !b.exact(elem, config) || b.err != nil {
		return w, false
	}
	w.config = config
	w.plan, w.space = b.plan(config)
	return w, b.err == nil && w.space <= maxSpace
}

// exact reports whether a way gives the same bits each time and adds up the products themselves, with all the bits of f32. cuDNN says of a way for three
// channels of f16 that its sums have fewer; on an H200, they had not: sums that f32 holds exactly came out rounded once.
func (b *graphBuilder) exact(elem string, config uintptr) bool {
	return !slices.ContainsFunc(b.notes(config), func(note int32) bool {
		switch note {
		case noteTensorCores:
			return elem == "f32" && !driver.Flag("GOROCM_TF32")
		case noteFewerBitsOfSums:
			return elem == "f32" || elem == "f64"
		case noteOtherBits:
			return true
		case noteFewerBits, noteFourier, noteWinograd:
			return !driver.Flag("GOROCM_TF32")
		}
		return false
	})
}

// The most ways that are measured, and how often.
const maxMeasured, measuredRounds, measuredCalls = 8, 4, 5

// fastest measures ways.
func (n *DNN) fastest(d Device, c *Conv, ways []graphWay) (best graphWay, err error) {
	least := time.Duration(math.MaxInt64)
	for _, w := range ways {
		took, failed := n.graphTime(d, c, w)
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

// graphTime is how long a way takes: the least of a few times, after one in which kernels are loaded.
func (n *DNN) graphTime(d Device, c *Conv, w graphWay) (least time.Duration, err error) {
	p := &graphPlan{graphWay: w}
	defer func() { n.discard(d, &graphPlan{pack: p.pack}) }()
	least = math.MaxInt64
	for round := range measuredRounds {
		start := time.Now()
		for range measuredCalls {
			s, after, err := n.executing(d, c, p)
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
