// Package codeobject reads AMD code objects: the ELF files that clang and hiprtc make of kernels, and the bundles that
// clang puts several of them into.
//
//	object.go      what a file has: its image, its functions, variables and kernels
//	metadata.go    what its metadata says of kernels (msgpack.go decodes it)
//	reloc.go       the addresses that loading adds to the image
//	bundle.go      bundles
//	lines.go       which lines of source instructions come from
package codeobject

import (
	"bytes"
	"cmp"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"sort"
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
	0x043: "gfx1150", 0x04a: "gfx1151", 0x048: "gfx1200", 0x04e: "gfx1201", 0x054: "gfx11-generic", genericGFX12: "gfx12-generic",
}

// Descriptor is the kernel descriptor that a code object has for each kernel, 64 bytes, named NAME.kd.
type Descriptor struct {
	GroupSegment, PrivateSegment, KernargSize uint32
	EntryOffset                               int64 // from the descriptor to the first instruction
	RSRC1, RSRC2, RSRC3                       uint32
	Properties                                uint16
}

func parseDescriptor(b []byte) Descriptor {
	le := binary.LittleEndian
	return Descriptor{
		GroupSegment: le.Uint32(b), PrivateSegment: le.Uint32(b[4:]), KernargSize: le.Uint32(b[8:]),
		EntryOffset: int64(le.Uint64(b[16:])), RSRC3: le.Uint32(b[44:]), RSRC1: le.Uint32(b[48:]),
		RSRC2:      le.Uint32(b[52:]),
		Properties: le.Uint16(b[56:]),
	}
}

// Error says why a file is not read.
type Error struct {
	OtherGPU bool // the file is for a GPU that is not wanted; otherwise it is damaged, or no code object
	Message  string
}

func (e *Error) Error() string { return e.Message }

func damaged(format string, args ...any) error { return &Error{Message: fmt.Sprintf(format, args...)} }

func otherGPU(format string, args ...any) error {
	return &Error{OtherGPU: true, Message: fmt.Sprintf(format, args...)}
}

// Span is a range of addresses.
type Span struct{ Addr, Size uint64 }

// Symbol is a function.
type Symbol struct {
	Name        string
	Value, Size uint64
}

// Kernel is what a file says of a kernel.
type Kernel struct {
	Metadata
	Descriptor
	Entry uint64 // the address of its first instruction
}

// genericGFX12 is the value of EF_AMDGPU_MACH for gfx1200 and gfx1201.
const genericGFX12 = 0x059

// targets are the values of EF_AMDGPU_MACH whose code the GPUs run that can be emulated.
var targets = map[uint32]string{
	0x041: "gfx1100", 0x054: "gfx1100", 0x04c: "gfx942", 0x05f: "gfx942", 0x048: "gfx1200", 0x04e: "gfx1201",
	genericGFX12: "gfx1200",
}

// Object is what a file has. Addresses are relative to its image.
type Object struct {
	Arch        string // of the GPU that runs it: gfx1100, gfx1200, gfx1201 or gfx942
	Image       []byte
	Text        Span     // the executable segment
	Functions   []Symbol // by address
	Globals     map[string]Span
	Kernels     []Kernel
	Relocations []Relocation
}

// Read checks an ELF file for a GPU, gfx1100, gfx1200, gfx1201 or gfx942, or for any of them if arch is empty, and lays
// out its image, of at most limit bytes, at address 0.
func Read(object []byte, arch string, limit uint64) (*Object, error) {
	if len(object) < 64 || string(object[:4]) != elf.ELFMAG {
		return nil, damaged("not a code object: %d bytes that do not begin with an ELF header", len(object))
	}
	f, err := elf.NewFile(bytes.NewReader(object))
	if err != nil {
		return nil, damaged("damaged ELF file of %d bytes: %v", len(object), err)
	}
	flags := binary.LittleEndian.Uint32(object[48:]) // debug/elf drops e_flags
	if arch, err = checkTarget(f, flags, arch); err != nil {
		return nil, err
	}
	o := &Object{Arch: arch, Globals: map[string]Span{}}
	if err := o.loadSegments(f, min(limit, imageLimit)); err != nil {
		return nil, err
	}
	o.readSymbols(f)
	if err := o.readKernels(f); err != nil {
		return nil, err
	}
	if o.Relocations, err = readRelocations(f, uint64(len(o.Image))); err != nil {
		return nil, damaged("%v", err)
	}
	return o, nil
}

// Modes in e_flags that an MI300X is not in: one that restarts accesses after page faults, and one without correction
// of errors in memory.
const (
	maskXNACK, xnackOn      = 3 << 8, 3 << 8
	maskSRAMECC, sramECCOff = 3 << 10, 2 << 10
)

// checkTarget returns the GPU that a file is for.
func checkTarget(f *elf.File, flags uint32, arch string) (string, error) {
	if f.Machine != elfMachineAMDGPU || f.OSABI != elfOSABIHSA || f.Class != elf.ELFCLASS64 {
		return "", otherGPU("not an AMD GPU code object: %v, %v", f.Machine, f.OSABI)
	}
	if f.ABIVersion < 2 || f.ABIVersion > 4 {
		return "", otherGPU("code object version %d; versions 4 to 6 are read (clang: -mcode-object-version=5)", int(f.ABIVersion)+2)
	}
	target := targets[flags&0xff]
	if flags&0xff == genericGFX12 && arch == "gfx1201" {
		target = arch
	}
	if target == "" || arch != "" && arch != target {
		name := machines[flags&0xff]
		if name == "" {
			name = fmt.Sprintf("machine %#x", flags&0xff)
		}
		arch = cmp.Or(arch, "gfx1100")
		return "", otherGPU("the code object is for %s, this GPU is a %s (compile with --offload-arch=%s)", name, arch, arch)
	}
	if target == "gfx942" && (flags&maskXNACK == xnackOn || flags&maskSRAMECC == sramECCOff) {
		return "", otherGPU("the code object is for a gfx942 in another mode, this GPU is gfx942:sramecc+:xnack- (flags %#x)", flags)
	}
	return target, nil
}

func (o *Object) loadSegments(f *elf.File, limit uint64) error {
	var end uint64
	for _, p := range f.Progs {
		if p.Type != elf.PT_LOAD {
			continue
		}
		if p.Vaddr > limit || p.Memsz > limit-p.Vaddr || p.Filesz > p.Memsz {
			return damaged("segment at %#x of %d bytes is out of range", p.Vaddr, p.Memsz)
		}
		end = max(end, p.Vaddr+p.Memsz)
	}
	if end == 0 {
		return damaged("no loadable segment")
	}
	o.Image = make([]byte, end)
	for _, p := range f.Progs {
		if p.Type != elf.PT_LOAD {
			continue
		}
		if n, err := p.ReadAt(o.Image[p.Vaddr:p.Vaddr+p.Filesz], 0); uint64(n) < p.Filesz {
			return damaged("truncated: the segment at %#x has %d of %d bytes: %v", p.Vaddr, n, p.Filesz, err)
		}
		if p.Flags&elf.PF_X != 0 {
			o.Text = Span{p.Vaddr, p.Filesz}
		}
	}
	return nil
}

// readSymbols collects functions and variables. A stripped object has only dynamic symbols.
func (o *Object) readSymbols(f *elf.File) {
	limit := uint64(len(o.Image))
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
				o.Functions = append(o.Functions, Symbol{s.Name, s.Value, s.Size})
			}
		case elf.STT_OBJECT:
			o.Globals[s.Name] = Span{s.Value, s.Size}
		}
	}
	sort.Slice(o.Functions, func(i, j int) bool { return o.Functions[i].Value < o.Functions[j].Value })
}

func (o *Object) readKernels(f *elf.File) error {
	list, err := readMetadata(f)
	if err != nil {
		return damaged("%v", err)
	}
	for _, fields := range list {
		meta, err := parseKernel(fields)
		if err != nil {
			return damaged("%v", err)
		}
		s, ok := o.Globals[meta.Symbol]
		if !ok || s.Size < descriptorSize || s.Addr+descriptorSize > uint64(len(o.Image)) {
			return damaged("kernel %s has no descriptor %s", meta.Name, meta.Symbol)
		}
		d := parseDescriptor(o.Image[s.Addr:])
		entry := uint64(int64(s.Addr) + d.EntryOffset)
		if entry%4 != 0 || entry < o.Text.Addr || entry-o.Text.Addr >= o.Text.Size {
			return damaged("kernel %s begins at %#x, which is not code", meta.Name, entry)
		}
		o.Kernels = append(o.Kernels, Kernel{meta, d, entry})
		delete(o.Globals, meta.Symbol)
	}
	return nil
}
