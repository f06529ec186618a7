package rocm

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/rocm/internal/childtest"
	"github.com/gorocm/gorocm/rocm/internal/mathlib"
)

// buildFakeMIOpen compiles the stand-ins for libamdhip64 and libMIOpen and returns the environment in which they are found.
func buildFakeMIOpen(t *testing.T, flags ...string) []string {
	t.Helper()
	env := childtest.FakeHIP(t, "testdata")
	buildStandIn(t, strings.TrimPrefix(env[0], "GOROCM_LIBRARY_PATH="), "libMIOpen.so.1", "testdata/fakemiopen.c", flags...)
	return append(env, "GOROCM_DNN=", "GOROCM_TF32=", "GOROCM_SYNC=")
}

// buildFakeCuDNN compiles the stand-in for libcudnn, which computes in the host's memory.
func buildFakeCuDNN(t *testing.T, flags ...string) []string {
	t.Helper()
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("no C compiler (cc)")
	}
	dir := t.TempDir()
	args := append([]string{"-shared", "-fPIC", "-O1", "-Wall", "-o", filepath.Join(dir, childtest.File("libcudnn.so.9")), "testdata/fakecudnn.c"}, append(flags, "-lm")...)
	if out, err := exec.Command(cc, args...).CombinedOutput(); err != nil {
		t.Fatalf("cc: %v\n%s", err, out)
	}
	return []string{"GOROCM_LIBRARY_PATH=" + dir, "GOROCM_DNN=", "GOROCM_SYNC="}
}

// unset is an environment without a variable: the stand-ins look whether it is there.
func unset(env []string, variable string) []string {
	var list []string
	for _, e := range env {
		if !strings.HasPrefix(e, variable+"=") {
			list = append(list, e)
		}
	}
	return list
}

func TestMIOpen(t *testing.T) {
	thorough.Slow(t)
	env := unset(buildFakeMIOpen(t), "GOROCM_TF32")
	childtest.Run(t, "TestMIOpenChild", env...)
	childtest.Run(t, "TestMIOpenChild", append(env, "GOROCM_DNN=find")...)
	childtest.Run(t, "TestMIOpenChild", append(env, "GOROCM_TF32=1")...)
	childtest.Run(t, "TestNoDNNChild", append(env, "GOROCM_DNN=go", "WANT_PROBLEM=GOROCM_DNN=go is set")...)
	childtest.Run(t, "TestNoDNNChild", append(childtest.FakeHIP(t, "testdata"), "GOROCM_DNN=", "WANT_PROBLEM=load "+childtest.File("libMIOpen.so")+": not found")...)
	childtest.Run(t, "TestNoDNNChild", append(buildFakeMIOpen(t, "-DWITHOUT_CREATE"), "WANT_PROBLEM=lacks miopenCreate")...)
	childtest.Run(t, "TestLackingMIOpenChild", unset(buildFakeMIOpen(t, "-DWITHOUT_WEIGHTS", "-DWITHOUT_POOL"), "GOROCM_TF32")...)
}

func TestCuDNN(t *testing.T) {
	thorough.Slow(t)
	for i, flags := range [][]string{nil, {"-DWITHOUT_GRAPHS"}} {
		env := unset(buildFakeCuDNN(t, flags...), "GOROCM_TF32")
		for _, way := range thorough.Sample([]string{"GOROCM_DNN=", "GOROCM_DNN=find", "GOROCM_TF32=1"}, 2, i) {
			childtest.Run(t, "TestCuDNNChild", append(env, way)...)
		}
	}
}

// convCase is a convolution of small whole numbers; its operands lie behind others.
var convCases = []Conv{
	{Images: 1, Channels: 1, H: 4, W: 5, Outs: 1, KH: 2, KW: 3, Groups: 1, Step: [2]int{1, 1}, Dilation: [2]int{1, 1}},
	{Images: 2, Channels: 4, H: 7, W: 5, Outs: 6, KH: 3, KW: 2, Groups: 2, Pad: [2]int{1, 2}, Step: [2]int{2, 1}, Dilation: [2]int{1, 2}},
	{Images: 3, Channels: 2, H: 1, W: 9, Outs: 3, KH: 1, KW: 4, Groups: 1, Pad: [2]int{0, 3}, Step: [2]int{1, 3}, Dilation: [2]int{1, 1}},
}

// text names a convolution in failures.
func (c *Conv) text() string {
	s := c.shape()
	return s.Text()
}

// text names a pool in failures.
func (l *Pooling) text() string {
	p := l.shape()
	return p.Text()
}

// lastCases are those of convolutions with the channels last, of which a library may want multiples of 8. The second has groups.
var lastCases = []Conv{
	{Images: 2, Channels: 8, H: 7, W: 5, Outs: 16, KH: 3, KW: 2, Groups: 1, Pad: [2]int{1, 2}, Step: [2]int{2, 1}, Dilation: [2]int{1, 2}, ChannelsLast: true},
	{Images: 1, Channels: 16, H: 3, W: 6, Outs: 32, KH: 1, KW: 4, Groups: 2, Step: [2]int{1, 2}, Dilation: [2]int{1, 1}, ChannelsLast: true},
	{Images: 3, Channels: 24, H: 1, W: 1, Outs: 8, KH: 2, KW: 2, Groups: 1, Pad: [2]int{1, 1}, Step: [2]int{1, 1}, Dilation: [2]int{1, 1}, ChannelsLast: true},
}

// laid puts elements in the order of images, channels and places into that in which they lie.
func (c *Conv) laid(values []float64, channels, places int) []float64 {
	if !c.ChannelsLast {
		return values
	}
	out := make([]float64, len(values))
	for i, v := range values {
		image, channel, place := i/places/channels, i/places%channels, i%places
		out[(image*places+place)*channels+channel] = v
	}
	return out
}

// convSum computes the operand that a pass writes, by the definition.
func convSum(c Conv, x, w, y []float64) {
	to := [][]float64{y, x, w}[c.Pass]
	clear(to)
	perGroup, outs := c.Channels/c.Groups, c.Outs/c.Groups
	for i := range c.Images * c.Outs * c.OH * c.OW * perGroup * c.KH * c.KW {
		s, r, ch := i%c.KW, i/c.KW%c.KH, i/c.KW/c.KH%perGroup
		place := i / c.KW / c.KH / perGroup
		ox, oy, k, n := place%c.OW, place/c.OW%c.OH, place/c.OW/c.OH%c.Outs, place/c.OW/c.OH/c.Outs
		iy, ix := oy*c.Step[0]-c.Pad[0]+r*c.Dilation[0], ox*c.Step[1]-c.Pad[1]+s*c.Dilation[1]
		if iy < 0 || iy >= c.H || ix < 0 || ix >= c.W {
			continue
		}
		atX := ((n*c.Channels+k/outs*perGroup+ch)*c.H+iy)*c.W + ix
		atW := ((k*perGroup+ch)*c.KH+r)*c.KW + s
		switch c.Pass {
		case ConvForward:
			y[place] += x[atX] * w[atW]
		case ConvData:
			x[atX] += y[place] * w[atW]
		case ConvWeights:
			w[atW] += x[atX] * y[place]
		}
	}
}

// numbers are whole ones from -1 to 1.
func numbers(n, seed int) []float64 {
	list := make([]float64, n)
	for i := range list {
		list[i] = float64((i*seed)%3 - 1)
	}
	return list
}

// put stores numbers on a device, behind others.
func put(t *testing.T, d *Device, elem string, values []float64, before int) Place {
	t.Helper()
	size := mathlib.ElemSize(elem)
	b := alloc(t, d, (before+len(values))*size)
	if err := b.Upload(before*size, encode(elem, values)); err != nil {
		t.Fatal(err)
	}
	return Place{b, before * size}
}

// holds compares device memory with numbers.
func holds(t *testing.T, what string, p Place, elem string, want []float64) {
	t.Helper()
	got := make([]byte, len(want)*mathlib.ElemSize(elem))
	if err := p.Buffer.Download(got, p.Offset); err != nil {
		t.Fatal(err)
	}
	if should := encode(elem, want); string(got) != string(should) {
		t.Errorf("%s:\n% x, want\n% x", what, got, should)
	}
}

// sized gives a case the sizes of its results.
func sized(c Conv) Conv {
	c.OH = (c.H+2*c.Pad[0]-c.Dilation[0]*(c.KH-1)-1)/c.Step[0] + 1
	c.OW = (c.W+2*c.Pad[1]-c.Dilation[1]*(c.KW-1)-1)/c.Step[1] + 1
	return c
}

// convolves runs a case on the device and compares; false when the library did not take it.
func convolves(t *testing.T, d *Device, c Conv) bool {
	t.Helper()
	return convolvesBehind(t, d, c, 8, 16)
}

// convolvesBehind is convolves with weights and results that lie behind so many other elements.
func convolvesBehind(t *testing.T, d *Device, c Conv, weightsBehind, resultsBehind int) bool {
	t.Helper()
	c = sized(c)
	x, w, y := numbers(c.Images*c.Channels*c.H*c.W, 2), numbers(c.Outs*c.Channels/c.Groups*c.KH*c.KW, 5), numbers(c.Images*c.Outs*c.OH*c.OW, 7)
	laid := func() (images, weights, results []float64) {
		return c.laid(x, c.Channels, c.H*c.W), c.laid(w, c.Channels/c.Groups, c.KH*c.KW), c.laid(y, c.Outs, c.OH*c.OW)
	}
	images, weights, results := laid()
	c.X, c.Weights, c.Y = put(t, d, c.Elem, images, 0), put(t, d, c.Elem, weights, weightsBehind), put(t, d, c.Elem, results, resultsBehind)
	defer c.X.Buffer.Free()
	defer c.Weights.Buffer.Free()
	defer c.Y.Buffer.Free()
	done, err := d.Convolve(&c)
	if err != nil {
		t.Fatalf("%s: %v", c.text(), err)
	}
	if done {
		convSum(c, x, w, y)
		images, weights, results = laid()
		holds(t, fmt.Sprintf("%s %+v: images", c.text(), c), c.X, c.Elem, images)
		holds(t, fmt.Sprintf("%s %+v: weights", c.text(), c), c.Weights, c.Elem, weights)
		holds(t, fmt.Sprintf("%s %+v: results", c.text(), c), c.Y, c.Elem, results)
	}
	return done
}

// pooled runs a pool of numbers of which averages are exact in every type.
func pooled(t *testing.T, d *Device, l Pooling) bool {
	t.Helper()
	l.OH, l.OW = (l.H-l.KH)/l.SH+1, (l.W-l.KW)/l.SW+1
	each := float64(l.KH * l.KW)
	x, y := numbers(l.Planes*l.H*l.W, 2), numbers(l.Planes*l.OH*l.OW, 5)
	for _, list := range [][]float64{x, y} {
		for i := range list {
			list[i] *= each
		}
	}
	l.X, l.Y = put(t, d, l.Elem, x, 2), put(t, d, l.Elem, y, 3)
	defer l.X.Buffer.Free()
	defer l.Y.Buffer.Free()
	done, err := d.Pool(&l)
	if err != nil {
		t.Fatalf("%s: %v", l.text(), err)
	}
	if !done {
		return false
	}
	if l.Backward {
		clear(x)
	}
	for place := range y {
		ox, oy, n := place%l.OW, place/l.OW%l.OH, place/l.OW/l.OH
		sum, most := 0.0, -each
		for tap := range l.KH * l.KW {
			at := (n*l.H+oy*l.SH+tap/l.KW)*l.W + ox*l.SW + tap%l.KW
			if l.Backward {
				x[at] += y[place] / each
				continue
			}
			sum, most = sum+x[at], max(most, x[at])
		}
		switch {
		case l.Max:
			y[place] = most
		case !l.Backward:
			y[place] = sum / each
		}
	}
	holds(t, l.text()+": images", l.X, l.Elem, x)
	holds(t, l.text()+": results", l.Y, l.Elem, y)
	return true
}

// poolCase has windows of eight elements: libraries multiply by the eighth, which is exact.
var poolCase = Pooling{Planes: 3, H: 5, W: 6, KH: 2, KW: 4, SH: 1, SW: 2}

// everyPass runs all cases in all passes and types that the library has.
func everyPass(t *testing.T, d *Device, elems ...string) (count int32) {
	t.Helper()
	return passes(t, d, convCases, elems...)
}

// passes runs cases three times in all passes and in some types, and counts.
func passes(t *testing.T, d *Device, cases []Conv, elems ...string) (count int32) {
	t.Helper()
	for _, elem := range elems {
		for _, c := range cases {
			for c.Pass = ConvForward; c.Pass <= ConvWeights; c.Pass++ {
				c.Elem = elem
				for _, behind := range [][2]int{{8, 16}, {8, 16}, {3, 5}} { // the second time by the plan of the first; then on odd addresses
					if !convolvesBehind(t, d, c, behind[0], behind[1]) {
						t.Errorf("%s: the library was not used: %+v", c.text(), d.DNN())
					}
					count++
				}
			}
		}
	}
	return count
}

func TestMIOpenChild(t *testing.T) {
	childtest.Only(t)
	d, err := Open("rocm")
	if err != nil {
		t.Fatal(err)
	}
	var convolutions, last, live func() int32
	standIn(t, "libMIOpen.so.1", "fakednn_convolutions", &convolutions)
	standIn(t, "libMIOpen.so.1", "fakednn_channels_last", &last)
	standIn(t, "libMIOpen.so.1", "fakednn_live", &live)
	if err := d.StartProfile(); err != nil {
		t.Fatal(err)
	}
	if want := everyPass(t, d, "f32", "f16", "bf16"); convolutions() != want {
		t.Errorf("the library computed %d convolutions, want %d", convolutions(), want)
	}
	if want := passes(t, d, lastCases, "f32", "f16", "bf16"); last() != want {
		t.Errorf("the library computed %d convolutions with the channels last, want %d", last(), want)
	}
	var wg sync.WaitGroup
	for g := range 8 {
		c := convCases[g%len(convCases)]
		c.Elem, c.Pass = "f32", ConvPass(g%3)
		wg.Go(func() {
			for range 5 {
				if !convolves(t, d, c) {
					t.Errorf("goroutine %d: the library was not used", g)
				}
			}
		})
	}
	wg.Wait()
	list, err := d.StopProfile()
	if err != nil {
		t.Fatal(err)
	}
	if text := fmt.Sprint(list); !strings.Contains(text, "miopenConvolutionBackwardData") || !strings.Contains(text, "_bf16") {
		t.Errorf("the profile has %s", text)
	}
	for _, elem := range []string{"f32", "f16", "bf16"} {
		l := poolCase
		l.Elem = elem
		if !pooled(t, d, l) {
			t.Errorf("%s: the library was not used: %+v", l.text(), d.DNN())
		}
		l.Backward = true
		if !pooled(t, d, l) {
			t.Errorf("%s: the library was not used: %+v", l.text(), d.DNN())
		}
		if l.Max, l.Backward = true, false; pooled(t, d, l) {
			t.Error("MIOpen computed max pooling, which it computes without NaN")
		}
	}
	everyLayer(t, d, "f32")
	info := d.DNN()
	if info.Name != "MIOpen" || info.Version != "3.2.1" || info.Problem != "" || len(info.Refused) != 0 || filepath.Base(info.Path) != childtest.File("libMIOpen.so.1") {
		t.Errorf("DNN() = %+v", info)
	}
	// Plans are few, and give their descriptors back.
	for h := range mathlib.MaxPlans + 3 {
		c := convCases[0]
		c.Elem, c.H = "f32", 4+h
		if !convolves(t, d, c) {
			t.Fatal("the library was not used")
		}
	}
	if n := d.dnn.Plans(); n > mathlib.MaxPlans || live() > 1+4*mathlib.MaxPlans {
		t.Errorf("%d plans, %d objects", n, live())
	}
	forgetPlans(d)
	if live() != 1 {
		t.Errorf("%d objects without plans, want the handle", live())
	}
	convMistakes(t, d)
}

// convMistakes are what the library does not take, and errors.
func convMistakes(t *testing.T, d *Device) {
	b, freed := alloc(t, d, 4*64), alloc(t, d, 4*64)
	freed.Free()
	good := sized(Conv{Elem: "f32", Images: 1, Channels: 2, H: 4, W: 4, Outs: 2, KH: 3, KW: 3, Groups: 1, Step: [2]int{1, 1}, Dilation: [2]int{1, 1},
		X: Place{b, 0}, Weights: Place{b, 0}, Y: Place{b, 0}})
	for name, change := range map[string]func(*Conv){
		"integers":         func(c *Conv) { c.Elem = "i32" },
		"no images":        func(c *Conv) { c.Images = 0 },
		"wrong sizes":      func(c *Conv) { c.OH = 3 },
		"uneven groups":    func(c *Conv) { c.Groups = 3 },
		"taps beyond":      func(c *Conv) { c.KH, c.OH = 5, 0 },
		"padding below 0":  func(c *Conv) { c.Pad[0], c.OH = -1, 0 },
		"too many numbers": func(c *Conv) { c.Images = 1 << 28 },
	} {
		c := good
		change(&c)
		if done, err := d.Convolve(&c); done || err != nil {
			t.Errorf("%s: %v, %v", name, done, err)
		}
	}
	for name, change := range map[string]func(*Conv){
		"freed":  func(c *Conv) { c.X.Buffer = freed },
		"none":   func(c *Conv) { c.Y.Buffer = nil },
		"beyond": func(c *Conv) { c.Weights.Offset = 4 * 40 },
	} {
		c := good
		change(&c)
		if done, err := d.Convolve(&c); done || !errors.Is(err, ErrInvalid) || !strings.HasPrefix(err.Error(), "rocm: convolve: ") {
			t.Errorf("%s: %v, %v", name, done, err)
		}
	}
	l := poolCase
	l.Elem, l.OH, l.OW, l.X, l.Y = "f32", 4, 2, Place{b, 0}, Place{b, 0}
	if done, err := d.Pool(&l); done || !errors.Is(err, ErrInvalid) || !strings.HasPrefix(err.Error(), "rocm: pool: ") {
		t.Errorf("a pool beyond a buffer: %v, %v", done, err)
	}
}

func TestCuDNNChild(t *testing.T) {
	childtest.Only(t)
	f := newFake(1 << 24)
	f.real, f.platform = true, CUDA
	d := f.device(t, 0)
	var convolutions, last, live func() int32
	standIn(t, "libcudnn.so.9", "fakednn_convolutions", &convolutions)
	standIn(t, "libcudnn.so.9", "fakednn_channels_last", &last)
	standIn(t, "libcudnn.so.9", "fakednn_live", &live)
	graphs := d.HasDNN() && d.dnn.HasGraphs()
	counts := func(count, want int32) bool {
		return count == want || graphs && os.Getenv("GOROCM_DNN") == "find" && count > want
	} // gorocm measures graphs by computing
	if want := everyPass(t, d, "f32", "f64", "f16", "bf16"); !counts(convolutions(), want) {
		t.Errorf("the library computed %d convolutions, want %d: %+v", convolutions(), want, d.DNN())
	}
	if want := passes(t, d, lastCases, "f16", "bf16"); !counts(last(), want) {
		t.Errorf("the library computed %d convolutions with the channels last, want %d: %+v", last(), want, d.DNN())
	}
	if graphs {
		graphWays(t, d)
	}
	for _, elem := range []string{"f32", "f64", "f16", "bf16"} {
		for _, l := range []Pooling{{}, {Backward: true}, {Max: true}} {
			c := poolCase
			c.Elem, c.Max, c.Backward = elem, l.Max, l.Backward
			if !pooled(t, d, c) {
				t.Errorf("%s: the library was not used: %+v", c.text(), d.DNN())
			}
		}
	}
	everyLayer(t, d, "f32")
	everyLayer(t, d, "f64")
	if info := d.DNN(); info.Name != "cuDNN" || info.Version != "9.8.7" || len(info.Refused) != 0 {
		t.Errorf("DNN() = %+v", info)
	}
	forgetPlans(d)
	if live() != 1 {
		t.Errorf("%d objects without plans, want the handle", live())
	}
}

// TestCUDAConvolutions runs the real cuDNN, where it and a GPU are there.
func TestCUDAConvolutions(t *testing.T) {
	d := cudaDevice(t)
	info := d.DNN()
	if info.Name == "" {
		t.Skipf("no cuDNN: %s", info.Problem)
	}
	t.Logf("%s %s, %s", info.Name, info.Version, info.Path)
	everyPass(t, d, "f32", "f64", "f16", "bf16")
	passes(t, d, lastCases[:1], "f16", "bf16")
	for _, c := range lastCases[1:] { // a library may leave groups and images of one element to the other order
		for c.Pass = ConvForward; c.Pass <= ConvWeights; c.Pass++ {
			if c.Elem = "f16"; !convolves(t, d, c) {
				t.Logf("%s: %s", c.text(), d.DNN().Refused[c.text()])
			}
		}
	}
	for _, elem := range []string{"f32", "f64", "f16", "bf16"} {
		for _, l := range []Pooling{{}, {Backward: true}, {Max: true}} {
			c := poolCase
			c.Elem, c.Max, c.Backward = elem, l.Max, l.Backward
			if !pooled(t, d, c) {
				t.Errorf("%s: the library was not used: %+v", c.text(), d.DNN())
			}
		}
	}
	everyLayer(t, d, "f32")
	everyLayer(t, d, "f64")
}

func TestNoDNNChild(t *testing.T) {
	childtest.Only(t)
	d, err := Open("rocm")
	if err != nil {
		t.Fatal(err)
	}
	c := convCases[0]
	c.Elem = "f32"
	l := poolCase
	l.Elem = "f32"
	if convolves(t, d, c) || pooled(t, d, l) {
		t.Error("a library computed all the same")
	}
	if info := d.DNN(); info.Name != "" || !strings.Contains(info.Problem, os.Getenv("WANT_PROBLEM")) {
		t.Errorf("DNN() = %+v", info)
	}
}

// TestLackingMIOpenChild has a library without one pass of convolutions, and without pools.
func TestLackingMIOpenChild(t *testing.T) {
	childtest.Only(t)
	d, err := Open("rocm")
	if err != nil {
		t.Fatal(err)
	}
	c := convCases[1]
	c.Elem = "f32"
	for c.Pass = ConvForward; c.Pass <= ConvWeights; c.Pass++ {
		for range 2 {
			if got := convolves(t, d, c); got != (c.Pass != ConvWeights) {
				t.Errorf("%s: %v", c.text(), got)
			}
		}
	}
	l := poolCase
	l.Elem = "f32"
	if pooled(t, d, l) {
		t.Error("a pool was computed")
	}
	refused := d.DNN().Refused
	if len(refused) != 2 || !strings.Contains(refused["f32 convolution, weights"], "lacks miopenConvolutionBackwardWeightsGetSolution") ||
		!strings.Contains(refused["f32 averages of windows"], "lacks miopenPoolingForward") {
		t.Errorf("Refused = %q", refused)
	}
	for _, lib := range Probe() {
		if lib.Name == "MIOpen" && !strings.Contains(lib.Version, "without miopenConvolutionBackwardWeights") {
			t.Errorf("Probe() has %+v", lib)
		}
	}
}

// TestCuDNNFaults has a library without graphs, whose faults are those of TestGraphFaults.
func TestCuDNNFaults(t *testing.T) {
	thorough.Slow(t)
	childtest.Run(t, "TestCuDNNFaultsChild", buildFakeCuDNN(t, "-DWITHOUT_GRAPHS")...)
}

// TestCuDNNFaultsChild makes every call fail in turn: work goes on without the library, DNN says why, and nothing is left behind.
func TestCuDNNFaultsChild(t *testing.T) {
	childtest.Only(t)
	var inject func(name string, code, times int32)
	var live func() int32
	standIn(t, "libcudnn.so.9", "fakecudnn_inject", &inject)
	standIn(t, "libcudnn.so.9", "fakednn_live", &live)
	for _, call := range []string{
		"cudnnCreate", "cudnnSetStream", "cudnnCreateTensorDescriptor", "cudnnSetTensorNdDescriptor", "cudnnCreateFilterDescriptor", "cudnnSetFilterNdDescriptor",
		"cudnnCreateConvolutionDescriptor", "cudnnSetConvolutionNdDescriptor", "cudnnSetConvolutionGroupCount", "cudnnSetConvolutionMathType",
		"cudnnGetConvolutionForwardAlgorithm_v7", "cudnnGetConvolutionBackwardDataAlgorithm_v7", "cudnnGetConvolutionBackwardFilterAlgorithm_v7",
		"cudnnConvolutionForward", "cudnnConvolutionBackwardData", "cudnnConvolutionBackwardFilter",
		"cudnnCreatePoolingDescriptor", "cudnnSetPooling2dDescriptor", "cudnnPoolingForward", "cudnnPoolingBackward",
		"cudnnCreateActivationDescriptor", "cudnnSetActivationDescriptor", "cudnnActivationForward", "cudnnActivationBackward",
		"cudnnSoftmaxForward", "cudnnSoftmaxBackward",
		"cudnnBatchNormalizationForwardInference", "cudnnBatchNormalizationForwardTraining", "cudnnBatchNormalizationBackward",
	} {
		f := newFake(1 << 24)
		f.real, f.platform = true, CUDA
		d := f.device(t, 0)
		a, b := alloc(t, d, 4096), alloc(t, d, 4096)
		inject(call, 3007, 1) // of version 9: a kind of CUDNN_STATUS_NOT_SUPPORTED
		if err := convolutions(d, a, b); err != nil {
			t.Errorf("%s: %v", call, err)
		}
		info := d.DNN()
		said := info.Problem
		for _, words := range info.Refused {
			said += words
		}
		if want := call + ": CUDNN_STATUS_NOT_SUPPORTED (3007)\n  cuDNN 9.8.7, " + os.Getenv("GOROCM_LIBRARY_PATH"); !strings.Contains(said, want) {
			t.Errorf("%s: the library says %q, want %q", call, said, want)
		}
		inject("", 0, 0)
		if err := convolutions(d, a, b); err != nil {
			t.Errorf("after %s: %v", call, err)
		}
		forgetPlans(d)
		want := int32(0)
		if d.dnn.Ready() {
			want = 1
		}
		if live() != want {
			t.Errorf("%s: %d objects are left, want %d", call, live(), want)
		}
		if d.dnn.Close(libraryHost{d}) != nil {
			t.Errorf("after %s: the handle cannot be destroyed", call)
		}
	}
}
