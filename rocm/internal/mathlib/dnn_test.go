package mathlib

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/ebitengine/purego"

	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// convCases are convolutions, channelsLastCases those with the channels last, of which a library may want multiples of 8.
var convCases = []Conv{
	{ConvShape: ConvShape{Images: 1, Channels: 1, H: 4, W: 5, Outs: 1, KH: 2, KW: 3, Groups: 1, Stride: [2]int{1, 1}, Dilation: [2]int{1, 1}}},
	{ConvShape: ConvShape{Images: 2, Channels: 4, H: 7, W: 5, Outs: 6, KH: 3, KW: 2, Groups: 2, Pad: [2]int{1, 2}, Stride: [2]int{2, 1}, Dilation: [2]int{1, 2}}},
	{ConvShape: ConvShape{Images: 3, Channels: 2, H: 1, W: 9, Outs: 3, KH: 1, KW: 4, Groups: 1, Pad: [2]int{0, 3}, Stride: [2]int{1, 3}, Dilation: [2]int{1, 1}}},
}

var channelsLastCases = []Conv{
	{ConvShape: ConvShape{Images: 2, Channels: 8, H: 7, W: 5, Outs: 16, KH: 3, KW: 2, Groups: 1, Pad: [2]int{1, 2}, Stride: [2]int{2, 1}, Dilation: [2]int{1, 2}, ChannelsLast: true}},
	{ConvShape: ConvShape{Images: 1, Channels: 16, H: 3, W: 6, Outs: 32, KH: 1, KW: 4, Groups: 2, Stride: [2]int{1, 2}, Dilation: [2]int{1, 1}, ChannelsLast: true}},
	{ConvShape: ConvShape{Images: 3, Channels: 24, H: 1, W: 1, Outs: 8, KH: 2, KW: 2, Groups: 1, Pad: [2]int{1, 1}, Stride: [2]int{1, 1}, Dilation: [2]int{1, 1}, ChannelsLast: true}},
}

// sized gives a convolution the sizes of its results.
func sized(c Conv) Conv {
	c.OH = (c.H+2*c.Pad[0]-c.Dilation[0]*(c.KH-1)-1)/c.Stride[0] + 1
	c.OW = (c.W+2*c.Pad[1]-c.Dilation[1]*(c.KW-1)-1)/c.Stride[1] + 1
	return c
}

// stub is a device without a driver: what is called on it needs no GPU.
type stub struct {
	platform driver.Platform
	arch     string
}

func (s stub) Platform() driver.Platform     { return s.platform }
func (s stub) Arch() string                  { return s.arch }
func (stub) TotalMemory() int64              { return 1 << 28 }
func (stub) Recording() bool                 { return false }
func (stub) Stream() uintptr                 { return 0 }
func (stub) WorkStream() uintptr             { return 0 }
func (stub) Keep(Memory)                     {}
func (stub) Trim()                           {}
func (stub) Wait() error                     { return nil }
func (stub) End(string) error                { return nil }
func (stub) Alloc(n int) (Memory, error)     { return nil, errors.New("a stub has no memory") }
func (s stub) Scratch(n int) (Memory, error) { return s.Alloc(n) }
func (stub) Call(_ string, f func() driver.Code) error {
	if c := f(); c != 0 {
		return fmt.Errorf("code %d", c)
	}
	return nil
}
func (stub) Begin(_, _ string, f func() driver.Code) (func() driver.Code, error) { return f, nil }

// TestCuDNNDescriptors describes a convolution with the channels last to the real cuDNN, which needs no GPU before it is asked for a way: sizes are in
// the order of images, channels, rows and columns however elements lie.
func TestCuDNNDescriptors(t *testing.T) {
	lib, err := cudnn.load()
	if err != nil {
		t.Skipf("no cuDNN: %v", err)
	}
	t.Logf("cuDNN %s, %s", lib.VendorLibrary.Version, lib.File.Path)
	d := stub{driver.CUDA, "sm_90"}
	n := new(DNN)
	n.lib, n.library = lib, &lib.VendorLibrary
	var outputs func(conv, x, weights uintptr, dims int32, sizes *int32) driver.Code
	var filter func(weights uintptr, most int32, elem, format, dims, sizes *int32) driver.Code
	var tensor func(desc uintptr, most int32, elem, dims, sizes, strides *int32) driver.Code
	purego.RegisterLibFunc(&outputs, lib.File.Handle, "cudnnGetConvolutionNdForwardOutputDim")
	purego.RegisterLibFunc(&filter, lib.File.Handle, "cudnnGetFilterNdDescriptor")
	purego.RegisterLibFunc(&tensor, lib.File.Handle, "cudnnGetTensorNdDescriptor")
	for _, c := range channelsLastCases {
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
		if elem != 9 || format != CUDNN_TENSOR_NHWC || dims != 4 || !slices.Equal(sizes, int32s(c.weightSizes())) {
			t.Errorf("weights of type %d, format %d, sizes %v", elem, format, sizes)
		}
		if c := tensor(p.x, 4, &elem, &dims, &sizes[0], &strides[0]); c != 0 {
			t.Errorf("cudnnGetTensorNdDescriptor: status %d", c)
		}
		if want := []int{c.Images, c.Channels, c.H, c.W}; !slices.Equal(sizes, int32s(want)) || !slices.Equal(strides, int32s(c.strides(c.Channels, c.H, c.W))) {
			t.Errorf("images have sizes %v and strides %v", sizes, strides)
		}
		if c := outputs(p.conv, p.x, p.weights, 4, &sizes[0]); c != 0 {
			t.Errorf("cudnnGetConvolutionNdForwardOutputDim: status %d", c)
		}
		if want := []int{c.Images, c.Outs, c.OH, c.OW}; !slices.Equal(sizes, int32s(want)) {
			t.Errorf("the library makes results of sizes %v, want %v", sizes, want)
		}
		for _, s := range p.destroySteps(lib) {
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
		t.Skipf("cuDNN %s has no graphs", lib.VendorLibrary.Version)
	}
	d := stub{driver.CUDA, "sm_90"}
	n := new(DNN)
	n.lib, n.library = lib, &lib.VendorLibrary
	for _, c := range append(convCases, channelsLastCases...) {
		for c.Pass = ConvForward; c.Pass <= ConvWeights; c.Pass++ {
			for _, c.Elem = range []string{"f32", "f64", "f16", "bf16"} {
				c := sized(c)
				b := &descriptorBuilder{n: n, d: d}
				b.operation(&c)
				var e *driver.Error
				if errors.As(b.err, &e) && e.Code == 1008 { // CUDNN_STATUS_SUBLIBRARY_LOADING_FAILED
					t.Skip("parts of cuDNN cannot be loaded")
				}
				if b.err != nil {
					t.Errorf("%s: %v", c.Text(), b.err)
				}
				c.OH++
				wrong := &descriptorBuilder{n: n, d: d}
				if wrong.operation(&c); wrong.err == nil {
					t.Errorf("%s: results of a wrong size are taken", c.Text())
				}
				b.destroy()
				wrong.destroy()
			}
		}
	}
}
