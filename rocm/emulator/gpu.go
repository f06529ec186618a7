package emulator

import (
	"encoding/binary"
	"io"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/gorocm/gorocm/rocm/emulator/internal/memory"
	"github.com/gorocm/gorocm/rocm/emulator/internal/recording"
)

const (
	// DefaultMemory is the size of device memory in bytes when Config.Memory is 0.
	DefaultMemory = memory.DefaultSize
	// Poison fills new device memory, word by word. As a float it is a NaN, as an integer a large negative number.
	Poison = memory.Poison
)

// Config describes the GPU that New makes.
type Config struct {
	// Arch is GFX1100, GFX1200, GFX1201 or GFX942; empty means GFX1100.
	Arch string
	// Memory is the size of device memory in bytes; 0 means DefaultMemory. It is address space: the host commits
	// what is used.
	Memory uint64
	// Workers is the number of goroutines that execute workgroups; 0 means GOMAXPROCS.
	Workers int
	// Checks are what launches check besides the bounds of accesses; see GPU.SetChecks.
	Checks Check
	// Output is where kernels print; nil means os.Stdout.
	Output io.Writer
}

// GPU is an emulated GPU with its memory. Its methods may be called from several goroutines; launches run
// one after the other. Free and the copies do not wait for a launch that is running: callers order them.
type GPU struct {
	arch    string
	mem     *memory.Memory
	workers int
	output  io.Writer

	launching sync.Mutex  // held while a kernel runs
	stop      atomic.Bool // the running launch must end

	mu       sync.Mutex
	pending  int           // launches that run or wait; guarded by mu, as are changes of stop
	executed atomic.Uint64 // wave instructions, over all launches
	pool     []*worker
	args     *memory.Allocation // kernel arguments and dispatch packet of the launch that runs
	closed   bool

	recording *recording.Folder // nil when launches are not recorded; guarded by launching

	checks   atomic.Uint32       // a Check
	profiles map[string]*Profile // by kernel; nil when not profiling; guarded by mu
}

// New makes a GPU. The error says why device memory could not be reserved.
func New(c Config) (*GPU, error) {
	if binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
		return nil, errorf(CodeInvalidValue, "new", "the host is big-endian; only little-endian hosts are supported")
	}
	if c.Arch == "" {
		c.Arch = GFX1100
	}
	start := uint64(memory.Base)
	switch c.Arch {
	case GFX1100, GFX942:
	case GFX1200, GFX1201:
		start = memory.LowBase
	default:
		return nil, errorf(CodeInvalidValue, "new", "%q: a %s, %s, %s or %s can be emulated", c.Arch, GFX1100, GFX1200,
			GFX1201, GFX942)
	}
	if c.Memory == 0 {
		c.Memory = DefaultMemory
	}
	if c.Workers <= 0 {
		c.Workers = runtime.GOMAXPROCS(0)
	}
	mem, err := memory.New((c.Memory+0xffff)&^0xffff, start)
	if err != nil {
		return nil, memoryError("new", err)
	}
	args, err := mem.Alloc(argumentBuffer, "kernel argument buffer")
	if err != nil {
		return nil, memoryError("new", err)
	}
	g := &GPU{arch: c.Arch, mem: mem, workers: c.Workers, args: args, output: c.Output}
	g.SetChecks(c.Checks)
	return g, nil
}

// Arch returns GFX1100, GFX1200, GFX1201 or GFX942.
func (g *GPU) Arch() string { return g.arch }

// Close gives device memory back to the host. Nothing may use the GPU, its modules or its memory afterwards.
func (g *GPU) Close() error {
	g.Interrupt()
	g.launching.Lock()
	defer g.launching.Unlock()
	if g.closed {
		return nil
	}
	g.closed = true
	return g.mem.Close()
}

// Malloc returns the address of n new bytes, aligned to 256, filled with Poison. Malloc(0) returns 0.
func (g *GPU) Malloc(n uint64) (uint64, error) {
	if n == 0 {
		return 0, nil
	}
	a, err := g.mem.Alloc(n, "buffer")
	if err != nil {
		return 0, memoryError("malloc", err)
	}
	return a.Addr, nil
}

// Free ends the allocation at addr, which must be a result of Malloc that has not been freed. Free(0) does nothing.
func (g *GPU) Free(addr uint64) error {
	if addr == 0 {
		return nil
	}
	return memoryError("free", g.mem.Release(addr))
}

// Write copies src to device memory at dst.
func (g *GPU) Write(dst uint64, src []byte) error {
	n := uint64(len(src))
	if err := memoryError("write", g.mem.Check(dst, n)); err != nil || n == 0 {
		return err
	}
	copy(g.mem.Bytes(dst, n), src)
	return nil
}

// Read copies device memory at src to dst.
func (g *GPU) Read(dst []byte, src uint64) error {
	n := uint64(len(dst))
	if err := memoryError("read", g.mem.Check(src, n)); err != nil || n == 0 {
		return err
	}
	copy(dst, g.mem.Bytes(src, n))
	return nil
}

// Copy copies n bytes of device memory from src to dst; the two may overlap.
func (g *GPU) Copy(dst, src, n uint64) error {
	if err := memoryError("copy to", g.mem.Check(dst, n)); err != nil {
		return err
	}
	if err := memoryError("copy from", g.mem.Check(src, n)); err != nil || n == 0 {
		return err
	}
	copy(g.mem.Bytes(dst, n), g.mem.Bytes(src, n))
	return nil
}

// Set fills n bytes of device memory at dst with value.
func (g *GPU) Set(dst uint64, value byte, n uint64) error {
	if err := memoryError("set", g.mem.Check(dst, n)); err != nil || n == 0 {
		return err
	}
	b := g.mem.Bytes(dst, n)
	b[0] = value
	for done := uint64(1); done < n; {
		done += uint64(copy(b[done:], b[:done]))
	}
	return nil
}

// MemInfo returns the bytes of device memory that are free and that exist.
func (g *GPU) MemInfo() (free, total uint64) {
	return g.mem.Free(), g.mem.Total()
}

// Interrupt makes the launch that is running return soon, with an *Error whose Interrupted is set. What the kernel has
// written stays. It does nothing when no launch has begun.
func (g *GPU) Interrupt() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.pending > 0 {
		g.stop.Store(true)
	}
}

// begin and end bracket a launch, so that an interrupt that comes in between is not lost and one that comes later
// does not end the next launch.
func (g *GPU) begin() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.pending++
}

func (g *GPU) end() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.pending--
	g.stop.Store(false)
}
