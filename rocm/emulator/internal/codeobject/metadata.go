package codeobject

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
)

// Metadata is what the metadata of a code object says about one kernel.
type Metadata struct {
	Name, Symbol string
	Explicit     uint64 // bytes of explicit arguments: where the caller's buffer ends at most
	Hidden       []HiddenArg
	KernargSize  uint64
	MaxThreads   uint64 // per workgroup
	Reqd         [3]uint32
	DynamicStack bool
}

// HiddenArg is an argument that the runtime appends: launch geometry and the like.
type HiddenArg struct {
	Kind         string
	Offset, Size uint64
}

// readMetadata reads the NT_AMDGPU_METADATA note of a file: a map for each kernel.
func readMetadata(f *elf.File) ([]map[string]any, error) {
	note, err := readNote(f)
	if err != nil {
		return nil, err
	}
	v, err := decodeMsgpack(note)
	if err != nil {
		return nil, err
	}
	root, ok := v.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("metadata is not a map")
	}
	list, _ := root["amdhsa.kernels"].([]any)
	kernels := make([]map[string]any, 0, len(list))
	for i, v := range list {
		k, ok := v.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("metadata of kernel %d is not a map", i)
		}
		kernels = append(kernels, k)
	}
	return kernels, nil
}

func parseKernel(k map[string]any) (Metadata, error) {
	m := Metadata{MaxThreads: 1024}
	m.Name, _ = k[".name"].(string)
	m.Symbol, _ = k[".symbol"].(string)
	if m.Name == "" || m.Symbol == "" {
		return m, fmt.Errorf("metadata: a kernel without .name or .symbol")
	}
	m.KernargSize, _ = k[".kernarg_segment_size"].(uint64)
	if m.KernargSize > 64<<10 {
		return m, fmt.Errorf("metadata: kernel %s has a kernarg segment of %d bytes", m.Name, m.KernargSize)
	}
	if n, ok := k[".max_flat_workgroup_size"].(uint64); ok && n > 0 {
		m.MaxThreads = n
	}
	m.DynamicStack, _ = k[".uses_dynamic_stack"].(bool)
	if r, ok := k[".reqd_workgroup_size"].([]any); ok && len(r) == 3 {
		for i := range r {
			n, _ := r[i].(uint64)
			m.Reqd[i] = uint32(n)
		}
	}
	args, _ := k[".args"].([]any)
	for i, v := range args {
		a, _ := v.(map[string]any)
		kind, _ := a[".value_kind"].(string)
		offset, _ := a[".offset"].(uint64)
		size, _ := a[".size"].(uint64)
		if kind == "" || offset > m.KernargSize || size > m.KernargSize-offset {
			return m, fmt.Errorf("metadata: kernel %s: argument %d (%q, offset %d, %d bytes) does not fit a kernarg segment of %d bytes",
				m.Name, i, kind, offset, size, m.KernargSize)
		}
		if len(kind) > 7 && kind[:7] == "hidden_" {
			m.Hidden = append(m.Hidden, HiddenArg{kind, offset, size})
		} else {
			m.Explicit = max(m.Explicit, offset+size)
		}
	}
	return m, nil
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

// Describe returns what a code object for any GPU says of its kernels, and the name of the GPU if it is a known one.
func Describe(object []byte) (f *elf.File, arch string, kernels []map[string]any, err error) {
	f, err = elf.NewFile(bytes.NewReader(object))
	if err != nil || f.Machine != elfMachineAMDGPU {
		return nil, "", nil, damaged("not an AMD code object")
	}
	arch = machines[binary.LittleEndian.Uint32(object[48:])&0xff]
	if kernels, err = readMetadata(f); err != nil {
		return f, arch, nil, damaged("%v", err)
	}
	return f, arch, kernels, nil
}
