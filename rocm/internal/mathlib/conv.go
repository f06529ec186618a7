package mathlib

import (
	"fmt"
	"math"

	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// ConvPass says which operand of a convolution is computed from the other two.
type ConvPass int

// The passes.
const (
	ConvForward ConvPass = iota // Y of X and Weights
	ConvData                    // X of Y and Weights: the gradient of the images, or a transposed convolution
	ConvWeights                 // Weights of X and Y: the gradient of the weights
)

// String names the pass.
func (p ConvPass) String() string { return [...]string{"forward", "data", "weights"}[p] }

// ConvShape is a convolution without its operands: what a plan is made for. See rocm.Conv.
type ConvShape struct {
	Pass                ConvPass
	Elem                string
	Images              int
	Channels, H, W      int
	Outs, OH, OW        int
	KH, KW              int
	Groups              int
	Pad, Step, Dilation [2]int
	ChannelsLast        bool
}

// Conv is a convolution of operands at addresses of the device's memory.
type Conv struct {
	ConvShape
	X, Weights, Y uintptr
}

// Regular reports whether the sizes fit together, and are what a library can count.
func (c *ConvShape) Regular() bool {
	least := min(c.Images, c.Channels, c.H, c.W, c.Outs, c.KH, c.KW, c.Groups, c.Step[0], c.Step[1], c.Dilation[0], c.Dilation[1])
	if least < 1 || min(c.Pad[0], c.Pad[1]) < 0 || c.Channels%c.Groups != 0 || c.Outs%c.Groups != 0 {
		return false
	}
	places := func(n, taps, axis int) int {
		span := n + 2*c.Pad[axis] - c.Dilation[axis]*(taps-1) - 1
		if span < 0 {
			return 0
		}
		return span/c.Step[axis] + 1
	}
	return c.OH == places(c.H, c.KH, 0) && c.OW == places(c.W, c.KW, 1) && c.OH > 0 && c.OW > 0 &&
		max(c.Images*c.Channels*c.H*c.W, c.Images*c.Outs*c.OH*c.OW, c.Outs*c.Channels*c.KH*c.KW) <= math.MaxInt32
}

// Text names the convolution in reports.
func (c *ConvShape) Text() string {
	if c.ChannelsLast {
		return fmt.Sprintf("%s convolution, channels last, %s", c.Elem, c.Pass)
	}
	return fmt.Sprintf("%s convolution, %s", c.Elem, c.Pass)
}

// convPlan is what convolutions of one shape need: descriptors, and the way that was chosen.
type convPlan struct {
	x, weights, y, conv uintptr
	way
	measured bool // by find; otherwise chosen from what the library knows
}

// way is one of the ways in which a library can compute a convolution.
type way struct {
	number uint64 // how the library calls it
	family int32  // of algorithms
	space  int    // bytes that it uses besides the operands
	math   int32  // cuDNN's kind of arithmetic
	usable bool   // it works for this shape, and gives the same bits each time
}

// side is an operand: its descriptor and address.
type side struct{ desc, at uintptr }

func (p *convPlan) drop(lib *dnnLibrary) []step {
	column := lib.kind.Platform.Column()
	return drops(
		dropped{driver.CName[dnnCalls]("dropTensor", column), lib.dropTensor, p.x},
		lib.kind.column.dropWeights(lib, p.weights),
		dropped{driver.CName[dnnCalls]("dropTensor", column), lib.dropTensor, p.y},
		dropped{driver.CName[dnnCalls]("dropConv", column), lib.dropConv, p.conv},
	)
}

// MayConvolve reports whether the library is not known to refuse convolutions of a shape.
func (n *DNN) MayConvolve(c ConvShape) bool {
	return !n.refused(c) || n.HasGraphs() && !n.refused(graphKey{c})
}

// Convolve puts a convolution on the device's stream. It reports whether the library took it.
func (n *DNN) Convolve(d Device, c *Conv) (bool, error) {
	if n.HasGraphs() && c.graph() {
		if done, err := n.convolveGraph(d, c); done || err != nil {
			return done, err
		}
	}
	fresh := &convPlan{}
	return n.planned(d, c.ConvShape, c.Text(), c.Elem, fresh, func() error { return n.planConv(d, c, fresh) }, func(plan dnnPlan) (step, func(), error) {
		p := plan.(*convPlan)
		space, err := n.room(d, p.space)
		if err != nil {
			return step{}, nil, err // memory is short: own kernels need less
		}
		field, call, args := n.lib.kind.column.run(n, p, c, space.Ptr())
		s, _, err := n.optional(field, call, args...)
		if err != nil {
			space.Free()
		}
		return s, space.Free, err
	})
}

// room is memory that calls use besides their operands. It may be freed as soon as the calls are on the stream.
func (n *DNN) room(d Device, bytes int) (Memory, error) { return d.Alloc(bytes) }

// planConv makes the descriptors and chooses a way.
func (n *DNN) planConv(d Device, c *Conv, p *convPlan) error {
	if err := n.describeConv(d, c, p); err != nil {
		return err
	}
	if findDNN() {
		return n.measure(d, c, p)
	}
	return n.choose(d, c, p)
}

// describeConv makes the descriptors.
func (n *DNN) describeConv(d Device, c *Conv, p *convPlan) error {
	column := n.lib.kind.column
	for _, step := range []func() error{
		func() error { return n.describeImages(d, &p.x, c, c.Channels, c.H, c.W) },
		func() error { return column.describeWeights(n, d, &p.weights, c) },
		func() error { return n.describeImages(d, &p.y, c, c.Outs, c.OH, c.OW) },
		func() error {
			return n.call(d, n.step("newConv", func() driver.Code { return n.lib.newConv(&p.conv) }))
		},
		func() error { return column.setConv(n, d, p, c) },
		func() error {
			return n.call(d, n.step("setGroups", func() driver.Code { return n.lib.setGroups(p.conv, int32(c.Groups)) }))
		},
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// describeImages makes the descriptor of images. Sizes and strides are in the order of images, channels, rows and columns, however elements lie.
func (n *DNN) describeImages(d Device, desc *uintptr, c *Conv, channels, h, w int) error {
	return n.describeStrided(d, desc, c.Elem, []int{c.Images, channels, h, w}, c.strides(channels, h, w))
}

// weightSizes are the sizes of weights, in the order of outs, channels, rows and columns.
func (c *ConvShape) weightSizes() []int { return []int{c.Outs, c.Channels / c.Groups, c.KH, c.KW} }

// strides are those of an operand of so many channels.
func (c *ConvShape) strides(channels, h, w int) []int {
	if c.ChannelsLast {
		return []int{channels * h * w, 1, w * channels, channels}
	}
	return []int{channels * h * w, h * w, w, 1}
}

// choose takes the best way that the library knows of, without running any.
func (n *DNN) choose(d Device, c *Conv, p *convPlan) error {
	calls := n.lib.pass(c.Pass)
	s := n.lib.kind.column.sides(c, p, true)
	n.answers = dnnAnswers{}
	err := n.callPass(d, c, "Choose", calls.choose, n.handle, s[0].desc, s[1].desc, p.conv, s[2].desc, maxAnswers, address(&n.answers.count), address(&n.answers.list))
	if err != nil {
		return err
	}
	return n.take(d, c, p, n.lib.kind.column.listed(&n.answers), maxSpace, false)
}

// measure runs the ways there are and takes the fastest.
func (n *DNN) measure(d Device, c *Conv, p *convPlan) error {
	calls := n.lib.pass(c.Pass)
	size, err := n.lib.kind.column.space(n, d, p, c)
	if err != nil {
		return err
	}
	space, err := n.room(d, size)
	if err != nil {
		return err
	}
	defer space.Free()
	s := n.lib.kind.column.sides(c, p, false)
	n.answers = dnnAnswers{}
	// MIOpen's last argument is whether to search for long. cuDNN has none, and does not look.
	err = n.callPass(d, c, "Find", calls.find, n.handle, s[0].desc, s[0].at, s[1].desc, s[1].at, p.conv, s[2].desc, s[2].at,
		maxAnswers, address(&n.answers.count), address(&n.answers.list), space.Ptr(), uintptr(size), 0)
	if err != nil {
		return err
	}
	return n.take(d, c, p, n.lib.kind.column.measured(&n.answers), size, true)
}

// take takes the first way that may be used: one that is exact, unless f32 may lose bits.
func (n *DNN) take(d Device, c *Conv, p *convPlan, ways []way, space int, measured bool) error {
	column := n.lib.kind.column
	for _, w := range ways {
		if !w.usable || w.space > space || !column.exact(c.Pass, w) && !driver.Flag("GOROCM_TF32") {
			continue
		}
		p.way, p.measured = w, measured
		return column.take(n, d, p, c, w, measured)
	}
	return &driver.Error{Op: "convolve", Text: fmt.Sprintf("no exact way to compute %s among the %d of the library", c.Text(), len(ways)), Kind: driver.ErrUnsupported, Detail: n.from.Label()}
}

// passCalls are the calls of one pass.
type passCalls struct{ choose, compile, immediate, space, find, run driver.Call }

func (t *dnnCalls) pass(p ConvPass) passCalls {
	return [...]passCalls{
		{t.forwardChoose, t.forwardCompile, t.forwardImmediate, t.forwardSpace, t.forwardFind, t.forwardRun},
		{t.dataChoose, t.dataCompile, t.dataImmediate, t.dataSpace, t.dataFind, t.dataRun},
		{t.weightsChoose, t.weightsCompile, t.weightsImmediate, t.weightsSpace, t.weightsFind, t.weightsRun},
	}[p]
}

// callPass makes a call of a pass; which is the end of its field's name.
func (n *DNN) callPass(d Device, c *Conv, which string, call driver.Call, args ...uintptr) error {
	s := n.step(c.Pass.String()+which, func() driver.Code { return call(args...) })
	if call == nil {
		return n.lackError(s.name)
	}
	return n.call(d, s)
}

// operands are the three operands with their descriptors.
func (p *convPlan) operands(c *Conv) (x, weights, y side) {
	return side{p.x, c.X}, side{p.weights, c.Weights}, side{p.y, c.Y}
}

// axes are the numbers that a descriptor has for rows and columns.
func (c *ConvShape) axes() (pads, strides, dilations []int32) {
	return words(c.Pad[:]), words(c.Step[:]), words(c.Dilation[:])
}
