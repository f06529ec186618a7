package rocm

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/ebitengine/purego"

	"github.com/gorocm/gorocm/rocm/internal/childtest"
	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// TestChannelsLastFaults has a library that fails in convolutions with the channels last.
func TestChannelsLastFaults(t *testing.T) {
	env := buildFakeCuDNN(t, "-DWITHOUT_GRAPHS")
	childtest.Run(t, "TestChannelsLastFaultsChild", env...)
	childtest.Run(t, "TestChannelsLastFaultsChild", append(env, "GOROCM_DNN=find")...)
}

// TestChannelsLastFaultsChild makes every call fail in turn: the caller is told, before it copies operands the next time, and the same convolution with
// the channels first is computed. Nothing is left behind.
func TestChannelsLastFaultsChild(t *testing.T) {
	childtest.Only(t)
	var inject func(name string, code, times int32)
	var live func() int32
	standIn(t, "libcudnn.so.9", "fakecudnn_inject", &inject)
	standIn(t, "libcudnn.so.9", "fakednn_live", &live)
	for pass, name := range []string{"Forward", "BackwardData", "BackwardFilter"} {
		choosing := "cudnnGetConvolution" + name + "Algorithm_v7"
		if findDNN() {
			choosing = "cudnnFindConvolution" + name + "AlgorithmEx"
		}
		for _, call := range []string{
			"cudnnCreateTensorDescriptor", "cudnnSetTensorNdDescriptor", "cudnnCreateFilterDescriptor", "cudnnSetFilterNdDescriptor",
			"cudnnCreateConvolutionDescriptor", "cudnnSetConvolutionNdDescriptor", "cudnnSetConvolutionGroupCount", "cudnnSetConvolutionMathType",
			choosing, "cudnnConvolution" + name,
		} {
			f := newFake(1 << 24)
			f.real, f.platform = true, CUDA
			d := f.device(t, 0)
			last := sized(lastCases[0])
			last.Elem, last.Pass = "f16", ConvPass(pass)
			first := last
			first.ChannelsLast = false
			if !d.MayConvolve(&last) || !d.MayConvolve(&first) {
				t.Fatalf("%s: the library has not been asked yet, and is said not to convolve", call)
			}
			inject(call, 3000, 1)
			if convolves(t, d, last) {
				t.Errorf("%s failed, and the library is said to have convolved", call)
			}
			if d.MayConvolve(&last) || !d.MayConvolve(&first) {
				t.Errorf("after %s: MayConvolve says %v of the channels last, %v of them first", call, d.MayConvolve(&last), d.MayConvolve(&first))
			}
			if convolves(t, d, last) || !convolves(t, d, first) {
				t.Errorf("after %s: the library does not convolve with the channels first, or again with the channels last", call)
			}
			if said := d.DNN().Refused["f16 convolution, channels last, "+ConvPass(pass).String()]; len(d.DNN().Refused) != 1 || !strings.Contains(said, call+": CUDNN_STATUS_NOT_SUPPORTED (3000)") {
				t.Errorf("%s: Refused is %q", call, d.DNN().Refused)
			}
			forgetPlans(d)
			if live() != 1 {
				t.Errorf("%s: %d objects are left, want the handle", call, live())
			}
			if d.dnn.lib.destroy(d.dnn.handle) != 0 {
				t.Errorf("after %s: the handle cannot be destroyed", call)
			}
		}
	}
}

// TestCuDNNDescriptors describes a convolution with the channels last to the real cuDNN, which needs no GPU before it is asked for a way: sizes are in
// the order of images, channels, rows and columns however elements lie.
func TestCuDNNDescriptors(t *testing.T) {
	lib, err := cudnn.load()
	if err != nil {
		t.Skipf("no cuDNN: %v", err)
	}
	t.Logf("cuDNN %s, %s", lib.mathLibrary.version, lib.file.Path)
	d := cudaFake(t, "sm_90")
	n := &d.dnn
	n.lib, n.from = lib, &lib.mathLibrary
	var outputs func(conv, x, weights uintptr, dims int32, sizes *int32) driver.Code
	var filter func(weights uintptr, most int32, elem, format, dims, sizes *int32) driver.Code
	var tensor func(desc uintptr, most int32, elem, dims, sizes, strides *int32) driver.Code
	purego.RegisterLibFunc(&outputs, lib.file.Handle, "cudnnGetConvolutionNdForwardOutputDim")
	purego.RegisterLibFunc(&filter, lib.file.Handle, "cudnnGetFilterNdDescriptor")
	purego.RegisterLibFunc(&tensor, lib.file.Handle, "cudnnGetTensorNdDescriptor")
	for _, c := range lastCases {
		c := sized(c)
		c.Elem = "bf16"
		var p convPlan
		if err := n.describeConv(d, &c, &p); err != nil {
			t.Fatal(err)
		}
		var elem, format, dims int32
		sizes, strides := make([]int32, 4), make([]int32, 4)
		if c := filter(p.weights, 4, &elem, &format, &dims, &sizes[0]); c != 0 {
			t.Errorf("cudnnGetFilterNdDescriptor: status %d", c)
		}
		if elem != 9 || format != cudnnNHWC || dims != 4 || !slices.Equal(sizes, words(c.weightSizes())) {
			t.Errorf("weights of type %d, format %d, sizes %v", elem, format, sizes)
		}
		if c := tensor(p.x, 4, &elem, &dims, &sizes[0], &strides[0]); c != 0 {
			t.Errorf("cudnnGetTensorNdDescriptor: status %d", c)
		}
		if want := []int{c.Images, c.Channels, c.H, c.W}; !slices.Equal(sizes, words(want)) || !slices.Equal(strides, words(c.strides(c.Channels, c.H, c.W))) {
			t.Errorf("images have sizes %v and strides %v", sizes, strides)
		}
		if c := outputs(p.conv, p.x, p.weights, 4, &sizes[0]); c != 0 {
			t.Errorf("cudnnGetConvolutionNdForwardOutputDim: status %d", c)
		}
		if want := []int{c.Images, c.Outs, c.OH, c.OW}; !slices.Equal(sizes, words(want)) {
			t.Errorf("the library makes results of sizes %v, want %v", sizes, want)
		}
		for _, s := range p.drop(lib) {
			if c := s.call(); c != 0 {
				t.Errorf("%s: status %d", s.name, c)
			}
		}
	}
}

// TestCuDNNOperations describes convolutions to the real cuDNN as operations of graphs, which need no GPU, but the driver's library: that looks whether
// operands fit together.
func TestCuDNNOperations(t *testing.T) {
	lib, err := cudnn.load()
	if err != nil {
		t.Skipf("no cuDNN: %v", err)
	}
	if !lib.graphs() {
		t.Skipf("cuDNN %s has no graphs", lib.mathLibrary.version)
	}
	d := cudaFake(t, "sm_90")
	n := &d.dnn
	n.lib, n.from = lib, &lib.mathLibrary
	for _, c := range append(convCases, lastCases...) {
		for c.Pass = ConvForward; c.Pass <= ConvWeights; c.Pass++ {
			for _, c.Elem = range []string{"f32", "f64", "f16", "bf16"} {
				c := sized(c)
				b := &graphBuilder{n: n, d: d}
				b.operation(&c)
				var e *Error
				if errors.As(b.err, &e) && e.Code == 1008 { // CUDNN_STATUS_SUBLIBRARY_LOADING_FAILED
					t.Skip("parts of cuDNN cannot be loaded")
				}
				if b.err != nil {
					t.Errorf("%s: %v", c.text(), b.err)
				}
				c.OH++
				wrong := &graphBuilder{n: n, d: d}
				if wrong.operation(&c); wrong.err == nil {
					t.Errorf("%s: results of a wrong size are taken", c.text())
				}
				b.drop()
				wrong.drop()
			}
		}
	}
}
