package rocm

import (
	"fmt"
	"math"
	"runtime"

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

// Conv is a convolution of images with weights, or one of the two passes back. All operands are dense, in one of two orders.
type Conv struct {
	Pass                ConvPass
	Elem                string // the type of all elements: f16, bf16 or f32, whose products are added in f32, or f64
	Images              int
	Channels, H, W      int // of X, [Images Channels H W]
	Outs, OH, OW        int // of Y, [Images Outs OH OW]
	KH, KW              int // of Weights, [Outs Channels/Groups KH KW]
	Groups              int
	Pad, Step, Dilation [2]int // of rows and of columns: zeros before and after, places of a tap and its next one, taps
	ChannelsLast        bool   // X lies as [Images H W Channels], Y as [Images OH OW Outs], Weights as [Outs KH KW Channels/Groups]
	X, Weights, Y       Place
}

// Convolve puts a convolution on the device's stream if the device has a library that takes it, and reports whether it did. Where it did
// not, the caller's own kernels have to compute; DNN says why. It is an error, of kind ErrInvalid, when elements are outside of a buffer,
// or a buffer was freed or is on another device.
func (d *Device) Convolve(c *Conv) (bool, error) {
	n := d.convolver(c)
	if n == nil {
		return false, nil
	}
	for _, o := range []struct {
		Place
		n int
	}{{c.X, c.Images * c.Channels * c.H * c.W}, {c.Weights, c.Outs * c.Channels / c.Groups * c.KH * c.KW}, {c.Y, c.Images * c.Outs * c.OH * c.OW}} {
		if err := o.check("convolve", d, o.n, gemmSizes[c.Elem]); err != nil {
			return false, err
		}
	}
	done, err := n.convolve(d, c)
	runtime.KeepAlive(c)
	return done, err
}

// MayConvolve reports whether Convolve would have the library compute c, as far as is known before it tries: a caller that has to copy the
// operands to put them in order asks first. The operands' places do not matter.
func (d *Device) MayConvolve(c *Conv) bool {
	n := d.convolver(c)
	if n == nil {
		return false
	}
	asked := c.shape()
	return !n.refused(asked) || n.lib.graphs() && !n.refused(graphKey{asked})
}

// convolver returns the device's library if it has the type and the sizes can be given to it, otherwise nil.
func (d *Device) convolver(c *Conv) *deviceDNN {
	if gemmSizes[c.Elem] == 0 || !c.regular() || d.recording() != nil { // libraries allocate and compile, which a capture cannot record
		return nil
	}
	n := d.dnn.open(d)
	if n == nil {
		return nil
	}
	if _, ok := n.lib.kind.types[c.Elem]; !ok {
		return nil
	}
	return n
}

// shape is c without its operands: what a plan is made for.
func (c *Conv) shape() Conv {
	s := *c
	s.X, s.Weights, s.Y = Place{}, Place{}, Place{}
	return s
}

// regular reports whether the sizes fit together, and are what a library can count.
func (c *Conv) regular() bool {
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

// text names the convolution in reports.
func (c *Conv) text() string {
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
	column := lib.kind.platform.Column()
	return drops(
		dropped{driver.CName[dnnCalls]("dropTensor", column), lib.dropTensor, p.x},
		lib.kind.column.dropWeights(lib, p.weights),
		dropped{driver.CName[dnnCalls]("dropTensor", column), lib.dropTensor, p.y},
		dropped{driver.CName[dnnCalls]("dropConv", column), lib.dropConv, p.conv},
	)
}

func (n *deviceDNN) convolve(d *Device, c *Conv) (bool, error) {
	if n.lib.graphs() && c.graph() {
		if done, err := n.convolveGraph(d, c); done || err != nil {
			return done, err
		}
	}
	fresh := &convPlan{}
	return n.planned(d, c.shape(), c.text(), c.Elem, fresh, func() error { return n.planConv(d, c, fresh) }, func(plan dnnPlan) (step, func(), error) {
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
func (n *deviceDNN) room(d *Device, bytes int) (*Buffer, error) { return d.Alloc(bytes) }

// planConv makes the descriptors and chooses a way.
func (n *deviceDNN) planConv(d *Device, c *Conv, p *convPlan) error {
	if err := n.describeConv(d, c, p); err != nil {
		return err
	}
	if findDNN() {
		return n.measure(d, c, p)
	}
	return n.choose(d, c, p)
}

// describeConv makes the descriptors.
func (n *deviceDNN) describeConv(d *Device, c *Conv, p *convPlan) error {
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
func (n *deviceDNN) describeImages(d *Device, desc *uintptr, c *Conv, channels, h, w int) error {
	return n.describeStrided(d, desc, c.Elem, []int{c.Images, channels, h, w}, c.strides(channels, h, w))
}

// weightSizes are the sizes of weights, in the order of outs, channels, rows and columns.
func (c *Conv) weightSizes() []int { return []int{c.Outs, c.Channels / c.Groups, c.KH, c.KW} }

// strides are those of an operand of so many channels.
func (c *Conv) strides(channels, h, w int) []int {
	if c.ChannelsLast {
		return []int{channels * h * w, 1, w * channels, channels}
	}
	return []int{channels * h * w, h * w, w, 1}
}

// choose takes the best way that the library knows of, without running any.
func (n *deviceDNN) choose(d *Device, c *Conv, p *convPlan) error {
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
func (n *deviceDNN) measure(d *Device, c *Conv, p *convPlan) error {
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
func (n *deviceDNN) take(d *Device, c *Conv, p *convPlan, ways []way, space int, measured bool) error {
	column := n.lib.kind.column
	for _, w := range ways {
		if !w.usable || w.space > space || !column.exact(c.Pass, w) && !driver.Flag("GOROCM_TF32") {
			continue
		}
		p.way, p.measured = w, measured
		return column.take(n, d, p, c, w, measured)
	}
	return &driver.Error{Op: "convolve", Text: fmt.Sprintf("no exact way to compute %s among the %d of the library", c.text(), len(ways)), Kind: ErrUnsupported, Detail: n.from.label()}
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
func (n *deviceDNN) callPass(d *Device, c *Conv, which string, call driver.Call, args ...uintptr) error {
	s := n.step(c.Pass.String()+which, func() driver.Code { return call(args...) })
	if call == nil {
		return n.lackError(s.name)
	}
	return n.call(d, s)
}

// operands are the three operands with their descriptors.
func (p *convPlan) operands(c *Conv) (x, weights, y side) {
	return side{p.x, c.X.pointer()}, side{p.weights, c.Weights.pointer()}, side{p.y, c.Y.pointer()}
}

// axes are the numbers that a descriptor has for rows and columns.
func (c *Conv) axes() (pads, strides, dilations []int32) {
	return words(c.Pad[:]), words(c.Step[:]), words(c.Dilation[:])
}
