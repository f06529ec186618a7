//lint:file-ignore ST1003 names of MIOpen, as its manual has them

package mathlib

import (
	"encoding/binary"
	"sync"

	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// The enumerations of MIOpen, the same from ROCm 5 on, as far as they are used: miopen.h. Those of softmax and of batch
// norms are cuDNN's.
const (
	miopenStatusAllocFailed = 4 // miopenStatus_t

	miopenHalf     = 0 // miopenDataType_t
	miopenFloat    = 1
	miopenBFloat16 = 5

	miopenConvolution                       = 0 // miopenConvolutionMode_t
	MIOPEN_CONVOLUTION_ATTRIB_FP16_ALT_IMPL = 0 // miopenConvolutionAttrib_t
	MIOPEN_CONVOLUTION_ATTRIB_DETERMINISTIC = 1
	miopenConvolutionAlgoFFT                = 2 // miopenConvAlgorithm_t
	miopenConvolutionAlgoWinograd           = 3

	miopenPoolingAverage = 1 // miopenPoolingMode_t

	miopenActivationLOGISTIC = 1 // miopenActivationMode_t
	miopenActivationTANH     = 2
	miopenActivationRELU     = 3
	miopenActivationELU      = 9

	MIOPEN_SOFTMAX_MODE_INSTANCE = 0 // miopenSoftmaxMode_t
)

var miopen = &dnnKind{
	VendorKind: driver.VendorKind{
		Name: "MIOpen", Platform: driver.HIP, Purpose: "convolutions and pools on AMD GPUs", Find: findMIOpen,
		NoMemory: []driver.Code{miopenStatusAllocFailed},
		Statuses: map[driver.Code]string{
			1: "miopenStatusNotInitialized", 2: "miopenStatusInvalidValue", 3: "miopenStatusBadParm",
			4: "miopenStatusAllocFailed",
			5: "miopenStatusInternalError", 6: "miopenStatusNotImplemented", 7: "miopenStatusUnknownError",
			8: "miopenStatusUnsupportedOp",
			9: "miopenStatusGpuOperationsSkipped", 10: "miopenStatusVersionMismatch",
		},
	},
	// few algorithms take f64, and they are no faster than a kernel
	types:  map[string]int32{"f16": miopenHalf, "f32": miopenFloat, "bf16": miopenBFloat16},
	vendor: miopenVendor{},
}

var findMIOpen = sync.OnceValues(func() (*driver.Library, error) {
	hip, err := driver.LoadHIP()
	if err != nil {
		return nil, err
	}
	return driver.SearchBesideHIP(hip.Library, "libMIOpen.so", "libMIOpen.so.1").Load()
})

type miopenVendor struct{}

// describeWeights: weights have the descriptor of a tensor. Their order in memory is in the strides.
func (miopenVendor) describeWeights(n *DNN, d Device, desc *uintptr, c *Conv) error {
	return n.describeStrided(d, desc, c.Elem, c.weightSizes(), c.strides(c.Channels/c.Groups, c.KH, c.KW))
}

func (miopenVendor) weightsDescriptor(lib *dnnLibrary, desc uintptr) descriptor {
	return descriptor{"miopenDestroyTensorDescriptor", lib.destroyTensor, desc}
}

func (miopenVendor) setConv(n *DNN, d Device, p *convPlan, c *Conv) error {
	pads, strides, dilations := c.axes()
	err := n.call(d, n.step("initConv", func() driver.Code {
		return n.lib.initConv(p.conv, 2, &pads[0], &strides[0], &dilations[0], miopenConvolution)
	}))
	if err != nil || n.lib.attribute == nil {
		return err
	}
	// Convolutions are deterministic. The alternate implementation of f16, which backward passes on the MI200 series
	// use by default, computes in bf16.
	for _, a := range [][2]int32{{MIOPEN_CONVOLUTION_ATTRIB_DETERMINISTIC, 1},
		{MIOPEN_CONVOLUTION_ATTRIB_FP16_ALT_IMPL, 0}} {
		if err := n.call(d, n.step("attribute",
			func() driver.Code { return n.lib.attribute(p.conv, a[0], a[1]) })); err != nil {
			return err
		}
	}
	return nil
}

// operands: calls that measure and run forward passes have the images before the weights, the call that lists
// algorithms the weights first.
func (miopenVendor) operands(c *Conv, p *convPlan, listing bool) [3]operand {
	x, w, y := p.operands(c)
	switch {
	case c.Pass == ConvForward && listing:
		return [3]operand{w, x, y}
	case c.Pass == ConvForward:
		return [3]operand{x, w, y}
	case c.Pass == ConvData:
		return [3]operand{y, w, x}
	}
	return [3]operand{y, x, w}
}

// heuristicResults reads miopenConvSolution_t: time, bytes of workspace, number, family of algorithms.
func (miopenVendor) heuristicResults(a *dnnResults) []algorithm {
	return a.algorithms(32, func(b []byte) algorithm {
		return algorithm{number: binary.LittleEndian.Uint64(b[16:]), family: int32(binary.LittleEndian.Uint32(b[24:])),
			workspace: int(binary.LittleEndian.Uint64(b[8:])), usable: true}
	})
}

// findResults reads miopenConvAlgoPerf_t: family of algorithms, time, bytes of workspace.
func (miopenVendor) findResults(a *dnnResults) []algorithm {
	return a.algorithms(16, func(b []byte) algorithm {
		family := binary.LittleEndian.Uint32(b)
		return algorithm{number: uint64(family), family: int32(family),
			workspace: int(binary.LittleEndian.Uint64(b[8:])), usable: true}
	})
}

func (miopenVendor) exact(_ ConvPass, w algorithm) bool {
	return w.family != miopenConvolutionAlgoFFT && w.family != miopenConvolutionAlgoWinograd
}

// selected compiles the kernels of the algorithm, so that its first run does not take long.
func (m miopenVendor) selected(n *DNN, d Device, p *convPlan, c *Conv, w algorithm, measured bool) error {
	compile := n.lib.pass(c.Pass).compile
	if measured || compile == nil {
		return nil
	}
	s := m.operands(c, p, true)
	return n.callPass(d, c, "Compile", compile, n.handle, s[0].desc, s[1].desc, p.conv, s[2].desc, uintptr(w.number))
}

func (m miopenVendor) findWorkspace(n *DNN, d Device, p *convPlan, c *Conv) (int, error) {
	s := m.operands(c, p, true)
	n.results = dnnResults{}
	err := n.callPass(d, c, "Space", n.lib.pass(c.Pass).space, n.handle, s[0].desc, s[1].desc, p.conv, s[2].desc,
		address(&n.results.size))
	return int(min(n.results.size, maxWorkspace)), err
}

func (m miopenVendor) run(n *DNN, p *convPlan, c *Conv, space uintptr) (field string, call driver.Call,
	args []uintptr) {
	calls := n.lib.pass(c.Pass)
	s := m.operands(c, p, !p.measured)
	if !p.measured {
		return c.Pass.String() + "Immediate", calls.immediate,
			[]uintptr{n.handle, s[0].desc, s[0].ptr, s[1].desc, s[1].ptr, p.conv, s[2].desc, s[2].ptr,
				space, uintptr(p.algorithm.workspace), uintptr(p.number)}
	}
	one, zero := scalars(c.Elem)
	return c.Pass.String() + "Run", calls.run,
		[]uintptr{n.handle, one, s[0].desc, s[0].ptr, s[1].desc, s[1].ptr, p.conv, uintptr(p.number),
			zero, s[2].desc, s[2].ptr, space, uintptr(p.algorithm.workspace)}
}

// pool: averages only, since the maxima of MIOpen are never NaN.
func (miopenVendor) pool(desc uintptr, l *Pooling) (set, more []uintptr, ok bool) {
	set = []uintptr{desc, miopenPoolingAverage, cInt(l.KH), cInt(l.KW), 0, 0, cInt(l.SH), cInt(l.SW)}
	if l.Backward {
		return set, []uintptr{0}, !l.Max // no workspace
	}
	return set, []uintptr{0, 0, 0}, !l.Max // no backward pass follows, no workspace
}

// miopenActivationModes are the modes of activations. Their parameters are 1 where gorocm's functions have none.
var miopenActivationModes = map[string]int32{
	"sigmoid": miopenActivationLOGISTIC, "tanh": miopenActivationTANH, "relu": miopenActivationRELU,
	"elu": miopenActivationELU,
}

func (miopenVendor) activation(n *DNN, d Device, desc uintptr, a *Activation) error {
	mode, ok := miopenActivationModes[a.Function]
	if !ok {
		return errDifferentResult
	}
	alpha := 1.0
	if a.Function == "elu" {
		alpha = a.Coefficient
	}
	return n.call(d, n.step("initActivation",
		func() driver.Code { return n.lib.initActivation(desc, mode, alpha, 1, 1) }))
}

func (miopenVendor) softmaxArgs(n *DNN, log bool, one, zero uintptr, operands ...uintptr) []uintptr {
	args := []uintptr{n.handle, one}
	last := len(operands) - 2
	args = append(append(append(args, operands[:last]...), zero), operands[last:]...)
	return append(args, softmaxAlgorithm(log), MIOPEN_SOFTMAX_MODE_INSTANCE)
}
