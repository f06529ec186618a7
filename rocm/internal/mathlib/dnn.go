package mathlib

import (
	"fmt"
	"os"
	"strings"
	"unsafe"

	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// dnnCalls is the table of calls of MIOpen and of cuDNN. MIOpen was made after cuDNN: most calls take the same
// arguments. Those that take them in another order are libraryCalls. Handles and descriptors are uintptr; a status is
// the int that both return.
type dnnCalls struct {
	create  func(handle *uintptr) driver.Code              `hip:"miopenCreate" cuda:"cudnnCreate"`
	destroy func(handle uintptr) driver.Code               `hip:"miopenDestroy" cuda:"cudnnDestroy"`
	stream  func(handle, stream uintptr) driver.Code       `hip:"miopenSetStream" cuda:"cudnnSetStream"`
	version func(major, minor, patch *uintptr) driver.Code `hip:"?miopenGetVersion"`
	number  func(property int32, value *int32) driver.Code `cuda:"?cudnnGetProperty"`

	createTensor  func(desc *uintptr) driver.Code                                       `hip:"miopenCreateTensorDescriptor" cuda:"cudnnCreateTensorDescriptor"`
	destroyTensor func(desc uintptr) driver.Code                                        `hip:"miopenDestroyTensorDescriptor" cuda:"cudnnDestroyTensorDescriptor"`
	setTensor     func(desc uintptr, elem, dims int32, sizes, steps *int32) driver.Code `hip:"miopenSetTensorDescriptor" cuda:"cudnnSetTensorNdDescriptor"`

	// cuDNN has a descriptor of its own for weights.
	createFilter  func(desc *uintptr) driver.Code                                        `cuda:"cudnnCreateFilterDescriptor"`
	destroyFilter func(desc uintptr) driver.Code                                         `cuda:"cudnnDestroyFilterDescriptor"`
	setFilter     func(desc uintptr, elem, format, dims int32, sizes *int32) driver.Code `cuda:"cudnnSetFilterNdDescriptor"`

	createConv  func(desc *uintptr) driver.Code                                                                  `hip:"miopenCreateConvolutionDescriptor" cuda:"cudnnCreateConvolutionDescriptor"`
	destroyConv func(desc uintptr) driver.Code                                                                   `hip:"miopenDestroyConvolutionDescriptor" cuda:"cudnnDestroyConvolutionDescriptor"`
	initConv    func(desc uintptr, dims int32, pads, strides, dilations *int32, mode int32) driver.Code          `hip:"miopenInitConvolutionNdDescriptor"`
	setConv     func(desc uintptr, dims int32, pads, strides, dilations *int32, mode, compute int32) driver.Code `cuda:"cudnnSetConvolutionNdDescriptor"`
	setGroups   func(desc uintptr, groups int32) driver.Code                                                     `hip:"miopenSetConvolutionGroupCount" cuda:"cudnnSetConvolutionGroupCount"`
	attribute   func(desc uintptr, attribute, value int32) driver.Code                                           `hip:"?miopenSetConvolutionAttribute"`
	setMath     func(desc uintptr, math int32) driver.Code                                                       `cuda:"cudnnSetConvolutionMathType"`

	// The three passes of a convolution. choose lists algorithms by expected time. find measures them, in workspace of the size that space returns. run
	// computes. MIOpen runs what choose has listed by immediate, after compile.
	forwardChoose    driver.Call `hip:"?miopenConvolutionForwardGetSolution" cuda:"?cudnnGetConvolutionForwardAlgorithm_v7"`
	forwardCompile   driver.Call `hip:"?miopenConvolutionForwardCompileSolution"`
	forwardImmediate driver.Call `hip:"?miopenConvolutionForwardImmediate"`
	forwardSpace     driver.Call `hip:"?miopenConvolutionForwardGetWorkSpaceSize" cuda:"?cudnnGetConvolutionForwardWorkspaceSize"`
	forwardFind      driver.Call `hip:"?miopenFindConvolutionForwardAlgorithm" cuda:"?cudnnFindConvolutionForwardAlgorithmEx"`
	forwardRun       driver.Call `hip:"?miopenConvolutionForward" cuda:"?cudnnConvolutionForward"`

	dataChoose    driver.Call `hip:"?miopenConvolutionBackwardDataGetSolution" cuda:"?cudnnGetConvolutionBackwardDataAlgorithm_v7"`
	dataCompile   driver.Call `hip:"?miopenConvolutionBackwardDataCompileSolution"`
	dataImmediate driver.Call `hip:"?miopenConvolutionBackwardDataImmediate"`
	dataSpace     driver.Call `hip:"?miopenConvolutionBackwardDataGetWorkSpaceSize" cuda:"?cudnnGetConvolutionBackwardDataWorkspaceSize"`
	dataFind      driver.Call `hip:"?miopenFindConvolutionBackwardDataAlgorithm" cuda:"?cudnnFindConvolutionBackwardDataAlgorithmEx"`
	dataRun       driver.Call `hip:"?miopenConvolutionBackwardData" cuda:"?cudnnConvolutionBackwardData"`

	weightsChoose    driver.Call `hip:"?miopenConvolutionBackwardWeightsGetSolution" cuda:"?cudnnGetConvolutionBackwardFilterAlgorithm_v7"`
	weightsCompile   driver.Call `hip:"?miopenConvolutionBackwardWeightsCompileSolution"`
	weightsImmediate driver.Call `hip:"?miopenConvolutionBackwardWeightsImmediate"`
	weightsSpace     driver.Call `hip:"?miopenConvolutionBackwardWeightsGetWorkSpaceSize" cuda:"?cudnnGetConvolutionBackwardFilterWorkspaceSize"`
	weightsFind      driver.Call `hip:"?miopenFindConvolutionBackwardWeightsAlgorithm" cuda:"?cudnnFindConvolutionBackwardFilterAlgorithmEx"`
	weightsRun       driver.Call `hip:"?miopenConvolutionBackwardWeights" cuda:"?cudnnConvolutionBackwardFilter"`

	// cuDNN's graphs: the same calls create, set, finalize, query and destroy descriptors of all kinds.
	graphCreate   func(kind int32, desc *uintptr) driver.Code                                                            `cuda:"?cudnnBackendCreateDescriptor"`
	graphDestroy  func(desc uintptr) driver.Code                                                                         `cuda:"?cudnnBackendDestroyDescriptor"`
	graphSet      func(desc uintptr, attribute, kind int32, count int64, values unsafe.Pointer) driver.Code              `cuda:"?cudnnBackendSetAttribute"`
	graphGet      func(desc uintptr, attribute, kind int32, most int64, count *int64, values unsafe.Pointer) driver.Code `cuda:"?cudnnBackendGetAttribute"`
	graphFinalize func(desc uintptr) driver.Code                                                                         `cuda:"?cudnnBackendFinalize"`
	graphExecute  func(handle, plan, pack uintptr) driver.Code                                                           `cuda:"?cudnnBackendExecute"`

	// Pools. MIOpen's take a workspace, which only the backward pass of max pools uses.
	createPool   func(desc *uintptr) driver.Code `hip:"miopenCreatePoolingDescriptor" cuda:"cudnnCreatePoolingDescriptor"`
	destroyPool  func(desc uintptr) driver.Code  `hip:"miopenDestroyPoolingDescriptor" cuda:"cudnnDestroyPoolingDescriptor"`
	setPool      driver.Call                     `hip:"miopenSet2dPoolingDescriptor" cuda:"cudnnSetPooling2dDescriptor"`
	pool         driver.Call                     `hip:"?miopenPoolingForward" cuda:"?cudnnPoolingForward"`
	poolBackward driver.Call                     `hip:"?miopenPoolingBackward" cuda:"?cudnnPoolingBackward"`

	// Layers: elementwise functions, softmax of rows, batch norms of channels.
	createActivation  func(desc *uintptr) driver.Code                                        `hip:"?miopenCreateActivationDescriptor" cuda:"?cudnnCreateActivationDescriptor"`
	destroyActivation func(desc uintptr) driver.Code                                         `hip:"?miopenDestroyActivationDescriptor" cuda:"?cudnnDestroyActivationDescriptor"`
	initActivation    func(desc uintptr, mode int32, alpha, beta, gamma float64) driver.Code `hip:"?miopenSetActivationDescriptor"`
	setActivation     func(desc uintptr, mode, nan int32, coefficient float64) driver.Code   `cuda:"?cudnnSetActivationDescriptor"`
	activate          driver.Call                                                            `hip:"?miopenActivationForward" cuda:"?cudnnActivationForward"`
	activateBackward  driver.Call                                                            `hip:"?miopenActivationBackward" cuda:"?cudnnActivationBackward"`
	softmax           driver.Call                                                            `hip:"?miopenSoftmaxForward_V2" cuda:"?cudnnSoftmaxForward"`
	softmaxBackward   driver.Call                                                            `hip:"?miopenSoftmaxBackward_V2" cuda:"?cudnnSoftmaxBackward"`
	normalize         normalizeCall                                                          `hip:"?miopenBatchNormalizationForwardInference" cuda:"?cudnnBatchNormalizationForwardInference"`
	normalizeTraining normalizeTrainingCall                                                  `hip:"?miopenBatchNormalizationForwardTraining" cuda:"?cudnnBatchNormalizationForwardTraining"`
	normalizeBackward normalizeBackwardCall                                                  `hip:"?miopenBatchNormalizationBackward" cuda:"?cudnnBatchNormalizationBackward"`
}

// Batch norms take floating-point arguments, which a driver.Call cannot have. Each operand follows its descriptor.
type (
	normalizeCall func(handle uintptr, mode int32, one, zero, xDesc, x, yDesc, y, channels, scale, bias, mean,
		variance uintptr, eps float64) driver.Code
	normalizeTrainingCall func(handle uintptr, mode int32, one, zero, xDesc, x, yDesc, y, channels, scale, bias uintptr,
		momentum float64, mean, variance uintptr,
		eps float64, savedMean, savedInverse uintptr) driver.Code
	normalizeBackwardCall func(handle uintptr, mode int32, one, zero, oneMore, zeroMore, xDesc, x, dyDesc, dy, dxDesc,
		dx, channels, scale, dScale, dBias uintptr,
		eps float64, savedMean, savedInverse uintptr) driver.Code
)

// dnnLibrary is MIOpen or cuDNN.
type dnnLibrary struct {
	dnnCalls
	driver.VendorLibrary
	kind *dnnKind
}

// dnnKind is what differs between the two libraries.
type dnnKind struct {
	driver.VendorKind
	types  map[string]int32
	vendor dnnVendor
}

// dnnVendor is what differs between the calls of MIOpen and of cuDNN.
type dnnVendor interface {
	// describeWeights creates the descriptor of weights; weightsDescriptor destroys it.
	describeWeights(n *DNN, d Device, desc *uintptr, c *Conv) error
	weightsDescriptor(lib *dnnLibrary, desc uintptr) descriptor
	// setConv configures the descriptor of a convolution.
	setConv(n *DNN, d Device, p *convPlan, c *Conv) error
	// operands returns the operands of a pass in the order of the library's calls, the result last. listing says that
	// the call lists algorithms; the calls that measure and run them may have another order.
	operands(c *Conv, p *convPlan, listing bool) [3]operand
	// heuristicResults and findResults read the algorithms that choose and find have returned. selected is called with
	// the one that is used.
	heuristicResults(a *dnnResults) []algorithm
	findResults(a *dnnResults) []algorithm
	selected(n *DNN, d Device, p *convPlan, c *Conv, w algorithm, measured bool) error
	// exact reports whether an algorithm sums the products themselves. Winograd and FFT algorithms sum other numbers,
	// and lose bits.
	exact(pass ConvPass, w algorithm) bool
	// findWorkspace is the bytes that find needs.
	findWorkspace(n *DNN, d Device, p *convPlan, c *Conv) (int, error)
	// run returns the call that computes, with its arguments.
	run(n *DNN, p *convPlan, c *Conv, space uintptr) (field string, call driver.Call, args []uintptr)
	// pool returns the arguments of the call that configures a pool, and those that follow the common ones in the calls
	// that compute. ok is false for pools that the library computes with other results than gorocm.
	pool(desc uintptr, l *Pooling) (set, more []uintptr, ok bool)
	// activation configures the descriptor of an elementwise function. The error is errDifferentResult for one that the
	// library lacks.
	activation(n *DNN, d Device, desc uintptr, a *Activation) error
	// softmaxArgs returns the arguments of softmax in the library's order. operands are descriptors and addresses, the
	// result last.
	softmaxArgs(n *DNN, log bool, one, zero uintptr, operands ...uintptr) []uintptr
}

// DNN computes convolutions, pools and layers on one device. Its zero value opens the library when it is first used.
type DNN struct {
	planCache[*dnnLibrary]
	results dnnResults
}

type dnnPlan = plan[*dnnLibrary]

// dnnResults is where calls store their results. It is part of a DNN, whose memory does not move, and is used with the
// mutex held.
type dnnResults struct {
	count uintptr // C's int or size_t: it is cleared before each call
	size  uintptr
	list  [maxResults * resultSize]byte
}

const (
	maxResults   = 16      // algorithms for one convolution
	resultSize   = 64      // bytes, at least those of one result
	maxWorkspace = 1 << 30 // bytes that an algorithm may use
)

// GOROCM_DNN turns the library off, or has its algorithms measured.
func dnnDisabled() bool { return strings.EqualFold(os.Getenv("GOROCM_DNN"), "go") }
func dnnFind() bool     { return strings.EqualFold(os.Getenv("GOROCM_DNN"), "find") }

// Open loads the library and creates a handle, at its first call. It reports whether there is one.
func (n *DNN) Open(d Device) bool {
	return n.libraryHandle.open(func() error { return n.start(d) })
}

// Takes reports whether the library, which is open, has a type of elements.
func (n *DNN) Takes(elem string) bool {
	_, ok := n.lib.kind.types[elem]
	return ok
}

// Close destroys the handle and all plans.
func (n *DNN) Close(d Device) error {
	if n.lib == nil {
		return nil
	}
	n.Forget(d)
	return n.close(d, n.step("destroy", func() driver.Code { return n.lib.destroy(n.handle) }))
}

func (n *DNN) start(d Device) error {
	lib, err := loadDNN(d.Platform())
	if err != nil {
		return err
	}
	n.lib, n.library = lib, &lib.VendorLibrary
	return n.setup(d,
		n.step("create", func() driver.Code { return lib.create(&n.handle) }),
		n.step("destroy", func() driver.Code { return lib.destroy(n.handle) }),
		[]libraryStep{n.step("stream", func() driver.Code { return lib.stream(n.handle, d.Stream()) })})
}

// step is a call of the table's field.
func (n *DNN) step(field string, call func() driver.Code) libraryStep {
	return libraryStep{driver.CName[dnnCalls](field, n.lib.kind.Platform.Column()), call}
}

// describe creates the descriptor of a contiguous tensor.
func (n *DNN) describe(d Device, desc *uintptr, elem string, sizes ...int) error {
	strides, step := make([]int, len(sizes)), 1
	for i := len(sizes) - 1; i >= 0; i-- {
		strides[i] = step
		step *= sizes[i]
	}
	return n.describeStrided(d, desc, elem, sizes, strides)
}

// describeStrided creates the descriptor of a tensor with strides, in elements.
func (n *DNN) describeStrided(d Device, desc *uintptr, elem string, sizes, strides []int) error {
	if err := n.call(d, n.step("createTensor", func() driver.Code { return n.lib.createTensor(desc) })); err != nil {
		return err
	}
	dims, steps := int32s(sizes), int32s(strides)
	return n.call(d, n.step("setTensor", func() driver.Code {
		return n.lib.setTensor(*desc, n.lib.kind.types[elem], int32(len(dims)), &dims[0], &steps[0])
	}))
}

// int32s converts numbers to C's int.
func int32s(list []int) []int32 {
	out := make([]int32, len(list))
	for i, n := range list {
		out[i] = int32(n)
	}
	return out
}

// optional is the call of a table's field, or the error that the library lacks it.
func (n *DNN) optional(field string, call driver.Call, args ...uintptr) (libraryStep, func(), error) {
	s := n.step(field, func() driver.Code { return call(args...) })
	if call == nil {
		return s, nil, n.lackError(s.name)
	}
	return s, func() {}, nil
}

// loadDNN loads the library of a platform.
func loadDNN(platform driver.Platform) (*dnnLibrary, error) {
	const op = "load a library for convolutions"
	switch {
	case dnnDisabled():
		return nil, &driver.Error{Op: op, Text: "GOROCM_DNN=go is set", Kind: driver.ErrNoLibrary}
	case platform == driver.HIP:
		return miopen.load()
	case platform == driver.CUDA:
		return cudnn.load()
	}
	return nil, &driver.Error{Op: op, Text: "there is none for the emulated GPU", Kind: driver.ErrUnsupported}
}

// load loads the library and binds its calls.
func (kind *dnnKind) load() (*dnnLibrary, error) {
	lib, err := kind.Find()
	if err != nil {
		return nil, err
	}
	l := &dnnLibrary{kind: kind, VendorLibrary: driver.VendorLibrary{Kind: &kind.VendorKind, File: lib}}
	if err := driver.Bind(&l.dnnCalls, kind.Platform.Column(), lib); err != nil {
		return nil, err
	}
	needed := map[string]driver.Call{"pool": l.dnnCalls.pool, "poolBackward": l.poolBackward}
	for pass := ConvForward; pass <= ConvWeights; pass++ {
		calls := l.pass(pass)
		needed[pass.String()+"Choose"] = calls.choose
		if kind.Platform == driver.HIP {
			needed[pass.String()+"Immediate"] = calls.immediate
		} else {
			needed[pass.String()+"Run"] = calls.run
		}
	}
	l.Lacks = driver.Lacking[dnnCalls](kind.Platform, needed)
	switch {
	case l.dnnCalls.version != nil:
		var major, minor, patch uintptr
		if l.dnnCalls.version(&major, &minor, &patch) == 0 {
			l.VendorLibrary.Version = fmt.Sprintf("%d.%d.%d", major, minor, patch)
		}
	case l.number != nil:
		l.VendorLibrary.Version = driver.PropertyVersion(l.number)
	}
	return l, nil
}

// cInt is a C int as an argument of a driver.Call.
func cInt(n int) uintptr { return uintptr(uint32(int32(n))) }

// address is the address of memory that does not move, as an argument of a driver.Call.
func address[T any](p *T) uintptr { return uintptr(unsafe.Pointer(p)) }

// algorithms reads the results, of size bytes each.
func (a *dnnResults) algorithms(size int, read func(b []byte) algorithm) []algorithm {
	var list []algorithm
	for i := range min(int(a.count), maxResults) {
		list = append(list, read(a.list[i*size:]))
	}
	return list
}
