package emulator

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/gorocm/gorocm/rocm/emulator/internal/codeobject"
	"github.com/gorocm/gorocm/rocm/emulator/internal/memory"
)

// The GPUs that are emulated.
const (
	GFX1100 = "gfx1100"
	GFX942  = "gfx942"
	GFX1200 = "gfx1200"
	GFX1201 = "gfx1201"
)

const imageLimit = 1 << 30

// Module is a loaded code object: its image in device memory and its kernels.
type Module struct {
	gpu     *GPU
	image   *memory.Allocation
	code    []byte          // the loaded bytes, as they are at offset 0 of the image; the decoder reads them
	text    codeobject.Span // addresses of the executable segment, relative to the image
	symbols []codeobject.Symbol
	gfx9    bool // the code is gfx942's
	gfx12   bool // the code is gfx1200's or gfx1201's
	kernels map[string]*Kernel
	globals map[string]codeobject.Span
	debug   []byte // the object, if it has a line table

	linesOnce sync.Once
	lines     []codeobject.Line // of debug

	mu        sync.Mutex
	functions map[functionKey]*function // decoded code by entry
}

// Kernel is a kernel of a Module.
type Kernel struct {
	module *Module
	meta   codeobject.Metadata
	desc   codeobject.Descriptor
	entry  uint64 // relative to the image
}

// Name returns the kernel's name as Module.Kernel takes it.
func (k *Kernel) Name() string { return k.meta.Name }

// LDS returns the bytes of statically allocated shared memory that a workgroup of the kernel has.
func (k *Kernel) LDS() uint32 { return k.desc.GroupSegment }

// MaxThreads returns how many work-items a workgroup may have.
func (k *Kernel) MaxThreads() int { return int(k.meta.MaxThreads) }

// Load reads a code object (ELF, code object version 4 to 6, for the GPU's architecture) or a clang offload bundle that
// has one, and copies it to device memory. The object may be reused afterwards.
func (g *GPU) Load(object []byte) (*Module, error) {
	object, err := codeobject.Unbundle(object, g.arch)
	if err != nil {
		return nil, loadError(err)
	}
	o, err := codeobject.Read(object, g.arch, min(imageLimit, g.mem.Total()))
	if err != nil {
		return nil, loadError(err)
	}
	m := newModule(o)
	m.gpu = g
	if m.image, err = g.mem.Alloc(uint64(len(m.code)), "code object"); err != nil {
		return nil, memoryError("load", err)
	}
	for _, r := range o.Relocations {
		binary.LittleEndian.PutUint64(m.code[r.At:], m.image.Addr+r.Value)
	}
	copy(g.mem.Bytes(m.image.Addr, uint64(len(m.code))), m.code)
	m.keepLines(object)
	return m, nil
}

// newModule makes a module of an object, which is not in device memory yet.
func newModule(o *codeobject.Object) *Module {
	m := &Module{code: o.Image, text: o.Text, gfx9: o.Arch == GFX942, gfx12: o.Arch == GFX1200 || o.Arch == GFX1201,
		symbols: o.Functions, globals: o.Globals, kernels: map[string]*Kernel{}, functions: map[functionKey]*function{}}
	for i := range o.Kernels {
		k := &o.Kernels[i]
		m.kernels[k.Name] = &Kernel{module: m, meta: k.Metadata, desc: k.Descriptor, entry: k.Entry}
	}
	return m
}

// loadError is the error of a file that is not read.
func loadError(err error) error {
	var e *codeobject.Error
	if errors.As(err, &e) && e.OtherGPU {
		return errorf(CodeNoBinaryForGPU, "load", "%v", err)
	}
	return errorf(CodeInvalidImage, "load", "%v", err)
}

// Unload frees the module's image. Its kernels must not be used afterwards.
func (m *Module) Unload() error {
	if m.image == nil {
		return errorf(CodeInvalidValue, "unload", "the module is not loaded (unloaded twice?)")
	}
	err := memoryError("unload", m.gpu.mem.Release(m.image.Addr))
	m.image = nil
	return err
}

// Kernel returns the kernel of that name.
func (m *Module) Kernel(name string) (*Kernel, error) {
	if k, ok := m.kernels[name]; ok {
		return k, nil
	}
	e := errorf(CodeNotFound, "kernel", "the module has no kernel %q; it has %d kernels%s", name, len(m.kernels),
		firstNames(m.Kernels()))
	e.Kernel = name
	return nil, e
}

func firstNames(names []string) string {
	if len(names) > 8 {
		return fmt.Sprintf(", among them %q", names[:8])
	}
	return fmt.Sprintf(": %q", names)
}

// Kernels returns the names of the kernels in alphabetical order.
func (m *Module) Kernels() []string {
	return slices.Sorted(maps.Keys(m.kernels))
}

// Global returns the device address and the size in bytes of the variable of that name (__device__ or __constant__).
func (m *Module) Global(name string) (addr, size uint64, err error) {
	s, ok := m.globals[name]
	if !ok || m.image == nil {
		return 0, 0, errorf(CodeNotFound, "global", "the module has no variable %q", name)
	}
	return m.image.Addr + s.Addr, s.Size, nil
}

// Decode decodes the kernel's instructions, which its first launch does otherwise. The error names the first one that
// is not emulated.
func (k *Kernel) Decode() error {
	_, err := k.module.functionAt(k.entry, k.mode())
	return err
}

// mode returns how the kernel's descriptor asks for it to be executed.
func (k *Kernel) mode() mode {
	return mode{flush: k.desc.RSRC1>>denormShift&3 == 0, wide: k.desc.Properties&descWave32 == 0}
}

// lanes is how many lanes a wave has.
func (m mode) lanes() int {
	if m.wide {
		return 2 * waveSize
	}
	return waveSize
}
