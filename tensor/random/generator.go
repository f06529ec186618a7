package random

import (
	"fmt"
	"sync"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/random/internal/draw"
	"github.com/gorocm/gorocm/tensor/random/internal/sample"
)

// Generator draws random numbers. Goroutines may share one; for numbers that repeat, each should have its own.
type Generator struct {
	device *tensor.Device // of a default generator

	mu     sync.Mutex
	stream sample.Stream // unless device is set
}

// New returns a generator whose numbers depend on the seed only.
func New(seed uint64) *Generator { return &Generator{stream: sample.Stream{Seed: seed}} }

// Default returns the generator of a device that tensor.Rand and tensor.Randn use, with the seed of Device.SetSeed.
func Default(dev *tensor.Device) *Generator {
	if dev == nil {
		failDevice("default")
	}
	return &Generator{device: dev}
}

// Seed returns the seed of the generator.
func (g *Generator) Seed() uint64 {
	if g.device != nil {
		return g.device.Seed()
	}
	return g.stream.Seed
}

// State returns where the generator is: its seed, and how far it has counted. SetState goes on from there.
func (g *Generator) State() (seed, counter uint64) {
	s := g.take(0)
	return s.Seed, s.Counter
}

// SetState has the generator draw what it, or another one, drew after State had returned these numbers.
func (g *Generator) SetState(seed, counter uint64) {
	if g.device != nil {
		g.device.SetSeed(seed)
		g.take(int(counter))
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.stream.Seed, g.stream.Counter = seed, counter
}

// splitWord is the third word of counters that make seeds. Elements do not get there.
const splitWord = 1<<32 - 1

// Split returns n generators whose numbers are independent of one another and of those of g, as jax.random.split
// does. Their seeds are numbers of g: a later call returns others.
func (g *Generator) Split(n int) []*Generator {
	if n < 0 {
		extend.Fail("split", tensor.ErrValue, nil, "", "%d generators", n)
	}
	s := g.take(n)
	list := make([]*Generator, n)
	for i := range list {
		w := kernels.PhiloxAt(s.Seed, s.Counter+uint64(i), splitWord)
		list[i] = New(uint64(w[0])<<32 | uint64(w[1]))
	}
	return list
}

// take reserves counters.
func (g *Generator) take(counters int) sample.Stream {
	if g.device != nil {
		seed, counter := extend.Draw(g.device, counters)
		return sample.Stream{Seed: seed, Counter: counter}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	s := g.stream
	g.stream.Counter += uint64(counters)
	return s
}

// fours is the number of counters of n numbers of which four share one.
func fours(n int) int { return (n + 3) / 4 }

// call is a call of a method: what it returns.
type call struct {
	draw.Into
	g *Generator
}

func (g *Generator) call(op string, shape []int, dt tensor.DType, dev *tensor.Device) call {
	if dev == nil {
		failDevice(op)
	}
	extend.NotCaptured(op, dev, "dev.Rand and dev.Randn draw anew in each replay")
	for _, n := range shape {
		if n < 0 {
			extend.Fail(op, tensor.ErrShape, nil, "", "shape %v has a negative size", shape)
		}
	}
	return call{draw.Into{Op: op, Shape: shape, DType: dt, Device: dev}, g}
}

func failDevice(op string) {
	extend.Fail(op, tensor.ErrDevice, nil, "tensor.CPU() is the host", "the device is nil")
}

// floats is call for results that are floats.
func (g *Generator) floats(op string, shape []int, dt tensor.DType, dev *tensor.Device) call {
	if !dt.IsFloat() {
		extend.Fail(op, tensor.ErrDType, nil, "g.Integers(0, 10, shape, tensor.I64, dev) are integers",
			"random numbers are floats, not %v", dt)
	}
	return g.call(op, shape, dt, dev)
}

func (c call) count() int { return backend.Product(c.Shape) }

// in is the same call with results of another type.
func (c call) in(dt tensor.DType) call {
	c.DType = dt
	return c
}

// wide is the type in which floats are computed in several steps: F32 for small ones.
func (c call) wide() call {
	if c.DType != tensor.F64 {
		return c.in(tensor.F32)
	}
	return c
}

// standard returns uniform numbers between a and b or, if normal, of mean a and standard deviation b.
func (c call) standard(normal bool, a, b float64) *tensor.Tensor {
	return extend.New(c.Op, c.Device, c.DType, c.Shape, func() (backend.Storage, error) {
		s := c.g.take(fours(c.count()))
		return extend.Backend(c.Device).Random(c.DType, c.count(), normal, s.Seed, s.Counter, a, b)
	})
}

// String returns the seed, or the device whose generator it is.
func (g *Generator) String() string {
	if g.device != nil {
		return fmt.Sprintf("random.Generator: that of %v", g.device)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return fmt.Sprintf("random.Generator: seed %d", g.stream.Seed)
}
