package tensor

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/dtypes"
	"github.com/gorocm/gorocm/tensor/internal/gpu"
	"github.com/gorocm/gorocm/tensor/internal/host"
	"github.com/gorocm/gorocm/tensor/internal/scope"
)

// Device computes, and holds tensors: the host ("cpu"), an AMD GPU or its emulation ("rocm:0"), or an NVIDIA GPU
// ("cuda:0"). There is one handle per device, so devices are compared with ==.
type Device struct {
	location string
	kind     string
	backend  backend.Backend

	mu      sync.Mutex
	seed    uint64
	counter uint64 // random numbers drawn since the seed was set, in blocks of four
	numbers map[constant]*Tensor

	// Transfers to the host, so that tests can tell what a display costs.
	downloads, downloaded atomic.Int64
}

var devices struct {
	sync.Mutex
	open map[string]*Device
}

var cpuDevice = sync.OnceValue(func() *Device {
	return newDevice("cpu", "cpu", host.Fusing{})
})

// CPU returns the host as a device.
func CPU() *Device { return cpuDevice() }

// NewDevice returns the device with the name spec: cpu, rocm, rocm:1, cuda, cuda:0, or auto for the GPU that is there,
// else the CPU. A name without a number means number 0. The same name gives the same handle, unless its GPU was lost
// (rocm.Lost). Without an AMD GPU, rocm is emulated, unless GOROCM_REQUIRE_GPU is set. The error says what was tried.
func NewDevice(spec string) (*Device, error) {
	if strings.EqualFold(strings.TrimSpace(spec), "auto") {
		spec = backend.AutoSpec(rocm.Devices())
	}
	kind, index, note := backend.ParseSpec(spec)
	if note != "" {
		return nil, &Error{Op: "device", Kind: ErrDevice, Message: fmt.Sprintf("unknown device %q", spec),
			Notes: []string{note}}
	}
	if kind == "cpu" {
		return CPU(), nil
	}
	location := fmt.Sprintf("%s:%d", kind, index)
	devices.Lock()
	defer devices.Unlock()
	if d := devices.open[location]; d != nil && !gpu.Lost(d.backend) {
		return d, nil
	}
	b, err := gpu.Open(location)
	if err != nil {
		return nil, caused(&Error{Op: "device", Kind: ErrDevice, Devices: []string{location}}, err)
	}
	d := newDevice(kind, location, b)
	if devices.open == nil {
		devices.open = map[string]*Device{}
	}
	devices.open[location] = d
	return d, nil
}

func newDevice(kind, location string, b backend.Backend) *Device {
	d := &Device{kind: kind, location: location, backend: b}
	var bits [8]byte
	rand.Read(bits[:]) // never fails
	d.seed = binary.LittleEndian.Uint64(bits[:]) >> 11
	return d
}

// Location returns the device's name: cpu, rocm:0, cuda:1. NewDevice takes it, unless it is that of a stream, such as
// rocm:0 (stream 1).
func (d *Device) Location() string { return d.location }

// moveHint is the code that copies a tensor to the device, for notes of errors. of is a tensor on it.
func (d *Device) moveHint(what, of string) string {
	if strings.Contains(d.location, "stream") {
		return fmt.Sprintf("%s.ToDevice(%s.Device())", what, of)
	}
	return fmt.Sprintf("%s.To(%q)", what, d.location)
}

// IsCPU reports whether the device is the host.
func (d *Device) IsCPU() bool { return d.kind == "cpu" }

// IsROCm reports whether the device is an AMD GPU or its emulation.
func (d *Device) IsROCm() bool { return d.kind == "rocm" }

// IsCUDA reports whether the device is an NVIDIA GPU.
func (d *Device) IsCUDA() bool { return d.kind == "cuda" }

// Synchronize waits until the device has finished all operations. It panics with ErrDriver when one failed, and with
// ErrIndex when an operation since the last wait had an index out of range. Everything that brings elements to the
// host does the same.
func (d *Device) Synchronize() { check(failure("synchronize", d, d.backend.Synchronize())) }

// CheckIDs waits for the operations since the last wait that took indices, as IndexSelect does, and returns the
// ErrIndex of the first one with an index out of range. Without such operations it does not wait. On the CPU, where
// operations panic themselves, it returns nil.
func (d *Device) CheckIDs() error {
	c, ok := d.backend.(backend.IndexChecker)
	if !ok {
		return nil
	}
	return failure("check ids", d, c.CheckIndices())
}

// gpu is the device of package rocm that computes; nil for the CPU.
func (d *Device) gpu() *rocm.Device {
	if b, ok := d.backend.(backend.GPU); ok {
		return b.Device()
	}
	return nil
}

// SetSeed restarts the random numbers of the device. The same seed gives the same numbers, on every device.
func (d *Device) SetSeed(seed uint64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.seed, d.counter = seed, 0
}

// Seed returns the seed in use. Until SetSeed is called it differs from process to process.
func (d *Device) Seed() uint64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.seed
}

// draw reserves n random numbers.
func (d *Device) draw(n int) (seed, counter uint64) {
	return scope.Next(func() (seed, counter uint64) {
		if c, ok := d.backend.(backend.Capturer); ok && c.Capturing() {
			return 0, c.DrawCaptured(uint64(n+3)/4, d.draw)
		}
		d.mu.Lock()
		defer d.mu.Unlock()
		seed, counter = d.seed, d.counter
		d.counter += uint64(n+3) / 4
		return seed, counter
	})
}

// constant is a number as an element of a dtype.
type constant struct {
	dtype      DType
	bits, imag uint64 // imag only for complex types
}

// number returns a scalar tensor. The same numbers occur again and again, so the last ones are cached: on a GPU that
// saves an allocation and a launch for each x.Mul(2).
func (d *Device) number(op string, dt DType, s backend.Scalar) (*Tensor, error) {
	key := constant{dtype: dt, bits: s.Bits(dt)}
	if dt.IsComplex() {
		key.bits, key.imag = s.Bits(F64), backend.Scalar{Float: s.Imag}.Bits(F64)
	}
	d.mu.Lock()
	t := d.numbers[key]
	d.mu.Unlock()
	if t != nil {
		return t, nil
	}
	var err error
	scope.Outside(func() { t, err = empty(op, nil, dt, d) })
	if err != nil {
		return nil, err
	}
	if err := d.fill(t.operand(), s); err != nil {
		return nil, failure(op, d, err)
	}
	if s, ok := t.store.(backend.ConstantStorage); ok && !dt.IsComplex() { // chains have no complex elements
		s.SetConstant(key.bits)
	}
	if c, ok := d.backend.(backend.Capturer); ok && c.Capturing() {
		return t, nil // its value is that of a replay
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.numbers) >= 64 || d.numbers == nil {
		d.numbers = map[constant]*Tensor{}
	}
	d.numbers[key] = t
	return t, nil
}

// fill sets every element of out.
func (d *Device) fill(out backend.Operand, s backend.Scalar) error {
	if out.DType != C128 {
		return d.backend.Fill(out, s.Bits(out.DType))
	}
	err := d.backend.Fill(out.Part(0), s.Bits(F64))
	if err == nil {
		err = d.backend.Fill(out.Part(1), backend.Scalar{Float: s.Imag}.Bits(F64))
	}
	return err
}

// download copies len(dst) bytes to the host.
func (d *Device) download(dst []byte, s backend.Storage, byteOffset int) error {
	d.downloads.Add(1)
	d.downloaded.Add(int64(len(dst)))
	return d.backend.Download(dst, s, byteOffset)
}

// String returns the same as Location.
func (d *Device) String() string { return d.location }

// Emulated reports whether the device is the emulated AMD GPU, which computes the same results more slowly.
func (d *Device) Emulated() bool {
	gpu := d.gpu()
	return gpu != nil && gpu.Emulated()
}

// Arch returns the architecture that kernels are compiled for, such as gfx1100 or sm_90; for the CPU the Go
// architecture.
func (d *Device) Arch() string {
	if gpu := d.gpu(); gpu != nil {
		return gpu.Info().Arch
	}
	return runtime.GOARCH
}

// SupportsBF16 reports whether the device is a GPU with instructions for BF16, which gfx906 and gfx1030 lack.
func (d *Device) SupportsBF16() bool { return d.gpu() != nil && dtypes.HasBF16(d.Arch()) }

// Info describes the device on one line, for people.
func (d *Device) Info() string {
	b, ok := d.backend.(backend.GPU)
	if !ok {
		return fmt.Sprintf("cpu: %s, %d cores, products with %s", runtime.GOARCH, runtime.GOMAXPROCS(0),
			host.BLASName())
	}
	i := b.Device().Info()
	text := fmt.Sprintf("%s: %s (%s), %.1f GiB, %s", d.location, i.Name, i.Arch, float64(i.TotalMemory)/(1<<30),
		i.Runtime)
	if i.Note != "" {
		text += "; " + i.Note
	}
	if err := b.FusionError(); err != nil {
		first, _, _ := strings.Cut(err.Error(), "\n")
		text += "; chains of elementwise operations run one by one: " + first
	}
	return text
}

// MemoryInfo says how the memory of a device is used, in bytes.
type MemoryInfo = rocm.MemoryInfo

// Memory says how the memory of the device is used. For the CPU it is the Go heap, and Total and Free are 0.
func (d *Device) Memory() MemoryInfo {
	if gpu := d.gpu(); gpu != nil {
		return gpu.Memory()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return MemoryInfo{InUse: int64(m.HeapAlloc), Reserved: int64(m.HeapSys)}
}

// Interrupt aborts the kernel that the emulated device is running, which makes the operation fail. It does nothing on
// other devices.
func (d *Device) Interrupt() {
	if gpu := d.gpu(); gpu != nil {
		gpu.Interrupt()
	}
}
