package emulator

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gorocm/gorocm/rocm/emulator/internal/memory"
)

const (
	recordsPerKernel = 2
	recordedBytes    = 16 << 20 // of the memory of a launch
	recordedWork     = 30_000   // wave instructions of a launch
)

// recording writes launches to files, from which another emulator can repeat them. A file has the memory that a launch
// could reach through its arguments, as it was before, and as the launch left it.
type recording struct {
	dir    string
	number map[string]int // of files, by kernel
}

// Record writes the next launches to files in dir: up to two of each kernel, in waves as they are on the GPU, if they
// are short and their memory is small. A file is a zip archive. Its launch.json says what was launched (a recorded);
// before-ADDRESS and after-ADDRESS are the bytes of a piece of memory, the latter only where the launch changed them.
// An empty dir ends the recording.
func (g *GPU) Record(dir string) error {
	g.launching.Lock()
	defer g.launching.Unlock()
	g.recording = nil
	if dir == "" {
		return nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return errorf(CodeInvalidValue, "record", "%v", err)
	}
	g.recording = &recording{dir: dir, number: map[string]int{}}
	return nil
}

// recorded is launch.json. Addresses are those of the emulated device.
type recorded struct {
	Kernel       string
	Arch         string
	Wave         int       // lanes
	Grid, Block  [3]uint32 // workgroups, work-items of a workgroup
	Shared       uint32    // bytes
	Private      uint64    // bytes of a work-item
	RSRC1, RSRC2 uint32    // compute_pgm_rsrc1 and 2 of the kernel descriptor
	Entry        uint64    // the first instruction
	Arguments    uint64    // the kernarg segment
	Packet       uint64    // the dispatch packet
	Scalars      []uint32  // the user's scalar registers, from s0 on
	Instructions uint64    // of all waves
	Memory       []recordedMemory
}

type recordedMemory struct {
	What       string
	Addr, Size uint64
	before     []byte
}

// record notes a launch that has its arguments and has not begun; nil if it is not recorded.
func (l *launch) record() *recorded {
	r := l.gpu.recording
	if r == nil || l.resident || r.number[l.kernel.meta.Name] == recordsPerKernel {
		return nil
	}
	k := l.kernel
	v := new(wave)
	v.initScalars(l, [3]uint32{})
	n := k.desc.RSRC2 >> 1 & 31
	out := &recorded{Kernel: k.meta.Name, Arch: l.gpu.arch, Wave: l.mode.lanes(), Grid: l.grid, Block: l.block,
		Shared: l.lds, Private: l.perLane, RSRC1: k.desc.RSRC1, RSRC2: k.desc.RSRC2,
		Entry: k.module.image.Addr + k.entry, Arguments: l.kernarg, Packet: l.packet, Scalars: v.s[:n]}
	total := uint64(0)
	for _, a := range l.reached() {
		if total += a.Size; total > recordedBytes {
			return nil
		}
		before := bytes.Clone(l.gpu.mem.Bytes(a.Addr, a.Size))
		out.Memory = append(out.Memory, recordedMemory{a.What, a.Addr, a.Size, before})
	}
	return out
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

// save writes a launch that has ended.
func (l *launch) save(r *recorded) error {
	if r.Instructions = l.count.Load(); r.Instructions > recordedWork {
		return nil
	}
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	put := func(name string, data []byte) {
		w, _ := z.Create(name) // writing to memory does not fail
		_, _ = w.Write(data)
	}
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	put("launch.json", text)
	for _, m := range r.Memory {
		put(fmt.Sprintf("before-%x", m.Addr), m.before)
		if after := l.gpu.mem.Bytes(m.Addr, m.Size); !bytes.Equal(after, m.before) {
			put(fmt.Sprintf("after-%x", m.Addr), after)
		}
	}
	_ = z.Close()
	to := l.gpu.recording
	name := fmt.Sprintf("%s-%d.zip", r.Kernel, to.number[r.Kernel])
	to.number[r.Kernel]++
	return os.WriteFile(filepath.Join(to.dir, name), b.Bytes(), 0o644)
}
