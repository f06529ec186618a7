package emulator

import (
	"encoding/binary"

	"github.com/gorocm/gorocm/rocm/emulator/internal/memory"
	"github.com/gorocm/gorocm/rocm/emulator/internal/recording"
)

// Record writes the next launches to files in dir, for another emulator: up to two of each kernel, if they are short
// and their memory is small. Package recording has their form. An empty dir ends it.
func (g *GPU) Record(dir string) (err error) {
	g.launching.Lock()
	defer g.launching.Unlock()
	if g.recording = nil; dir == "" {
		return nil
	}
	if g.recording, err = recording.Open(dir); err != nil {
		return errorf(CodeInvalidValue, "record", "%v", err)
	}
	return nil
}

// record notes a launch that has its arguments and has not begun; nil if it is not recorded.
func (l *launch) record() *recording.Launch {
	k := l.kernel
	if l.resident || !l.gpu.recording.Wants(k.meta.Name) {
		return nil
	}
	v := new(wave)
	v.initScalars(l, [3]uint32{})
	r := &recording.Launch{Kernel: k.meta.Name, Arch: l.gpu.arch, Wave: l.mode.lanes(), Grid: l.grid, Block: l.block,
		Shared: l.lds, Private: l.perLane, RSRC1: k.desc.RSRC1, RSRC2: k.desc.RSRC2,
		Entry: k.module.image.Addr + k.entry, Arguments: l.kernarg, Packet: l.packet,
		Scalars: v.s[:k.desc.RSRC2>>1&31]}
	if !r.Begin(l.gpu.mem, l.reached()) {
		return nil
	}
	return r
}

// reached returns the code, the arguments and the allocations that an argument, or a field of one, points to.
func (l *launch) reached() []*memory.Allocation {
	mem := l.gpu.mem
	found := []*memory.Allocation{l.kernel.module.image, l.gpu.args}
	seen := map[*memory.Allocation]bool{found[0]: true, found[1]: true}
	args := mem.Bytes(l.kernarg, l.packet-l.kernarg)
	for i := 0; i+8 <= len(args); i += 8 {
		if a := mem.Find(binary.LittleEndian.Uint64(args[i:])); a != nil && !seen[a] {
			seen[a] = true
			found = append(found, a)
		}
	}
	return found
}
