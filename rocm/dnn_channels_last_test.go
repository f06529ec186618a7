package rocm

import (
	"os"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/rocm/internal/childtest"
)

// TestChannelsLastFaults has a library that fails in convolutions with the channels last.
func TestChannelsLastFaults(t *testing.T) {
	thorough.Slow(t)
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
		if os.Getenv("GOROCM_DNN") == "find" {
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
			if d.dnn.Close(libraryHost{d}) != nil {
				t.Errorf("after %s: the handle cannot be destroyed", call)
			}
		}
	}
}
