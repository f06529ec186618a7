package emulator

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"sort"
	"sync"
)

const (
	elfMachineAMDGPU   = 224
	elfOSABIHSA        = 64
	noteAMDGPUMetadata = 32
	relocAbs64         = 3  // R_AMDGPU_ABS64
	relocRelative64    = 13 // R_AMDGPU_RELATIVE64
	descriptorSize     = 64
	imageLimit         = 1 << 30
)

// machines names the values of EF_AMDGPU_MACH that people meet, for the error that a wrong one gets.
var machines = map[uint32]string{
	0x02a: "gfx803", 0x02c: "gfx900", 0x02f: "gfx906", 0x030: "gfx908", 0x03f: "gfx90a", 0x04c: "gfx942",
	0x033: "gfx1010",
	0x036: "gfx1030", 0x037: "gfx1031", 0x038: "gfx1032", 0x041: "gfx1100", 0x046: "gfx1101", 0x047: "gfx1102",
	0x044: "gfx1103",
	0x043: "gfx1150", 0x04a: "gfx1151", 0x048: "gfx1200", 0x04e: "gfx1201", 0x054: "gfx11-generic",
}

// descriptor is the kernel descriptor that a code object has for each kernel, 64 bytes, named NAME.kd.
type descriptor struct {
	groupSegment, privateSegment, kernargSize uint32
	entryOffset                               int64 // from the descriptor to the first instruction
	rsrc1, rsrc2, rsrc3                       uint32
	properties                                uint16
}

func parseDescriptor(b []byte) descriptor {
	le := binary.LittleEndian
	return descriptor{
		groupSegment: le.Uint32(b), privateSegment: le.Uint32(b[4:]), kernargSize: le.Uint32(b[8:]),
		entryOffset: int64(le.Uint64(b[16:])), rsrc3: le.Uint32(b[44:]), rsrc1: le.Uint32(b[48:]),
		rsrc2:      le.Uint32(b[52:]),
		properties: le.Uint16(b[56:]),
	}
}

// Module is a loaded code object: its image in device memory and its kernels.
type Module struct {
	gpu     *GPU
	image   *allocation
	code    []byte // the loaded bytes, as they are at offset 0 of the image; the decoder reads them
	text    span   // addresses of the executable segment, relative to the image
	symbols []symbol
	kernels map[string]*Kernel
	globals map[string]span
	debug   []byte // the object, if it has a line table

	linesOnce sync.Once
	lines     []sourceLine // of debug

	mu        sync.Mutex
	functions map[functionKey]*function // decoded code by entry
}

// symbol is a function of the code object, relative to the image.
type symbol struct {
	name        string
	value, size uint64
}

// Kernel is a kernel of a Module.
type Kernel struct {
	module *Module
	meta   kernelMeta
	desc   descriptor
	entry  uint64 // relative to the image
}

// Name returns the kernel's name as Module.Kernel takes it.
func (k *Kernel) Name() string { return k.meta.name }

// LDS returns the bytes of statically allocated shared memory that a workgroup of the kernel has.
func (k *Kernel) LDS() uint32 { return k.desc.groupSegment }

// MaxThreads returns how many work-items a workgroup may have.
func (k *Kernel) MaxThreads() int { return int(k.meta.maxThreads) }

// Load reads a code object (ELF, code object version 4 to 6, gfx1100) or a clang offload bundle that has one, and
// copies it to device memory. The object may be reused afterwards.
func (g *GPU) Load(object []byte) (*Module, error) {
	object, err := unbundle(object)
	if err != nil {
		return nil, err
	}
	m, image, relocations, err := readObject(object, min(imageLimit, g.mem.total()))
	if err != nil {
		return nil, err
	}
	m.gpu = g
	if m.image, err = g.mem.alloc(uint64(len(image)), "code object"); err != nil {
		return nil, err
	}
	for _, r := range relocations {
		binary.LittleEndian.PutUint64(image[r.at:], m.image.addr+r.value)
	}
	copy(g.mem.bytes(m.image.addr, uint64(len(image))), image)
	m.code = image
	m.keepLines(object)
	return m, nil
}

// Unload frees the module's image. Its kernels must not be used afterwards.
func (m *Module) Unload() error {
	if m.image == nil {
		return errorf(CodeInvalidValue, "unload", "the module is not loaded (unloaded twice?)")
	}
	err := m.gpu.mem.release(m.image.addr, "unload")
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
	names := make([]string, 0, len(m.kernels))
	for n := range m.kernels {
		names = append(names, n)
	}
	sort.Strings(names)
	return names
}

// Global returns the device address and the size in bytes of the variable of that name (__device__ or __constant__).
func (m *Module) Global(name string) (addr, size uint64, err error) {
	s, ok := m.globals[name]
	if !ok || m.image == nil {
		return 0, 0, errorf(CodeNotFound, "global", "the module has no variable %q", name)
	}
	return m.image.addr + s.addr, s.size, nil
}

func badObject(format string, args ...any) error {
	return errorf(CodeInvalidImage, "load", format, args...)
}

// readObject checks an ELF file and lays out its image, of at most limit bytes, at address 0.
func readObject(object []byte, limit uint64) (*Module, []byte, []relocation, error) {
	if len(object) < 64 || string(object[:4]) != elf.ELFMAG {
		return nil, nil, nil, badObject("not a code object: %d bytes that do not begin with an ELF header", len(object))
	}
	f, err := elf.NewFile(bytes.NewReader(object))
	if err != nil {
		return nil, nil, nil, badObject("damaged ELF file of %d bytes: %v", len(object), err)
	}
	flags := binary.LittleEndian.Uint32(object[48:]) // debug/elf drops e_flags
	if err := checkTarget(f, flags); err != nil {
		return nil, nil, nil, err
	}
	m := &Module{kernels: map[string]*Kernel{}, globals: map[string]span{}, functions: map[functionKey]*function{}}
	image, err := m.loadSegments(f, limit)
	if err != nil {
		return nil, nil, nil, err
	}
	m.readSymbols(f, uint64(len(image)))
	if err := m.readKernels(f, image); err != nil {
		return nil, nil, nil, err
	}
	relocations, err := readRelocations(f, uint64(len(image)))
	if err != nil {
		return nil, nil, nil, badObject("%v", err)
	}
	return m, image, relocations, nil
}

func checkTarget(f *elf.File, flags uint32) error {
	if f.Machine != elfMachineAMDGPU || f.OSABI != elfOSABIHSA || f.Class != elf.ELFCLASS64 {
		return errorf(CodeNoBinaryForGPU, "load", "not an AMD GPU code object: %v, %v", f.Machine, f.OSABI)
	}
	if f.ABIVersion < 2 || f.ABIVersion > 4 {
		return errorf(CodeNoBinaryForGPU, "load",
			"code object version %d; versions 4 to 6 are read (clang: -mcode-object-version=5)", int(f.ABIVersion)+2)
	}
	switch mach := flags & 0xff; mach {
	case 0x41, 0x54:
		return nil
	default:
		name := machines[mach]
		if name == "" {
			name = fmt.Sprintf("machine %#x", mach)
		}
		return errorf(CodeNoBinaryForGPU, "load",
			"the code object is for %s, this GPU is a gfx1100 (compile with --offload-arch=gfx1100)", name)
	}
}

func (m *Module) loadSegments(f *elf.File, limit uint64) ([]byte, error) {
	var end uint64
	for _, p := range f.Progs {
		if p.Type != elf.PT_LOAD {
			continue
		}
		if p.Vaddr > limit || p.Memsz > limit-p.Vaddr || p.Filesz > p.Memsz {
			return nil, badObject("segment at %#x of %d bytes is out of range", p.Vaddr, p.Memsz)
		}
		end = max(end, p.Vaddr+p.Memsz)
	}
	if end == 0 {
		return nil, badObject("no loadable segment")
	}
	image := make([]byte, end)
	for _, p := range f.Progs {
		if p.Type != elf.PT_LOAD {
			continue
		}
		if n, err := p.ReadAt(image[p.Vaddr:p.Vaddr+p.Filesz], 0); uint64(n) < p.Filesz {
			return nil, badObject("truncated: the segment at %#x has %d of %d bytes: %v", p.Vaddr, n, p.Filesz, err)
		}
		if p.Flags&elf.PF_X != 0 {
			m.text = span{p.Vaddr, p.Filesz}
		}
	}
	return image, nil
}

// readSymbols collects functions and variables. A stripped object has only dynamic symbols.
func (m *Module) readSymbols(f *elf.File, limit uint64) {
	static, _ := f.Symbols()
	dynamic, _ := f.DynamicSymbols()
	seen := map[uint64]bool{}
	for _, s := range append(dynamic, static...) {
		if s.Section == elf.SHN_UNDEF || s.Value > limit || s.Size > limit-s.Value {
			continue
		}
		switch elf.ST_TYPE(s.Info) {
		case elf.STT_FUNC:
			if !seen[s.Value] {
				seen[s.Value] = true
				m.symbols = append(m.symbols, symbol{s.Name, s.Value, s.Size})
			}
		case elf.STT_OBJECT:
			m.globals[s.Name] = span{s.Value, s.Size}
		}
	}
	sort.Slice(m.symbols, func(i, j int) bool { return m.symbols[i].value < m.symbols[j].value })
}

func (m *Module) readKernels(f *elf.File, image []byte) error {
	note, err := readNote(f)
	if err != nil {
		return badObject("%v", err)
	}
	metas, err := parseMetadata(note)
	if err != nil {
		return badObject("%v", err)
	}
	for _, meta := range metas {
		s, ok := m.globals[meta.symbol]
		if !ok || s.size < descriptorSize || s.addr+descriptorSize > uint64(len(image)) {
			return badObject("kernel %s has no descriptor %s", meta.name, meta.symbol)
		}
		d := parseDescriptor(image[s.addr:])
		entry := uint64(int64(s.addr) + d.entryOffset)
		if entry%4 != 0 || entry < m.text.addr || entry-m.text.addr >= m.text.size {
			return badObject("kernel %s begins at %#x, which is not code", meta.name, entry)
		}
		m.kernels[meta.name] = &Kernel{module: m, meta: meta, desc: d, entry: entry}
		delete(m.globals, meta.symbol)
	}
	return nil
}

// readNote finds the metadata note.
func readNote(f *elf.File) ([]byte, error) {
	le := binary.LittleEndian
	for _, p := range f.Progs {
		if p.Type != elf.PT_NOTE || p.Filesz > imageLimit {
			continue
		}
		b := make([]byte, p.Filesz)
		if n, err := p.ReadAt(b, 0); n < len(b) {
			return nil, fmt.Errorf("truncated notes: %v", err)
		}
		for len(b) >= 12 {
			nameSize, descSize, kind := uint64(le.Uint32(b)), uint64(le.Uint32(b[4:])), le.Uint32(b[8:])
			desc := 12 + (nameSize+3)&^3
			end := desc + descSize
			if end > uint64(len(b)) {
				return nil, fmt.Errorf("a note of %d bytes runs past its segment", descSize)
			}
			if kind == noteAMDGPUMetadata && string(b[12:12+nameSize]) == "AMDGPU\x00" {
				return b[desc:end], nil
			}
			b = b[min(uint64(len(b)), (end+3)&^3):]
		}
	}
	return nil, fmt.Errorf("no AMDGPU metadata note")
}

// Decode decodes the kernel's instructions, which its first launch does otherwise. The error names the first one that
// is not emulated.
func (k *Kernel) Decode() error {
	_, err := k.module.functionAt(k.entry, k.mode())
	return err
}

// mode returns how the kernel's descriptor asks for it to be executed.
func (k *Kernel) mode() mode {
	return mode{flush: k.desc.rsrc1>>denormShift&3 == 0, wide: k.desc.properties&descWave32 == 0}
}

// lanes is how many lanes a wave has.
func (m mode) lanes() int {
	if m.wide {
		return 2 * waveSize
	}
	return waveSize
}
