// Package recording writes kernel launches to files, from which another emulator can repeat them. A file is a zip
// archive: launch.json is a Launch, and before-ADDRESS and after-ADDRESS are the bytes of a piece of memory, the latter
// only where the launch changed them.
package recording

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gorocm/gorocm/rocm/emulator/internal/memory"
)

const (
	perKernel  = 2
	mostBytes  = 16 << 20 // of the memory of a launch
	mostWork   = 30_000   // wave instructions of a launch
	launchFile = "launch.json"
)

// Launch is what was launched. Addresses are those of the emulated device.
type Launch struct {
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
	Memory       []Memory  // what the launch could reach
}

// Memory is an allocation.
type Memory struct {
	What       string
	Addr, Size uint64
	before     []byte
}

// Folder has the files: those of short launches whose memory is small, up to two of each kernel.
type Folder struct {
	dir    string
	number map[string]int // of files, by kernel
}

// Open makes a folder where there is none.
func Open(dir string) (*Folder, error) {
	return &Folder{dir, map[string]int{}}, os.MkdirAll(dir, 0o755)
}

// Wants reports whether a launch of a kernel is to be recorded.
func (f *Folder) Wants(kernel string) bool { return f != nil && f.number[kernel] < perKernel }

// Begin notes the memory that a launch can reach, before it runs. It reports whether that is little enough.
func (l *Launch) Begin(mem *memory.Memory, reached []*memory.Allocation) bool {
	total := uint64(0)
	for _, a := range reached {
		if total += a.Size; total > mostBytes {
			return false
		}
		l.Memory = append(l.Memory, Memory{a.What, a.Addr, a.Size, bytes.Clone(mem.Bytes(a.Addr, a.Size))})
	}
	return true
}

// Save writes a launch that has ended, unless it was long.
func (f *Folder) Save(l *Launch, mem *memory.Memory) error {
	if l.Instructions > mostWork {
		return nil
	}
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	put := func(name string, data []byte) {
		w, _ := z.Create(name) // writing to memory does not fail
		_, _ = w.Write(data)
	}
	text, err := json.Marshal(l)
	if err != nil {
		return err
	}
	put(launchFile, text)
	for _, m := range l.Memory {
		put(fmt.Sprintf("before-%x", m.Addr), m.before)
		if after := mem.Bytes(m.Addr, m.Size); !bytes.Equal(after, m.before) {
			put(fmt.Sprintf("after-%x", m.Addr), after)
		}
	}
	_ = z.Close()
	name := fmt.Sprintf("%s-%d.zip", l.Kernel, f.number[l.Kernel])
	f.number[l.Kernel]++
	return os.WriteFile(filepath.Join(f.dir, name), b.Bytes(), 0o644)
}
