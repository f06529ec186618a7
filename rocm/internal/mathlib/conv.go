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
	Pass                  ConvPass
	Elem                  string
	Images                int
	Channels, H, W        int
	Outs, OH, OW          int
	KH, KW                int
	Groups                int
	Pad, Stride, Dilation [2]int
	ChannelsLast          bool
}

// Conv is a convolution of operands at addresses of the device's memory.
type Conv struct {
	ConvShape
	X, Weights, Y uintptr
}

// Regular reports whether the sizes are consistent, and fit in 32 bits.
func (c *ConvShape) Regular() bool {
	least := min(c.Images, c.Channels, c.H, c.W, c.Outs, c.KH, c.KW, c.Groups, c.Stride[0], c.Stride[1], c.Dilation[0],
		c.Dilation[1])
	if least < 1 || min(c.Pad[0], c.Pad[1]) < 0 || c.Channels%c.Groups != 0 || c.Outs%c.Groups != 0 {
		return false
	}
	places := func(n, taps, axis int) int {
		span := n + 2*c.Pad[axis] - c.Dilation[axis]*(taps-1) - 1
		if span < 0 {
			return 0
		}
		return span/c.Stride[axis] + 1
	}
	return c.OH == places(c.H, c.KH, 0) && c.OW == places(c.W, c.KW, 1) && c.OH > 0 && c.OW > 0 &&
		max(c.Images*c.Channels*c.H*c.W, c.Images*c.Outs*c.OH*c.OW, c.Outs*c.Channels*c.KH*c.KW) <= math.MaxInt32
}

// Text names the kind of convolution in reports.
func (c *ConvShape) Text() string {
	if c.ChannelsLast {
		return fmt.Sprintf("%s convolution, channels last, %s", c.Elem, c.Pass)
	}
	return fmt.Sprintf("%s convolution, %s", c.Elem, c.Pass)
}

// convPlan is the descriptors for convolutions of one shape, and the algorithm.
type convPlan struct {
	x, weights, y, conv uintptr
	algorithm
	measured bool // by find, not proposed by choose
}

// algorithm is one of a library's algorithms for a convolution, with its workspace.
type algorithm struct {
	number    uint64 // of the library
	family    int32  // of algorithms
	workspace int    // bytes
	mathType  int32  // cudnnMathType_t
	usable    bool   // it works for this shape, and is deterministic
}

// operand is the descriptor of an operand and its address.
type operand struct{ desc, ptr uintptr }

func (p *convPlan) destroySteps(lib *dnnLibrary) []libraryStep {
	column := lib.kind.Platform.Column()
	return destroySteps(
		descriptor{driver.CName[dnnCalls]("destroyTensor", column), lib.destroyTensor, p.x},
		lib.kind.vendor.weightsDescriptor(lib, p.weights),
		descriptor{driver.CName[dnnCalls]("destroyTensor", column), lib.destroyTensor, p.y},
		descriptor{driver.CName[dnnCalls]("destroyConv", column), lib.destroyConv, p.conv},
	)
}

// MayConvolve reports whether the library is not known to refuse convolutions of a shape, and during a capture whether
// it has computed them before.
func (n *DNN) MayConvolve(d Device, c ConvShape) bool {
	may := func(key any) bool { return !n.isRefused(key) && (!d.Recording() || n.isKnown(key)) }
	return may(c) || n.HasGraphs() && may(graphKey{c})
}

// Recordable reports whether a capture can record convolutions that were computed before. MIOpen may compile kernels or
// allocate memory at any call, and has not been tried.
func (n *DNN) Recordable() bool { return n.Ready() && n.lib.kind.Platform == driver.CUDA }

// onWorkStream is a call of the library that puts its work on the stream of the calling thread. The caller holds the
// mutex while it is made.
func (n *DNN) onWorkStream(d Device, s libraryStep) libraryStep {
	stream, own, call := d.WorkStream(), d.Stream(), s.call
	if stream == own {
		return s
	}
	s.call = func() driver.Code {
		if c := n.lib.stream(n.handle, stream); c != 0 {
			return c
		}
		c := call()
		if back := n.lib.stream(n.handle, own); c == 0 {
			c = back
		}
		return c
	}
	return s
}

// Convolve puts a convolution on the device's stream. It reports whether the library took it.
func (n *DNN) Convolve(d Device, c *Conv) (bool, error) {
	if n.HasGraphs() && c.graph() {
		if done, err := n.convolveGraph(d, c); done || err != nil {
			return done, err
		}
	}
	fresh := &convPlan{}
	return n.runPlanned(d, c.ConvShape, c.Text(), c.Elem, fresh, func() error { return n.planConv(d, c, fresh) },
		func(plan dnnPlan) (libraryStep, func(), error) {
			p := plan.(*convPlan)
			space, err := n.allocWorkspace(d, p.workspace)
			if err != nil {
				return libraryStep{}, nil, err // memory is short: gorocm's kernels need less
			}
			field, call, args := n.lib.kind.vendor.run(n, p, c, space.Ptr())
			s, _, err := n.optional(field, call, args...)
			if err != nil {
				space.Free()
				return s, nil, err
			}
			return n.onWorkStream(d, s), space.Free, nil
		})
}

// allocWorkspace allocates workspace. It may be freed as soon as the calls are on the stream.
func (n *DNN) allocWorkspace(d Device, bytes int) (Memory, error) { return d.Scratch(bytes) }

// planConv creates the descriptors and selects an algorithm.
func (n *DNN) planConv(d Device, c *Conv, p *convPlan) error {
	if err := n.describeConv(d, c, p); err != nil {
		return err
	}
	if dnnFind() {
		return n.selectByMeasuring(d, c, p)
	}
	return n.selectByHeuristic(d, c, p)
}

// describeConv creates the descriptors.
func (n *DNN) describeConv(d Device, c *Conv, p *convPlan) error {
	column := n.lib.kind.vendor
	for _, step := range []func() error{
		func() error { return n.describeImages(d, &p.x, c, c.Channels, c.H, c.W) },
		func() error { return column.describeWeights(n, d, &p.weights, c) },
		func() error { return n.describeImages(d, &p.y, c, c.Outs, c.OH, c.OW) },
		func() error {
			return n.call(d, n.step("createConv", func() driver.Code { return n.lib.createConv(&p.conv) }))
		},
		func() error { return column.setConv(n, d, p, c) },
		func() error {
			return n.call(d, n.step("setGroups",
				func() driver.Code { return n.lib.setGroups(p.conv, int32(c.Groups)) }))
		},
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// describeImages creates the descriptor of images. Sizes and strides are in the order N, C, H, W, whatever the order in
// memory.
func (n *DNN) describeImages(d Device, desc *uintptr, c *Conv, channels, h, w int) error {
	return n.describeStrided(d, desc, c.Elem, []int{c.Images, channels, h, w}, c.strides(channels, h, w))
}

// weightSizes are the sizes of weights: output channels, channels of a group, rows, columns.
func (c *ConvShape) weightSizes() []int { return []int{c.Outs, c.Channels / c.Groups, c.KH, c.KW} }

// strides are those of an operand with the given sizes.
func (c *ConvShape) strides(channels, h, w int) []int {
	if c.ChannelsLast {
		return []int{channels * h * w, 1, w * channels, channels}
	}
	return []int{channels * h * w, h * w, w, 1}
}

// selectByHeuristic selects the algorithm that the library proposes, without running any.
func (n *DNN) selectByHeuristic(d Device, c *Conv, p *convPlan) error {
	calls := n.lib.pass(c.Pass)
	s := n.lib.kind.vendor.operands(c, p, true)
	n.results = dnnResults{}
	err := n.callPass(d, c, "Choose", calls.choose, n.handle, s[0].desc, s[1].desc, p.conv, s[2].desc, maxResults,
		address(&n.results.count), address(&n.results.list))
	if err != nil {
		return err
	}
	return n.selectAlgorithm(d, c, p, n.lib.kind.vendor.heuristicResults(&n.results), maxWorkspace, false)
}

// selectByMeasuring has the library run its algorithms and selects the fastest.
func (n *DNN) selectByMeasuring(d Device, c *Conv, p *convPlan) error {
	calls := n.lib.pass(c.Pass)
	size, err := n.lib.kind.vendor.findWorkspace(n, d, p, c)
	if err != nil {
		return err
	}
	space, err := n.allocWorkspace(d, size)
	if err != nil {
		return err
	}
	defer space.Free()
	s := n.lib.kind.vendor.operands(c, p, false)
	n.results = dnnResults{}
	// MIOpen's last argument asks for an exhaustive search. cuDNN's call has one argument fewer, and ignores it.
	err = n.callPass(d, c, "Find", calls.find, n.handle, s[0].desc, s[0].ptr, s[1].desc, s[1].ptr, p.conv, s[2].desc,
		s[2].ptr,
		maxResults, address(&n.results.count), address(&n.results.list), space.Ptr(), uintptr(size), 0)
	if err != nil {
		return err
	}
	return n.selectAlgorithm(d, c, p, n.lib.kind.vendor.findResults(&n.results), size, true)
}

// selectAlgorithm selects the first usable algorithm: one that is exact, unless GOROCM_TF32 is set.
func (n *DNN) selectAlgorithm(d Device, c *Conv, p *convPlan, ways []algorithm, space int, measured bool) error {
	column := n.lib.kind.vendor
	for _, w := range ways {
		if !w.usable || w.workspace > space || !column.exact(c.Pass, w) && !driver.EnvBool("GOROCM_TF32") {
			continue
		}
		p.algorithm, p.measured = w, measured
		return column.selected(n, d, p, c, w, measured)
	}
	return &driver.Error{Op: "convolve", Text: fmt.Sprintf("no exact way to compute %s among the %d of the library",
		c.Text(), len(ways)), Kind: driver.ErrUnsupported, Detail: n.library.Label()}
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

// callPass makes a call of a pass. which is the end of the name of its field.
func (n *DNN) callPass(d Device, c *Conv, which string, call driver.Call, args ...uintptr) error {
	s := n.step(c.Pass.String()+which, func() driver.Code { return call(args...) })
	if call == nil {
		return n.lackError(s.name)
	}
	return n.call(d, s)
}

// operands are the three operands with their descriptors.
func (p *convPlan) operands(c *Conv) (x, weights, y operand) {
	return operand{p.x, c.X}, operand{p.weights, c.Weights}, operand{p.y, c.Y}
}

// axes are the paddings, strides and dilations of rows and columns.
func (c *ConvShape) axes() (pads, strides, dilations []int32) {
	return int32s(c.Pad[:]), int32s(c.Stride[:]), int32s(c.Dilation[:])
}
