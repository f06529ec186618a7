package kernels_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"sync"
	"testing"
	"unsafe"

	"github.com/x448/float16"

	"github.com/gorocm/gorocm/internal/gen/kernels/build"
	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm/emulator"
)

// device runs the embedded code objects on the emulated GPU.
type device struct {
	t       testing.TB
	buffers []uint64
}

// gpus are made when a test first needs them, by the target of GOROCM_TEST_FIRST.
var gpus = map[string]func() (*emulator.GPU, error){
	"": emulated(emulator.GFX1100), emulator.GFX942: emulated(emulator.GFX942), "gfx12-generic": emulated(emulator.GFX1200),
}

func emulated(arch string) func() (*emulator.GPU, error) {
	return sync.OnceValues(func() (*emulator.GPU, error) { return emulator.New(emulator.Config{Arch: arch}) })
}

var modules sync.Map // architecture and family to *emulator.Module

func newDevice(t testing.TB) *device {
	d := &device{t: t}
	t.Cleanup(d.reset)
	return d
}

func (d *device) gpu() *emulator.GPU {
	of, ok := gpus[os.Getenv("GOROCM_TEST_FIRST")]
	if !ok {
		of = gpus[""]
	}
	g, err := of()
	if err != nil {
		d.t.Fatal(err)
	}
	return g
}

func (d *device) reset() {
	for _, p := range d.buffers {
		if err := d.gpu().Free(p); err != nil {
			d.t.Error(err)
		}
	}
	d.buffers = nil
}

// put allocates memory for data after skip bytes, and returns the address of data.
func (d *device) put(data []byte, skip int) uint64 {
	d.t.Helper()
	p, err := d.gpu().Malloc(uint64(max(len(data)+skip, 1)))
	if err != nil {
		d.t.Fatal(err)
	}
	d.buffers = append(d.buffers, p)
	if len(data) > 0 {
		if err := d.gpu().Write(p+uint64(skip), data); err != nil {
			d.t.Fatal(err)
		}
	}
	return p + uint64(skip)
}

func (d *device) get(p uint64, n int) []byte {
	d.t.Helper()
	data := make([]byte, n)
	if n > 0 {
		if err := d.gpu().Read(data, p); err != nil {
			d.t.Fatal(err)
		}
	}
	return data
}

// launch runs a kernel with arguments that are uint64, int64, float64 or pointers to layout structs.
func (d *device) launch(symbol string, grid [3]uint32, args ...any) {
	d.t.Helper()
	family, ok := kernels.FamilyOf(symbol)
	if !ok {
		d.t.Fatalf("no kernel %s", symbol)
	}
	var m *emulator.Module
	var err error
	if object, ok := kernels.FirstObject(symbol, os.Getenv("GOROCM_TEST_FIRST")); ok {
		m, err = firstModule(d.gpu(), symbol, object)
	} else {
		m, err = module(d.gpu(), family)
	}
	if errors.Is(err, build.ErrNoClang) {
		d.t.Skipf("%s has no code object for %s: %v", symbol, d.gpu().Arch(), err)
	}
	if err != nil {
		d.t.Fatal(err)
	}
	k, err := m.Kernel(symbol)
	if err != nil {
		d.t.Fatal(err)
	}
	if err := d.gpu().Launch(k, grid, [3]uint32{256, 1, 1}, 0, pack(args)); err != nil {
		d.t.Fatal(err)
	}
}

func module(g *emulator.GPU, family string) (*emulator.Module, error) {
	key := g.Arch() + "/" + family
	if m, ok := modules.Load(key); ok {
		return m.(*emulator.Module), nil
	}
	object, ok := kernels.Object(family, g.Arch())
	if !ok && g.Arch() == emulator.GFX1100 {
		return nil, fmt.Errorf("no object of %s for gfx1100", family)
	}
	if !ok {
		var err error
		if object, err = build.Object(family, g.Arch()); err != nil {
			return nil, err
		}
	}
	m, err := g.Load(object)
	if err == nil {
		modules.Store(key, m)
	}
	return m, err
}

// firstModule loads the code object of one kernel, with GOROCM_TEST_FIRST=gfx11-generic, gfx12-generic or gfx942.
func firstModule(g *emulator.GPU, symbol string, object []byte) (*emulator.Module, error) {
	key := g.Arch() + "/" + symbol + ".hip"
	if m, ok := modules.Load(key); ok {
		return m.(*emulator.Module), nil
	}
	m, err := g.Load(object)
	if err == nil {
		modules.Store(key, m)
	}
	return m, err
}

func pack(args []any) (b []byte) {
	for _, a := range args {
		switch a := a.(type) {
		case uint64:
			b = binary.LittleEndian.AppendUint64(b, a)
		case int64:
			b = binary.LittleEndian.AppendUint64(b, uint64(a))
		case float64:
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(a))
		case *kernels.Layout1:
			b = append(b, unsafe.Slice((*byte)(unsafe.Pointer(a)), unsafe.Sizeof(*a))...)
		case *kernels.Layout2:
			b = append(b, unsafe.Slice((*byte)(unsafe.Pointer(a)), unsafe.Sizeof(*a))...)
		case *kernels.Layout3:
			b = append(b, unsafe.Slice((*byte)(unsafe.Pointer(a)), unsafe.Sizeof(*a))...)
		case *kernels.MatMul:
			b = append(b, unsafe.Slice((*byte)(unsafe.Pointer(a)), unsafe.Sizeof(*a))...)
		default:
			panic(fmt.Sprintf("argument of type %T", a))
		}
	}
	return b
}

// Values of every dtype are held as float64 for float types and as int64 for integer types.

type number interface{ float64 | int64 }

func encode[N number](t kernels.DType, values []N) []byte {
	b := make([]byte, 0, len(values)*t.Size())
	le := binary.LittleEndian
	for _, v := range values {
		switch t {
		case kernels.U8, kernels.I8:
			b = append(b, byte(int64(v)))
		case kernels.U16, kernels.I16:
			b = le.AppendUint16(b, uint16(int64(v)))
		case kernels.U32, kernels.I32:
			b = le.AppendUint32(b, uint32(int64(v)))
		case kernels.U64, kernels.I64:
			b = le.AppendUint64(b, uint64(int64(v)))
		case kernels.F16:
			b = le.AppendUint16(b, float16.Fromfloat32(float32(v)).Bits())
		case kernels.BF16:
			b = le.AppendUint16(b, uint16(math.Float32bits(float32(v))>>16))
		case kernels.F8E4M3:
			b = append(b, float8Bits(float64(v)))
		case kernels.F32:
			b = le.AppendUint32(b, math.Float32bits(float32(v)))
		case kernels.F64:
			b = le.AppendUint64(b, math.Float64bits(float64(v)))
		}
	}
	return b
}

func decode[N number](t kernels.DType, b []byte) []N {
	le := binary.LittleEndian
	values := make([]N, len(b)/t.Size())
	for i := range values {
		p := b[i*t.Size():]
		switch t {
		case kernels.U8:
			values[i] = N(p[0])
		case kernels.I8:
			values[i] = N(int8(p[0]))
		case kernels.U16:
			values[i] = N(le.Uint16(p))
		case kernels.I16:
			values[i] = N(int16(le.Uint16(p)))
		case kernels.U32:
			values[i] = N(le.Uint32(p))
		case kernels.I32:
			values[i] = N(int32(le.Uint32(p)))
		case kernels.U64, kernels.I64: // a U64 by its bits
			values[i] = N(int64(le.Uint64(p)))
		case kernels.F16:
			values[i] = N(float16.Frombits(le.Uint16(p)).Float32())
		case kernels.BF16:
			values[i] = N(math.Float32frombits(uint32(le.Uint16(p)) << 16))
		case kernels.F8E4M3:
			values[i] = N(float8Value(p[0]))
		case kernels.F32:
			values[i] = N(math.Float32frombits(le.Uint32(p)))
		case kernels.F64:
			values[i] = N(math.Float64frombits(le.Uint64(p)))
		}
	}
	return values
}

// float8Value is what the bits of an F8E4M3 mean, by its definition.
func float8Value(b byte) float64 {
	sign, exponent, fraction := 1.0, int(b>>3&15), float64(b&7)/8
	if b >= 0x80 {
		sign = -1
	}
	switch {
	case b&0x7f == 0x7f:
		return math.NaN()
	case exponent == 0:
		return sign * math.Ldexp(fraction, -6)
	}
	return sign * math.Ldexp(1+fraction, exponent-7)
}

// float8Bits finds the bits of a value that an F8E4M3 has.
func float8Bits(v float64) byte {
	if b, ok := float8s[math.Float64bits(v)]; ok {
		return b
	}
	return 0x7f
}

// float8s are the bits of an F8E4M3 by those of the float64 with the same value.
var float8s = func() map[uint64]byte {
	m := map[uint64]byte{}
	for b := range 256 {
		if x := float8Value(byte(b)); x == x {
			m[math.Float64bits(x)] = byte(b)
		}
	}
	return m
}()

// wrap keeps the bits of an integer that a type has.
func wrap(t kernels.DType, v int64) int64 {
	unused := 64 - 8*t.Size()
	if unsigned(t) {
		return int64(uint64(v) << unused >> unused)
	}
	return v << unused >> unused
}

func unsigned(t kernels.DType) bool { return t.String()[0] == 'u' }

// special are the values at which formulas go wrong.
var special = []float64{
	0, math.Copysign(0, -1), 1, -1, 0.5, -0.5, 1.5, 2.5, -2.5, 3, -8, 100, -100, 0.1, -0.3, 255.7, 1e-3, 6e-8, 1e-40,
	65504, 1e10, -1e30, 3.4e38,
	math.Inf(1), math.Inf(-1), math.NaN(), math.Pi, -math.Pi / 2, 0.49999997, 8388609, 4503599627370497,
}

var specialInts = []int64{
	0, 1, -1, 2, -2, 7, 100, 127, 128, 255, 256, -128, 32767, 32768, -32768, 65535, math.MaxInt32, math.MinInt32,
	math.MaxUint32,
	math.MaxInt64, math.MinInt64, math.MaxInt64 - 1, 3037000500, -12345678901,
}

// floats returns n values of type t: the special ones first, then normally distributed ones.
func floats(t kernels.DType, n int, seed uint64) []float64 {
	r := rand.New(rand.NewPCG(seed, 1))
	values := make([]float64, n)
	for i := range values {
		x := r.NormFloat64() * 4
		if k := (i + int(seed)) % (3 * len(special)); k < len(special) {
			x = special[k]
		}
		values[i] = kernels.Round(t, x)
	}
	return values
}

func integers(t kernels.DType, n int, seed uint64) []int64 {
	r := rand.New(rand.NewPCG(seed, 2))
	values := make([]int64, n)
	for i := range values {
		x := int64(r.Uint64()) >> r.IntN(64)
		if k := (i + int(seed)) % (3 * len(specialInts)); k < len(specialInts) {
			x = specialInts[k]
		}
		values[i] = wrap(t, x)
	}
	return values
}

// near says whether a device's value of type t is within so many units in the last place of want, which is not yet
// rounded.
func near(t kernels.DType, got, want, ulps float64) bool {
	rounded := kernels.Round(t, want)
	if got == rounded || math.IsNaN(got) && math.IsNaN(want) {
		return true
	}
	if ulps == 0 || math.IsNaN(got) || math.IsInf(want, 0) || math.IsNaN(want) {
		return false
	}
	if math.IsInf(got, 0) || math.IsInf(rounded, 0) { // at the end of the range, one step away from it
		top := map[kernels.DType]float64{kernels.BF16: 0x1.fep127, kernels.F16: 65504, kernels.F32: math.MaxFloat32,
			kernels.F64: math.MaxFloat64}[t]
		return math.Signbit(got) == math.Signbit(want) && math.Abs(want) > top*(1-1e-3) && math.Abs(got) > top*(1-1e-3)
	}
	return math.Abs(got-want) <= (ulps+0.5)*ulp(t, want)
}

// ulp is the distance of the values of type t around x.
func ulp(t kernels.DType, x float64) float64 {
	digits, least := 53, -1074
	switch t {
	case kernels.F32:
		digits, least = 24, -149
	case kernels.F16:
		digits, least = 11, -24
	case kernels.BF16:
		digits, least = 8, -133
	case kernels.F8E4M3:
		digits, least = 4, -9
	}
	_, e := math.Frexp(x)
	if x == 0 {
		e = -2000
	}
	return math.Ldexp(1, max(e-digits, least))
}
