package mathlib

import (
	"encoding/binary"
	"path/filepath"
	"sync"

	"github.com/gorocm/gorocm/internal/dl"

	"github.com/gorocm/gorocm/rocm/internal/driver"
)

var cudnn = &dnnKind{
	VendorKind: driver.VendorKind{
		Name: "cuDNN", Platform: driver.CUDA, Purpose: "convolutions and pools on NVIDIA GPUs", Find: findCuDNN,
		NoMemory: []driver.Code{
			CUDNN_STATUS_ALLOC_FAILED, CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED,
			CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED,
		},
		Statuses: map[driver.Code]string{
			1: "CUDNN_STATUS_NOT_INITIALIZED", 2: "CUDNN_STATUS_ALLOC_FAILED", 3: "CUDNN_STATUS_BAD_PARAM",
			4: "CUDNN_STATUS_INTERNAL_ERROR",
			6: "CUDNN_STATUS_ARCH_MISMATCH", 8: "CUDNN_STATUS_EXECUTION_FAILED", 9: "CUDNN_STATUS_NOT_SUPPORTED",
			// Version 9: thousands are the kinds, the rest the details.
			1001: "CUDNN_STATUS_NOT_INITIALIZED", 2000: "CUDNN_STATUS_BAD_PARAM", 3000: "CUDNN_STATUS_NOT_SUPPORTED",
			4000: "CUDNN_STATUS_INTERNAL_ERROR", 5000: "CUDNN_STATUS_EXECUTION_FAILED",
		},
	},
	types: map[string]int32{"f32": CUDNN_DATA_FLOAT, "f64": CUDNN_DATA_DOUBLE, "f16": CUDNN_DATA_HALF,
		"bf16": CUDNN_DATA_BFLOAT16},
	vendor: cudnnVendor{},
}

// findCuDNN loads libcudnn.so, which has all calls and loads its parts from its own folder.
var findCuDNN = sync.OnceValues(func() (*driver.Library, error) {
	spec := cudnnSpec()
	for _, path := range spec.Candidates() {
		if filepath.IsAbs(path) {
			// Outside of the loader's own path, as where pip installs it, the library does not find its dependency
			// cuBLAS.
			if blas, err := findCuBLAS(); err == nil {
				// loaded already: this makes its symbols global
				_, _ = dl.OpenGlobal(blas.Path)
			}
			break
		}
	}
	return spec.Load()
})

func cudnnSpec() driver.Search {
	const name = "libcudnn.so"
	return driver.Search{Name: name, Names: driver.Versioned(name, []string{"9", "8"})[1:],
		Folders: driver.CUDAFolders()}
}

type cudnnVendor struct{}

// describeWeights: the sizes are in the order of weightSizes, whatever the format says of the order in memory.
func (cudnnVendor) describeWeights(n *DNN, d Device, desc *uintptr, c *Conv) error {
	sizes, format := int32s(c.weightSizes()), int32(CUDNN_TENSOR_NCHW)
	if c.ChannelsLast {
		format = CUDNN_TENSOR_NHWC
	}
	if err := n.call(d, n.step("createFilter", func() driver.Code { return n.lib.createFilter(desc) })); err != nil {
		return err
	}
	return n.call(d, n.step("setFilter", func() driver.Code {
		return n.lib.setFilter(*desc, n.lib.kind.types[c.Elem], format, int32(len(sizes)), &sizes[0])
	}))
}

func (cudnnVendor) weightsDescriptor(lib *dnnLibrary, desc uintptr) descriptor {
	return descriptor{"cudnnDestroyFilterDescriptor", lib.destroyFilter, desc}
}

func (cudnnVendor) setConv(n *DNN, d Device, p *convPlan, c *Conv) error {
	pads, strides, dilations := c.axes()
	compute := int32(CUDNN_DATA_FLOAT)
	if c.Elem == "f64" {
		compute = CUDNN_DATA_DOUBLE
	}
	err := n.call(d, n.step("setConv", func() driver.Code {
		return n.lib.setConv(p.conv, 2, &pads[0], &strides[0], &dilations[0], CUDNN_CROSS_CORRELATION, compute)
	}))
	if err != nil {
		return err
	}
	return n.setMath(d, p, cudnnMathType(c.Elem))
}

// cudnnMathType is the arithmetic for a type of elements.
func cudnnMathType(elem string) int32 {
	switch {
	case elem == "f16" || elem == "bf16":
		return CUDNN_TENSOR_OP_MATH
	case elem == "f32" && !driver.EnvBool("GOROCM_TF32"):
		return CUDNN_FMA_MATH
	}
	return CUDNN_DEFAULT_MATH
}

func (n *DNN) setMath(d Device, p *convPlan, math int32) error {
	return n.call(d, n.step("setMath", func() driver.Code { return n.lib.setMath(p.conv, math) }))
}

func (cudnnVendor) operands(c *Conv, p *convPlan, _ bool) [3]operand {
	x, w, y := p.operands(c)
	switch c.Pass {
	case ConvForward:
		return [3]operand{x, w, y}
	case ConvData:
		return [3]operand{w, y, x}
	}
	return [3]operand{x, y, w}
}

// heuristicResults reads cudnnConvolution…AlgoPerf_t: algorithm, status, time, bytes of workspace, whether bits repeat,
// arithmetic.
func (cudnnVendor) heuristicResults(a *dnnResults) []algorithm {
	return a.algorithms(48, func(b []byte) algorithm {
		u32 := binary.LittleEndian.Uint32
		number := u32(b)
		return algorithm{number: uint64(number), family: int32(number),
			workspace: int(binary.LittleEndian.Uint64(b[16:])),
			mathType:  int32(u32(b[28:])), usable: u32(b[4:]) == 0 && u32(b[24:]) == 1}
	})
}

func (c cudnnVendor) findResults(a *dnnResults) []algorithm { return c.heuristicResults(a) }

// exact accepts the algorithms that are neither FFT nor Winograd. Each pass has its own enumeration.
func (cudnnVendor) exact(pass ConvPass, w algorithm) bool {
	switch pass {
	case ConvForward:
		return w.family < 4
	case ConvData:
		return w.family < 2
	}
	return w.family < 2 || w.family == 3
}

// selected sets the arithmetic that the algorithm was proposed with. CUDNN_FMA_MATH goes with any.
func (cudnnVendor) selected(n *DNN, d Device, p *convPlan, c *Conv, w algorithm, _ bool) error {
	if cudnnMathType(c.Elem) == CUDNN_FMA_MATH {
		return nil
	}
	return n.setMath(d, p, w.mathType)
}

func (cudnnVendor) findWorkspace(_ *DNN, d Device, _ *convPlan, _ *Conv) (int, error) {
	return int(min(maxWorkspace, d.TotalMemory()/16)), nil
}

func (m cudnnVendor) run(n *DNN, p *convPlan, c *Conv, space uintptr) (field string, call driver.Call, args []uintptr) {
	s := m.operands(c, p, false)
	one, zero := scalars(c.Elem)
	return c.Pass.String() + "Run", n.lib.pass(c.Pass).run,
		[]uintptr{n.handle, one, s[0].desc, s[0].ptr, s[1].desc, s[1].ptr, p.conv, uintptr(p.number),
			space, uintptr(p.algorithm.workspace), zero, s[2].desc, s[2].ptr}
}

func (cudnnVendor) pool(desc uintptr, l *Pooling) (set, more []uintptr, ok bool) {
	mode := uintptr(CUDNN_POOLING_AVERAGE_COUNT_INCLUDE_PADDING)
	if l.Max {
		mode = CUDNN_POOLING_MAX
	}
	return []uintptr{desc, mode, CUDNN_PROPAGATE_NAN, cInt(l.KH), cInt(l.KW), 0, 0, cInt(l.SH), cInt(l.SW)}, nil,
		!l.Max || !l.Backward
}

var cudnnActivationModes = map[string]int32{
	"sigmoid": CUDNN_ACTIVATION_SIGMOID, "relu": CUDNN_ACTIVATION_RELU, "tanh": CUDNN_ACTIVATION_TANH,
	"elu": CUDNN_ACTIVATION_ELU,
}

func (cudnnVendor) activation(n *DNN, d Device, desc uintptr, a *Activation) error {
	mode, ok := cudnnActivationModes[a.Function]
	if !ok {
		return errDifferentResult
	}
	return n.call(d, n.step("setActivation",
		func() driver.Code { return n.lib.setActivation(desc, mode, CUDNN_PROPAGATE_NAN, a.Coefficient) }))
}

func (cudnnVendor) softmaxArgs(n *DNN, log bool, one, zero uintptr, operands ...uintptr) []uintptr {
	args := []uintptr{n.handle, softmaxAlgorithm(log), CUDNN_SOFTMAX_MODE_INSTANCE, one}
	last := len(operands) - 2
	return append(append(append(args, operands[:last]...), zero), operands[last:]...)
}
