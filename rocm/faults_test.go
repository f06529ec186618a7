package rocm

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/rocm/internal/childtest"
	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// fault is a call of a stand-in library that fails once, and what must come of it.
type fault struct {
	library string // hip, rocblas or miopen
	call    string
	code    int32
	want    string // in the error; empty if work goes on without the call
	said    string // in what BLAS or DNN says of the library; empty if it is used
	keeps   bool   // the driver keeps memory that it would not take back
}

// faults are all calls that work makes, each failing in turn.
var faults = []fault{
	{"hip", "hipSetDevice", 101, "rocm: hipSetDevice: hipErrorUnknown (101)", "", false},
	{"hip", "hipStreamCreateWithFlags", 2, "rocm: hipStreamCreateWithFlags: hipErrorOutOfMemory (2)", "", false},
	{"hip", "hipMalloc", 1, "rocm: hipMalloc: hipErrorInvalidValue (1)", "", false},
	{"hip", "hipMalloc", 2, "", "", false}, // once: a smaller piece of memory, or what unused memory gave back
	{"hip", "hipHostMalloc", 2, "", "", false},
	{"hip", "hipMemcpyHtoDAsync", 1, "rocm: hipMemcpyHtoDAsync: hipErrorInvalidValue (1)", "", false},
	{"hip", "hipMemcpyDtoDAsync", 1, "rocm: hipMemcpyDtoDAsync: hipErrorInvalidValue (1)", "", false},
	{"hip", "hipMemcpyDtoHAsync", 700, "rocm: hipMemcpyDtoHAsync: hipErrorIllegalAddress (700)", "", false},
	{"hip", "hipStreamSynchronize", 700, "rocm: hipStreamSynchronize: hipErrorIllegalAddress (700)", "", false},
	{"hip", "hipModuleLoadData", 209, "rocm: hipModuleLoadData: hipErrorNoBinaryForGpu (209)", "", false},
	{"hip", "hipModuleGetFunction", 500, "rocm: hipModuleGetFunction: hipErrorNotFound (500)", "", false},
	{"hip", "hipModuleLaunchKernel", 1, "rocm: hipModuleLaunchKernel empty: hipErrorInvalidValue (1)", "", false},
	{"hip", "hipEventCreateWithFlags", 2, "rocm: hipEventCreateWithFlags: hipErrorOutOfMemory (2)", "", false},
	{"hip", "hipEventRecord", 1, "rocm: hipEventRecord: hipErrorInvalidValue (1)", "", false},
	{"hip", "hipEventElapsedTime", 1, "rocm: hipEventElapsedTime: hipErrorInvalidValue (1)", "", false},
	{"hip", "hipEventDestroy", 1, "rocm: hipEventDestroy: hipErrorInvalidValue (1)", "", true},
	{"hip", "hipEventSynchronize", 700, "rocm: hipEventSynchronize: hipErrorIllegalAddress (700)", "", false},
	{"hip", "hipHostFree", 1, "", "", true},
	{"hip", "hipFree", 1, "", "", true},
	{"rocblas", "rocblas_create_handle", 6, "", "rocblas_create_handle: rocblas_status_internal_error (6)\n  rocBLAS 4.4.0.stand, ", false},
	{"rocblas", "rocblas_create_handle", 5, "", "", false}, // short of memory: again after what is unused went back
	{"rocblas", "rocblas_set_stream", 1, "", "rocblas_set_stream: rocblas_status_invalid_handle (1)", false},
	{"rocblas", "rocblas_set_math_mode", 11, "", "rocblas_set_math_mode: rocblas_status_invalid_value (11)", false},
	{"rocblas", "rocblas_set_atomics_mode", 1, "", "rocblas_set_atomics_mode: rocblas_status_invalid_handle (1)", false},
	{"rocblas", "rocblas_gemm_ex", 2, "", "rocblas_gemm_ex: rocblas_status_not_implemented (2)", false},
	{"rocblas", "rocblas_gemm_ex", 15, "", "rocblas_gemm_ex: rocblas_status_arch_mismatch (15)", false},
	{"rocblas", "rocblas_gemm_ex", 14, "", "rocblas_gemm_ex: rocblas_status_excluded_from_build (14)", false},
	{"rocblas", "rocblas_gemm_ex", 99, "", "rocblas_gemm_ex: status (99)", false},
	{"rocblas", "rocblas_gemm_ex", 5, "", "", false},
	{"rocblas", "rocblas_sgemv", 6, "", "rocblas_sgemv: rocblas_status_internal_error (6)", false}, // the product of matrices does it
	{"rocblas", "rocblas_sgemv_strided_batched", 5, "", "", false},
	{"rocblas", "rocblas_hshgemv_strided_batched", 2, "", "rocblas_hshgemv_strided_batched: rocblas_status_not_implemented (2)", false},
	{"rocblas", "rocblas_gemm_strided_batched_ex", 6, "", "rocblas_gemm_strided_batched_ex: rocblas_status_internal_error (6)", false},
}

// dnnFaults are those of calls for convolutions and pools, whichever way a convolution is chosen.
var dnnFaults = []fault{
	{"miopen", "miopenCreate", 5, "", "miopenCreate: miopenStatusInternalError (5)\n  MIOpen 3.2.1, ", false},
	{"miopen", "miopenCreate", 4, "", "", false}, // short of memory: again after what is unused went back
	{"miopen", "miopenSetStream", 3, "", "miopenSetStream: miopenStatusBadParm (3)", false},
	{"miopen", "miopenCreateTensorDescriptor", 7, "", "miopenCreateTensorDescriptor: miopenStatusUnknownError (7)", false},
	{"miopen", "miopenSetTensorDescriptor", 3, "", "miopenSetTensorDescriptor: miopenStatusBadParm (3)", false},
	{"miopen", "miopenCreateConvolutionDescriptor", 7, "", "miopenCreateConvolutionDescriptor: miopenStatusUnknownError (7)", false},
	{"miopen", "miopenInitConvolutionNdDescriptor", 3, "", "miopenInitConvolutionNdDescriptor: miopenStatusBadParm (3)", false},
	{"miopen", "miopenSetConvolutionGroupCount", 3, "", "miopenSetConvolutionGroupCount: miopenStatusBadParm (3)", false},
	{"miopen", "miopenSetConvolutionAttribute", 2, "", "miopenSetConvolutionAttribute: miopenStatusInvalidValue (2)", false},
	{"miopen", "miopenCreatePoolingDescriptor", 7, "", "miopenCreatePoolingDescriptor: miopenStatusUnknownError (7)", false},
	{"miopen", "miopenSet2dPoolingDescriptor", 3, "", "miopenSet2dPoolingDescriptor: miopenStatusBadParm (3)", false},
	{"miopen", "miopenPoolingForward", 8, "", "miopenPoolingForward: miopenStatusUnsupportedOp (8)", false},
	{"miopen", "miopenPoolingBackward", 6, "", "miopenPoolingBackward: miopenStatusNotImplemented (6)", false},
	{"miopen", "miopenDestroyTensorDescriptor", 5, "", "", false}, // nobody waits for it
	{"miopen", "miopenDestroyConvolutionDescriptor", 5, "", "", false},
	{"miopen", "miopenDestroyPoolingDescriptor", 5, "", "", false},
	{"miopen", "miopenCreateActivationDescriptor", 7, "", "miopenCreateActivationDescriptor: miopenStatusUnknownError (7)", false},
	{"miopen", "miopenSetActivationDescriptor", 3, "", "miopenSetActivationDescriptor: miopenStatusBadParm (3)", false},
	{"miopen", "miopenActivationForward", 8, "", "miopenActivationForward: miopenStatusUnsupportedOp (8)", false},
	{"miopen", "miopenActivationBackward", 8, "", "miopenActivationBackward: miopenStatusUnsupportedOp (8)", false},
	{"miopen", "miopenDestroyActivationDescriptor", 5, "", "", false},
	{"miopen", "miopenSoftmaxForward_V2", 5, "", "miopenSoftmaxForward_V2: miopenStatusInternalError (5)", false},
	{"miopen", "miopenSoftmaxBackward_V2", 5, "", "miopenSoftmaxBackward_V2: miopenStatusInternalError (5)", false},
	{"miopen", "miopenBatchNormalizationForwardInference", 5, "", "miopenBatchNormalizationForwardInference: miopenStatusInternalError (5)", false},
	{"miopen", "miopenBatchNormalizationForwardTraining", 5, "", "miopenBatchNormalizationForwardTraining: miopenStatusInternalError (5)", false},
	{"miopen", "miopenBatchNormalizationBackward", 5, "", "miopenBatchNormalizationBackward: miopenStatusInternalError (5)", false},
}

// passFaults are those of the calls that only one way of choosing makes, for each pass.
func passFaults(calls ...string) (list []fault) {
	for _, call := range calls {
		for _, pass := range []string{"Forward", "BackwardData", "BackwardWeights"} {
			name := fmt.Sprintf(call, pass)
			list = append(list, fault{"miopen", name, 5, "", name + ": miopenStatusInternalError (5)", false})
		}
	}
	return append(list, fault{"miopen", fmt.Sprintf(calls[0], "Forward"), 4, "", "", false})
}

func TestFaults(t *testing.T) {
	thorough.Slow(t)
	env := append(buildFakeROCm(t), "FAKEHIP_DEVICES=2")
	buildStandIn(t, strings.TrimPrefix(env[0], "GOROCM_LIBRARY_PATH="), "libMIOpen.so.1", "testdata/fakemiopen.c")
	childtest.Run(t, "TestFaultsChild", append(env, "GOROCM_DNN=")...)
	childtest.Run(t, "TestFaultsChild", append(env, "GOROCM_DNN=find")...)
}

// work is a little of everything that a session does on a device.
func work(drv *driver.Table, info Info) (d *Device, err error) {
	d, err = newDevice(drv, info)
	if err != nil {
		return nil, err
	}
	if err := d.StartProfile(); err != nil {
		return d, err
	}
	var buffers []*Buffer
	defer func() {
		for _, b := range buffers {
			b.Free()
		}
		_, stopErr := d.StopProfile()
		forgetPlans(d)
		d.Trim()
		err = errors.Join(err, stopErr)
	}()
	for range 2 {
		b, err := d.Alloc(1 << 20)
		if err != nil {
			return d, err
		}
		buffers = append(buffers, b)
	}
	a, b := buffers[0], buffers[1]
	small, large := make([]byte, 4096), make([]byte, maxStaged+1)
	m, err := d.load("empty", []byte("object for gfx1100:xnack-\nvoid empty("))
	if err != nil {
		return d, err
	}
	f, err := m.Function("empty")
	if err != nil {
		return d, err
	}
	one := [3]int{1, 1, 1}
	square := Matrix{Buffer: a, Row: 4, Col: 1, Batch: 16}
	out := Matrix{Buffer: b, Row: 4, Col: 1, Batch: 16}
	for _, step := range []func() error{
		func() error { return a.Upload(0, small) },
		func() error { return d.Launch(f, one, one, 0, nil) },
		func() error { return a.Upload(0, large) },
		func() error {
			_, err := d.Gemm(&Gemm{Elem: "f32", M: 4, N: 4, K: 4, Batch: 1, A: square, B: square, C: out})
			return err
		},
		func() error {
			_, err := d.Gemm(&Gemm{Elem: "f32", M: 4, N: 4, K: 4, Batch: 3, A: square, B: square, C: out})
			return err
		},
		func() error { return vector(d, "f32", 1, square, out) },
		func() error { return vector(d, "f32", 3, square, out) },
		func() error { return vector(d, "f16", 1, square, out) },
		func() error { return convolutions(d, a, b) },
		func() error { return b.CopyFrom(0, a, 0, 4096) },
		func() error { return b.Download(small, 0) },
		func() error { return b.Download(large, 0) },
	} {
		if err := step(); err != nil {
			return d, err
		}
	}
	return d, nil
}

// forgetPlans drops what the library made for shapes.
func forgetPlans(d *Device) {
	d.dnn.Forget(libraryHost{d})
}

// convolutions computes one in each pass, and averages of windows and their gradients.
func convolutions(d *Device, a, b *Buffer) error {
	c := sized(convCases[0])
	c.Elem, c.X, c.Weights, c.Y = "f32", Place{a, 0}, Place{a, 1024}, Place{b, 0}
	for c.Pass = ConvForward; c.Pass <= ConvWeights; c.Pass++ {
		if _, err := d.Convolve(&c); err != nil {
			return err
		}
	}
	l := Pooling{Elem: "f32", Planes: 2, H: 4, W: 4, OH: 2, OW: 2, KH: 2, KW: 2, SH: 2, SW: 2, X: Place{a, 0}, Y: Place{b, 0}}
	if _, err := d.Pool(&l); err != nil {
		return err
	}
	l.Backward = true
	if _, err := d.Pool(&l); err != nil {
		return err
	}
	at, other := Place{a, 0}, Place{b, 0}
	for _, back := range []bool{false, true} {
		_, err1 := d.Activate(&Activation{Elem: "f32", N: 8, Function: "relu", Backward: back, X: at, Y: other, DX: at, DY: other})
		_, err2 := d.Softmax(&Softmax{Elem: "f32", Rows: 2, Cols: 4, Backward: back, X: at, Y: other, DX: at, DY: other})
		n := BatchNorm{Elem: "f32", Images: 2, Channels: 2, H: 2, W: 2, Eps: 1, Backward: back, X: at, Y: other, DX: at, DY: other,
			Scale: at, Bias: at, Mean: at, Variance: at, DScale: other, DBias: other, SavedMean: at, SavedInverse: at}
		_, err3 := d.BatchNorm(&n)
		n.Train = !back
		_, err4 := d.BatchNorm(&n)
		if err := errors.Join(err1, err2, err3, err4); err != nil {
			return err
		}
	}
	return nil
}

// vector multiplies matrices by a column.
func vector(d *Device, elem string, batch int, m, out Matrix) error {
	column := Matrix{Buffer: m.Buffer, Row: 1, Col: 1, Batch: 4}
	out.Row, out.Batch = 1, 4
	done, err := d.Gemm(&Gemm{Elem: elem, M: 4, N: 1, K: 4, Batch: batch, A: m, B: column, C: out})
	if err == nil && !done && d.BLAS().Problem == "" {
		return errors.New("a product by a vector was not computed")
	}
	return err
}

// TestFaultsChild makes every call of work fail in turn: the error says which and what, nothing is left behind, and the next work succeeds.
func TestFaultsChild(t *testing.T) {
	childtest.Only(t)
	drv, infos, err := rocmDevices()
	if err != nil {
		t.Fatal(err)
	}
	inject := map[string]*func(name string, code, times int32){"hip": new(func(string, int32, int32)), "rocblas": new(func(string, int32, int32)), "miopen": new(func(string, int32, int32))}
	standIn(t, "libamdhip64.so.6", "fakehip_inject", inject["hip"])
	standIn(t, "librocblas.so.4", "fakerocblas_inject", inject["rocblas"])
	standIn(t, "libMIOpen.so.1", "fakemiopen_inject", inject["miopen"])
	var handles, events, objects, pinned func() int32
	standIn(t, "libMIOpen.so.1", "fakednn_live", &objects)
	var used func() uintptr
	standIn(t, "librocblas.so.4", "fakerocblas_handles", &handles)
	standIn(t, "libamdhip64.so.6", "fakehip_events", &events)
	standIn(t, "libamdhip64.so.6", "fakehip_pinned", &pinned)
	standIn(t, "libamdhip64.so.6", "fakehip_used", &used)
	state := func(d *Device) (left [5]int) {
		if d != nil { // devices live as long as the process; a test has many
			if err := d.blas.Close(libraryHost{d}); err != nil {
				t.Error(err)
			}
		}
		if d != nil {
			if err := d.dnn.Close(libraryHost{d}); err != nil {
				t.Error(err)
			}
		}
		return [5]int{int(used()), int(handles()), int(events()), int(objects()), int(pinned())}
	}
	healthy := func(after string) [5]int {
		t.Helper()
		d, err := work(drv, infos[0])
		if err != nil {
			t.Fatalf("after %s: %v", after, err)
		}
		for _, info := range []LibraryInfo{d.BLAS(), d.DNN()} {
			if info.Name == "" || len(info.Refused) != 0 {
				t.Errorf("after %s: %+v", after, info)
			}
		}
		return state(d)
	}
	before := healthy("nothing")
	list := append(dnnFaults, passFaults("miopenFindConvolution%sAlgorithm", "miopenConvolution%sGetWorkSpaceSize", "miopenConvolution%s")...)
	if os.Getenv("GOROCM_DNN") != "find" {
		list = append(append(faults, dnnFaults...), passFaults("miopenConvolution%sImmediate", "miopenConvolution%sGetSolution", "miopenConvolution%sCompileSolution")...)
	}
	for _, f := range list {
		name := f.call + ": " + f.want + f.said
		(*inject[f.library])(f.call, f.code, 1)
		d, err := work(drv, infos[0])
		(*inject[f.library])("", 0, 0)
		switch {
		case f.want == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case f.want != "" && (err == nil || !strings.Contains(err.Error(), f.want)):
			t.Errorf("%s: the error is %v", name, err)
		}
		if err == nil {
			said := ""
			for _, info := range []LibraryInfo{d.BLAS(), d.DNN()} {
				said += info.Problem
				for _, words := range info.Refused {
					said += words
				}
			}
			if f.said == "" && said != "" || !strings.Contains(said, f.said) {
				t.Errorf("%s: the libraries say %q", name, said)
			}
		}
		after := state(d)
		if f.keeps {
			before = after
		} else if after != before {
			t.Errorf("%s: left behind (bytes, handles, events, objects, pinned pieces): %v, before %v", name, after, before)
		}
		if again := healthy(name); again != before {
			t.Errorf("%s: the next work left %v behind, before %v", name, again, before)
		}
	}
}

// TestFaultsOfDiscovery makes the calls fail that find devices.
func TestFaultsOfDiscovery(t *testing.T) {
	childtest.Run(t, "TestFaultsOfDiscoveryChild", childtest.FakeHIP(t, "testdata")...)
}

func TestFaultsOfDiscoveryChild(t *testing.T) {
	childtest.Only(t)
	drv, err := driver.LoadHIP()
	if err != nil {
		t.Fatal(err)
	}
	var inject func(name string, code, times int32)
	standIn(t, "libamdhip64.so.6", "fakehip_inject", &inject)
	for _, call := range []string{"hipGetDeviceCount", "hipDeviceGetName", "hipDeviceTotalMem", "hipDeviceGetAttribute", "hipGetDevicePropertiesR0600"} {
		inject(call, 999, 1)
		_, _, err := rocmDevices()
		var e *Error
		if !errors.As(err, &e) || e.Op != call || e.Code != 999 {
			t.Errorf("%s: %v", call, err)
		}
		if _, infos, err := rocmDevices(); err != nil || len(infos) != 2 || infos[0].Platform != HIP || driver.Platform(infos[0].Platform) != drv.Platform {
			t.Errorf("after %s: %+v, %v", call, infos, err)
		}
	}
	inject("hipMemGetInfo", 1, 1)
	d, err := Open("rocm")
	if err != nil {
		t.Fatal(err)
	}
	if m := d.Memory(); m.Free != 0 || m.Total != d.Info().TotalMemory {
		t.Errorf("without the driver's answer: %+v", m)
	}
	if m := d.Memory(); m.Free == 0 {
		t.Errorf("with it: %+v", m)
	}
	for _, call := range []string{"hiprtcCreateProgram", "hiprtcCompileProgram", "hiprtcGetCodeSize", "hiprtcGetCode"} {
		inject(call, 11, 2)            // a source is compiled again without what stands before it
		source := "void " + call + "(" // not in the cache yet
		if _, err := d.Compile("a", source); err == nil || !strings.Contains(err.Error(), "(11)") {
			t.Errorf("%s: %v", call, err)
		}
		inject("", 0, 0)
		if _, err := d.Compile("a", source); err != nil {
			t.Errorf("after %s: %v", call, err)
		}
	}
}
