package emulator

import (
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorocm/gorocm/rocm/emulator/internal/codeobject"
)

const (
	waveSize       = 32
	maxLDS         = 64 << 10
	ldsGuard       = 16 // bytes behind shared memory that whole words and sets of four may be loaded from
	maxGroup       = 1024
	dynamicStack   = 16 << 10 // private bytes per work-item where the compiler does not know how many
	argumentBuffer = 4096     // bytes; grows for a kernel that takes more
	denormShift    = 16       // in compute_pgm_rsrc1
	scratchLimit   = 1 << 20
	descDispatch   = 1 << 1
	descQueue      = 1 << 2
	descKernarg    = 1 << 3
	descDispatchI  = 1 << 4
	descFlat       = 1 << 5
	descPrivate    = 1 << 6
	descWave32     = 1 << 10
)

// launch is one kernel launch while it runs.
type launch struct {
	gpu         *GPU
	kernel      *Kernel
	fn          *function
	grid, block [3]uint32
	kernarg     uint64 // address
	packet      uint64 // address of the dispatch packet
	lds         uint32
	perLane     uint64 // private bytes of a work-item
	waves       int    // per workgroup
	groups      uint64
	mode        mode
	resident    bool // all workgroups at the same time
	checks      Check
	profile     *Profile  // of this launch; nil without a profile
	begun       time.Time // when the profiled launch began
	profileMu   sync.Mutex

	next    atomic.Uint64 // workgroup to start
	aborted atomic.Bool
	once    sync.Once
	err     *Error
	count   atomic.Uint64 // wave instructions
}

// Launch runs a kernel and returns when it is done. grid counts workgroups, block counts work-items of a workgroup;
// dynamicLDS is added to the kernel's own shared memory. kernarg holds the explicit arguments, packed at their natural
// alignment; hidden arguments are appended. A launch of another goroutine is waited for.
func (g *GPU) Launch(k *Kernel, grid, block [3]uint32, dynamicLDS uint32, kernarg []byte) error {
	return g.launch(k, grid, block, dynamicLDS, kernarg, false)
}

// LaunchCooperative is Launch of workgroups that run at the same time, so that they can wait for one another.
func (g *GPU) LaunchCooperative(k *Kernel, grid, block [3]uint32, dynamicLDS uint32, kernarg []byte) error {
	return g.launch(k, grid, block, dynamicLDS, kernarg, true)
}

func (g *GPU) launch(k *Kernel, grid, block [3]uint32, dynamicLDS uint32, kernarg []byte, resident bool) error {
	if k == nil || k.module.gpu != g || k.module.image == nil {
		return errorf(CodeInvalidValue, "launch", "the kernel's module is not loaded on this GPU")
	}
	l := &launch{gpu: g, kernel: k, grid: grid, block: block, resident: resident}
	if err := l.configure(dynamicLDS, kernarg); err != nil {
		return err
	}
	g.begin()
	g.launching.Lock()
	defer g.launching.Unlock()
	defer g.end()
	if g.closed {
		return l.errorf(CodeInvalidValue, "the GPU is closed")
	}
	if err := l.arguments(kernarg, dynamicLDS); err != nil {
		return err
	}
	l.observe()
	record := l.record()
	l.execute()
	l.observed()
	g.executed.Add(l.count.Load())
	failed := l.messages()
	if l.err != nil {
		if failed != "" && l.err.trapped {
			l.err.Message = failed + strings.TrimPrefix(l.err.Message, trapMessage)
		}
		return l.err
	}
	if record != nil {
		record.Instructions = l.count.Load()
		if err := g.recording.Save(record, g.mem); err != nil {
			return l.errorf(CodeInvalidValue, "recording: %v", err)
		}
	}
	return nil
}

func (l *launch) errorf(code int, format string, args ...any) *Error {
	e := errorf(code, "launch", format, args...)
	e.Kernel = l.kernel.meta.Name
	return e
}

// configure checks the shape of a launch and decodes the kernel.
func (l *launch) configure(dynamicLDS uint32, kernarg []byte) error {
	meta, desc := &l.kernel.meta, &l.kernel.desc
	threads, groups := uint64(1), uint64(1)
	for i := range 3 {
		if l.grid[i] == 0 || l.block[i] == 0 {
			return l.errorf(CodeInvalidConfiguration, "a grid of %v blocks of %v threads is empty", l.grid, l.block)
		}
		if uint64(l.grid[i])*uint64(l.block[i]) > 1<<32-1 {
			return l.errorf(CodeInvalidConfiguration,
				"a grid of %v blocks of %v threads has more than 2^32-1 threads in a dimension", l.grid, l.block)
		}
		if i > 0 && l.kernel.module.gfx12 && l.grid[i] > 1<<16 {
			return l.errorf(CodeInvalidConfiguration, "a grid of %v blocks has more than 65536 in its second or third dimension", l.grid)
		}
		threads *= uint64(l.block[i])
		groups *= uint64(l.grid[i])
		if threads > maxGroup || groups > 1<<48 {
			return l.errorf(CodeInvalidConfiguration,
				"a grid of %v blocks of %v threads is too large; a block has at most %d threads", l.grid, l.block,
				maxGroup)
		}
	}
	if threads > meta.MaxThreads {
		return l.errorf(CodeInvalidConfiguration,
			"a block of %v has %d threads; the kernel was compiled for at most %d", l.block, threads, meta.MaxThreads)
	}
	if meta.Reqd != [3]uint32{} && meta.Reqd != l.block {
		return l.errorf(CodeInvalidConfiguration, "a block of %v; the kernel requires %v", l.block, meta.Reqd)
	}
	if lds := uint64(desc.GroupSegment) + uint64(dynamicLDS); lds > maxLDS {
		return l.errorf(CodeInvalidConfiguration,
			"%d bytes of shared memory (%d of them dynamic); a block has at most %d", lds, dynamicLDS, maxLDS)
	}
	if n := uint64(len(kernarg)); n < meta.Explicit || n > max(meta.KernargSize, (meta.Explicit+15)&^15) {
		return l.errorf(CodeInvalidValue, "%d bytes of arguments; the kernel takes %d", n, meta.Explicit)
	}
	l.lds = desc.GroupSegment + dynamicLDS
	l.perLane = uint64(desc.PrivateSegment)
	if meta.DynamicStack || desc.Properties&(1<<11) != 0 {
		l.perLane += dynamicStack
	}
	if l.perLane > scratchLimit {
		return l.errorf(CodeInvalidConfiguration, "%d bytes of private memory for each work-item; at most %d",
			l.perLane, scratchLimit)
	}
	l.perLane = (l.perLane + 15) &^ 15
	l.groups = groups
	l.mode = l.kernel.mode()
	l.waves = (int(threads) + l.mode.lanes() - 1) / l.mode.lanes()
	var err error
	if l.fn, err = l.kernel.module.functionAt(l.kernel.entry, l.mode); err != nil {
		return err
	}
	return nil
}

// arguments puts the kernarg segment and the dispatch packet into device memory, into a buffer that launches share.
func (l *launch) arguments(explicit []byte, dynamicLDS uint32) error {
	g := l.gpu
	size := (max(l.kernel.meta.KernargSize, uint64(l.kernel.desc.KernargSize), uint64(len(explicit))) + 63) &^ 63
	if g.args.Size < size+codeobject.PacketSize {
		larger, err := g.mem.Alloc(size+codeobject.PacketSize, "kernel argument buffer")
		if err != nil {
			return memoryError("launch", err)
		}
		_ = g.mem.Release(g.args.Addr) // cannot fail: it is live
		g.args = larger
	}
	b := g.mem.Bytes(g.args.Addr, size+codeobject.PacketSize)
	clear(b)
	copy(b, explicit)
	l.kernarg, l.packet = g.args.Addr, g.args.Addr+size
	for _, h := range l.kernel.meta.Hidden {
		codeobject.PutUint(b[h.Offset:h.Offset+h.Size], l.hidden(h.Kind, dynamicLDS))
	}
	packet := codeobject.Packet{Dims: l.dims(), Grid: l.grid, Block: l.block, Private: uint32(l.perLane), Shared: l.lds,
		Arguments: l.kernarg}
	packet.Put(b[size:])
	return nil
}

// hidden returns the value of a hidden argument; those that serve features of the HIP runtime (printf, hostcall,
// device-side queues, multi-grid sync) are null.
func (l *launch) hidden(kind string, dynamicLDS uint32) uint64 {
	switch kind {
	case "hidden_block_count_x":
		return uint64(l.grid[0])
	case "hidden_block_count_y":
		return uint64(l.grid[1])
	case "hidden_block_count_z":
		return uint64(l.grid[2])
	case "hidden_group_size_x":
		return uint64(l.block[0])
	case "hidden_group_size_y":
		return uint64(l.block[1])
	case "hidden_group_size_z":
		return uint64(l.block[2])
	case "hidden_grid_dims":
		return uint64(l.dims())
	case "hidden_private_base":
		return privateAperture >> 32
	case "hidden_shared_base":
		return sharedAperture >> 32
	case "hidden_dynamic_lds_size":
		return uint64(dynamicLDS)
	}
	return 0 // remainders and global offsets are 0 in HIP
}

func (l *launch) dims() uint32 {
	switch {
	case l.grid[2]*l.block[2] > 1:
		return 3
	case l.grid[1]*l.block[1] > 1:
		return 2
	}
	return 1
}

// execute runs all workgroups on the workers.
func (l *launch) execute() {
	g := l.gpu
	n := int(min(uint64(g.workers), l.groups))
	if l.resident {
		n = int(l.groups)
	} else if l.checks != 0 {
		n = 1 // so that a block can be compared with those before it
	}
	for len(g.pool) < n {
		g.pool = append(g.pool, new(worker))
	}
	if n == 1 {
		g.pool[0].work(l)
		return
	}
	var wg sync.WaitGroup
	for _, w := range g.pool[:n] {
		wg.Go(func() { w.work(l) })
	}
	wg.Wait()
}

// fail records the first error and stops the launch.
func (l *launch) fail(e *Error) {
	l.once.Do(func() { l.err = e })
	l.aborted.Store(true)
}
