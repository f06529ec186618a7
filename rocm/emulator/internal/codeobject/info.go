package codeobject

import (
	"debug/elf"
	"encoding/binary"
	"strings"
)

// KernelInfo describes a kernel of a code object: the resources that the compiler has assigned to it.
type KernelInfo struct {
	Name                       string
	VGPRs, SGPRs               int   // registers of a lane, and of a wave
	AGPRs                      int   // accumulation registers of a lane; on gfx90a and gfx942 some of VGPRs
	SpilledVGPRs, SpilledSGPRs int   // registers that are spilled to memory
	LDS                        int   // bytes of shared memory that every block has
	Scratch                    int   // bytes of private memory that every thread has
	Wave                       int   // threads in a wave: 32 or 64
	MaxThreads                 int   // in a block
	Ends                       bool  // its code only ends: it does nothing
	Args                       []Arg // without those that the runtime appends
}

// Arg is an argument of a kernel. Name and Type may be empty.
type Arg struct {
	Name, Type, Kind string // Kind is global_buffer, by_value or another value_kind of the metadata
	Offset, Size     int    // bytes
}

// Infos describes the kernels of a file, of which Describe returned what its metadata says.
func Infos(f *elf.File, list []map[string]any) (kernels []KernelInfo) {
	for _, k := range list {
		field := func(name string) int {
			n, _ := k[name].(uint64)
			return int(min(n, 1<<31))
		}
		info := KernelInfo{
			VGPRs: field(".vgpr_count"), SGPRs: field(".sgpr_count"), AGPRs: field(".agpr_count"),
			SpilledVGPRs: field(".vgpr_spill_count"),
			SpilledSGPRs: field(".sgpr_spill_count"),
			LDS:          field(".group_segment_fixed_size"), Scratch: field(".private_segment_fixed_size"),
			Wave:       field(".wavefront_size"),
			MaxThreads: field(".max_flat_workgroup_size"),
		}
		args, _ := k[".args"].([]any)
		for _, v := range args {
			a, _ := v.(map[string]any)
			size, _ := a[".size"].(uint64)
			offset, _ := a[".offset"].(uint64)
			arg := Arg{Offset: int(min(offset, 1<<31)), Size: int(min(size, 1<<31))}
			arg.Name, _ = a[".name"].(string)
			arg.Type, _ = a[".type_name"].(string)
			if arg.Kind, _ = a[".value_kind"].(string); !strings.HasPrefix(arg.Kind, "hidden_") {
				info.Args = append(info.Args, arg)
			}
		}
		info.Name, _ = k[".name"].(string)
		info.Ends = ends(f, info.Name)
		kernels = append(kernels, info)
	}
	return kernels
}

// ends reports whether the code of a kernel begins with s_endpgm, as GPUs before gfx11 and since then encode it.
func ends(f *elf.File, kernel string) bool {
	symbols, _ := f.DynamicSymbols()
	for _, s := range symbols {
		if s.Name != kernel || elf.ST_TYPE(s.Info) != elf.STT_FUNC || int(s.Section) >= len(f.Sections) {
			continue
		}
		section := f.Sections[s.Section]
		var word [4]byte
		if _, err := section.ReadAt(word[:], int64(s.Value-section.Addr)); err != nil {
			return false
		}
		op := binary.LittleEndian.Uint32(word[:])
		return op == 0xbf810000 || op == 0xbfb00000
	}
	return false
}
