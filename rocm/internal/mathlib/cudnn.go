package mathlib

import (
	"encoding/binary"
	"path/filepath"
	"sync"

	"github.com/ebitengine/purego"

	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// The enumerations of cuDNN, since version 8.
const (
	cudnnAllocFailed      = 2 // before version 9, and since:
	cudnnNoHostMemory     = 4003
	cudnnNoDeviceMemory   = 4004
	cudnnNCHW             = 0
	cudnnNHWC             = 1
	cudnnCrossCorrelation = 1
	cudnnFloat            = 0
	cudnnDouble           = 1
	cudnnDefaultMath      = 0 // f32 may be TF32
	cudnnTensorMath       = 1
	cudnnFMAMath          = 3 // f32 has all its bits
	cudnnPropagateNaN     = 1
	cudnnPoolMax          = 0
	cudnnPoolAverage      = 1
)

var cudnn = &dnnKind{
	VendorKind: driver.VendorKind{
		Name: "cuDNN", Platform: driver.CUDA, Purpose: "convolutions and pools on NVIDIA GPUs", NoMemory: []driver.Code{cudnnAllocFailed, cudnnNoHostMemory, cudnnNoDeviceMemory}, Find: findCuDNN,
		Statuses: map[driver.Code]string{
			1: "CUDNN_STATUS_NOT_INITIALIZED", 2: "CUDNN_STATUS_ALLOC_FAILED", 3: "CUDNN_STATUS_BAD_PARAM", 4: "CUDNN_STATUS_INTERNAL_ERROR",
			6: "CUDNN_STATUS_ARCH_MISMATCH", 8: "CUDNN_STATUS_EXECUTION_FAILED", 9: "CUDNN_STATUS_NOT_SUPPORTED",
			// Version 9 counts by thousands, with the details in the rest.
			1001: "CUDNN_STATUS_NOT_INITIALIZED", 2000: "CUDNN_STATUS_BAD_PARAM", 3000: "CUDNN_STATUS_NOT_SUPPORTED",
			4000: "CUDNN_STATUS_INTERNAL_ERROR", 5000: "CUDNN_STATUS_EXECUTION_FAILED",
		},
	},
	types:  map[string]int32{"f32": 0, "f64": 1, "f16": 2, "bf16": 9},
	column: cudnnVendor{},
}

// findCuDNN loads the file that has all calls; it finds its parts beside itself.
var findCuDNN = sync.OnceValues(func() (*driver.Library, error) {
	spec := cudnnSpec()
	for _, path := range spec.Candidates() {
		if filepath.IsAbs(path) {
			// Outside of the loader's own path, as where pip puts it, the library does not find cuBLAS, which it needs.
			if blas, err := findCuBLAS(); err == nil {
				_, _ = purego.Dlopen(blas.Path, purego.RTLD_NOW|purego.RTLD_GLOBAL) // loaded already: its names are for others, too
			}
			break
		}
	}
	return spec.Load()
})

func cudnnSpec() driver.Search {
	const name = "libcudnn.so"
	return driver.Search{Name: name, Names: driver.Versioned(name, []string{"9", "8"})[1:], Folders: driver.CUDAFolders()}
}

type cudnnVendor struct{}

// describeWeights gives the sizes in the order of outs, channels, rows and columns, whatever the format says of how elements lie.
func (cudnnVendor) describeWeights(n *DNN, d Device, desc *uintptr, c *Conv) error {
	sizes, format := words(c.weightSizes()), int32(cudnnNCHW)
	if c.ChannelsLast {
		format = cudnnNHWC
	}
	if err := n.call(d, n.step("newFilter", func() driver.Code { return n.lib.newFilter(desc) })); err != nil {
		return err
	}
	return n.call(d, n.step("setFilter", func() driver.Code {
		return n.lib.setFilter(*desc, n.lib.kind.types[c.Elem], format, int32(len(sizes)), &sizes[0])
	}))
}

func (cudnnVendor) dropWeights(lib *dnnLibrary, desc uintptr) dropped {
	return dropped{"cudnnDestroyFilterDescriptor", lib.dropFilter, desc}
}

func (cudnnVendor) setConv(n *DNN, d Device, p *convPlan, c *Conv) error {
	pads, strides, dilations := c.axes()
	compute := int32(cudnnFloat)
	if c.Elem == "f64" {
		compute = cudnnDouble
	}
	err := n.call(d, n.step("setConv", func() driver.Code {
		return n.lib.setConv(p.conv, 2, &pads[0], &strides[0], &dilations[0], cudnnCrossCorrelation, compute)
	}))
	if err != nil {
		return err
	}
	return n.setMath(d, p, cudnnMath(c.Elem))
}

// cudnnMath is the arithmetic to ask for.
func cudnnMath(elem string) int32 {
	switch {
	case elem == "f16" || elem == "bf16":
		return cudnnTensorMath
	case elem == "f32" && !driver.Flag("GOROCM_TF32"):
		return cudnnFMAMath
	}
	return cudnnDefaultMath
}

func (n *DNN) setMath(d Device, p *convPlan, math int32) error {
	return n.call(d, n.step("setMath", func() driver.Code { return n.lib.setMath(p.conv, math) }))
}

func (cudnnVendor) sides(c *Conv, p *convPlan, _ bool) [3]side {
	x, w, y := p.operands(c)
	switch c.Pass {
	case ConvForward:
		return [3]side{x, w, y}
	case ConvData:
		return [3]side{w, y, x}
	}
	return [3]side{x, y, w}
}

// listed reads cudnnConvolution…AlgoPerf_t: algorithm, status, time, bytes of workspace, whether bits repeat, arithmetic.
func (cudnnVendor) listed(a *dnnAnswers) []way {
	return a.ways(48, func(b []byte) way {
		u32 := binary.LittleEndian.Uint32
		algorithm := u32(b)
		return way{number: uint64(algorithm), family: int32(algorithm), space: int(binary.LittleEndian.Uint64(b[16:])),
			math: int32(u32(b[28:])), usable: u32(b[4:]) == 0 && u32(b[24:]) == 1}
	})
}

func (c cudnnVendor) measured(a *dnnAnswers) []way { return c.listed(a) }

// exact names the algorithms that are neither Fourier's nor Winograd's; each pass has its own numbers.
func (cudnnVendor) exact(pass ConvPass, w way) bool {
	switch pass {
	case ConvForward:
		return w.family < 4
	case ConvData:
		return w.family < 2
	}
	return w.family < 2 || w.family == 3
}

// take asks for the arithmetic that goes with an algorithm. That of f32 with all bits goes with any.
func (cudnnVendor) take(n *DNN, d Device, p *convPlan, c *Conv, w way, _ bool) error {
	if cudnnMath(c.Elem) == cudnnFMAMath {
		return nil
	}
	return n.setMath(d, p, w.math)
}

func (cudnnVendor) space(_ *DNN, d Device, _ *convPlan, _ *Conv) (int, error) {
	return int(min(maxSpace, d.TotalMemory()/16)), nil
}

func (m cudnnVendor) run(n *DNN, p *convPlan, c *Conv, space uintptr) (field string, call driver.Call, args []uintptr) {
	s := m.sides(c, p, false)
	one, zero := factors(c.Elem)
	return c.Pass.String() + "Run", n.lib.pass(c.Pass).run, []uintptr{n.handle, one, s[0].desc, s[0].at, s[1].desc, s[1].at, p.conv, uintptr(p.number),
		space, uintptr(p.way.space), zero, s[2].desc, s[2].at}
}

func (cudnnVendor) pool(desc uintptr, l *Pooling) (set, more []uintptr, ok bool) {
	mode := uintptr(cudnnPoolAverage)
	if l.Max {
		mode = cudnnPoolMax
	}
	return []uintptr{desc, mode, cudnnPropagateNaN, word(l.KH), word(l.KW), 0, 0, word(l.SH), word(l.SW)}, nil, !l.Max || !l.Backward
}

var cudnnFunctions = map[string]int32{"sigmoid": 0, "relu": 1, "tanh": 2, "elu": 4}

func (cudnnVendor) activation(n *DNN, d Device, desc uintptr, a *Activation) error {
	mode, ok := cudnnFunctions[a.Function]
	if !ok {
		return errNotSame
	}
	return n.call(d, n.step("setActivation", func() driver.Code { return n.lib.setActivation(desc, mode, cudnnPropagateNaN, a.Coefficient) }))
}

func (cudnnVendor) softmaxArgs(n *DNN, log bool, one, zero uintptr, operands ...uintptr) []uintptr {
	args := []uintptr{n.handle, softmaxAlgorithm(log), softmaxInstance, one}
	last := len(operands) - 2
	return append(append(append(args, operands[:last]...), zero), operands[last:]...)
}
