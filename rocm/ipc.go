package rocm

import (
	"encoding"
	"encoding/base64"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// SharedMemory names memory of a GPU for other processes, which OpenShared maps into theirs. It can be sent as text, or
// in JSON and gob. It is valid as long as the process that has made it keeps the buffer.
type SharedMemory struct {
	handle        [driver.IPCHandleSize]byte // of the driver, for the allocation
	offset, bytes int
	platform      Platform
}

var (
	_ encoding.TextMarshaler   = SharedMemory{}
	_ encoding.TextUnmarshaler = (*SharedMemory)(nil)
)

// Share returns the name of the buffer's memory for other processes on this machine, by hipIpcGetMemHandle or
// cuIpcGetMemHandle. The buffer must stay alive, and is not freed, while others use it: they would read and write what
// comes after it. Work on it in several processes has no order but that of messages between them: Synchronize before
// one is sent. The error has the kind ErrUnsupported on an emulated device, whose memory belongs to its process, and
// ErrInvalid for memory of a graph or of a variable of a module.
func (b *Buffer) Share() (SharedMemory, error) {
	const op = "share memory"
	d := b.device
	if err := b.check(op, 0, b.n); err != nil {
		return SharedMemory{}, err
	}
	if b.block.slab == nil || b.holder != nil {
		return SharedMemory{}, invalid(op, "it is empty, or memory of a graph, of a module's variable, or of another "+
			"process: copy it to a buffer of Alloc")
	}
	if d.Emulated() {
		return SharedMemory{}, &Error{Op: op, Text: "the memory of an emulated device belongs to its process",
			Kind: ErrUnsupported}
	}
	if d.drv.IPCGet == nil {
		return SharedMemory{}, lacks(d, op, "IPCGet")
	}
	defer runtime.KeepAlive(b)
	base := b.block.slab.ptr
	s := SharedMemory{offset: int(b.Ptr() - base), bytes: b.n, platform: d.info.Platform}
	err := d.call("IPCGet", func() driver.Code { return d.drv.IPCGet(&s.handle, base) })
	return s, err
}

// Bytes returns the size of the memory.
func (s SharedMemory) Bytes() int { return s.bytes }

// MarshalText returns the name as text.
func (s SharedMemory) MarshalText() ([]byte, error) {
	return fmt.Appendf(nil, "%s:%d:%d:%s", s.platform, s.offset, s.bytes,
		base64.StdEncoding.EncodeToString(s.handle[:])), nil
}

// UnmarshalText reads what MarshalText has written.
func (s *SharedMemory) UnmarshalText(text []byte) error {
	wrong := func() error {
		return invalid("read shared memory", "%.80q is not what MarshalText of a SharedMemory writes", text)
	}
	parts := strings.Split(string(text), ":")
	if len(parts) != 4 || parts[0] != string(HIP) && parts[0] != string(CUDA) {
		return wrong()
	}
	offset, err1 := strconv.ParseUint(parts[1], 10, 48)
	bytes, err2 := strconv.ParseUint(parts[2], 10, 48)
	handle, err3 := base64.StdEncoding.DecodeString(parts[3])
	if err1 != nil || err2 != nil || err3 != nil || len(handle) != len(s.handle) {
		return wrong()
	}
	*s = SharedMemory{offset: int(offset), bytes: int(bytes), platform: Platform(parts[0])}
	copy(s.handle[:], handle)
	return nil
}

// SharedBuffer is memory of another process.
type SharedBuffer struct {
	*Buffer
	base   uintptr
	closed atomic.Bool
}

// OpenShared maps memory that another process has shared, on a device: the one given, or else the one that is open. It
// must be the same GPU, or one that reaches its memory. Close ends the mapping. The process that has shared it cannot
// open it itself: it has the buffer.
func OpenShared(s SharedMemory, on ...*Device) (*SharedBuffer, error) {
	const op = "open shared memory"
	d, err := deviceFor(op, on)
	if err != nil {
		return nil, err
	}
	if d.info.Platform != s.platform {
		return nil, invalid(op, "it is memory of a GPU of %s, and %v is one of %s", s.platform, d, d.info.Platform)
	}
	if d.drv.IPCOpen == nil || d.drv.IPCClose == nil {
		return nil, lacks(d, op, "IPCOpen")
	}
	var base uintptr
	known := true
	err = d.call("IPCOpen", func() (c driver.Code) {
		c, known = d.drv.OpenMemory(&base, &s.handle)
		return c
	})
	if !known {
		return nil, &Error{Op: op, Text: "cannot be called on " + runtime.GOARCH, Kind: ErrUnsupported}
	}
	if err != nil {
		return nil, err
	}
	b := &Buffer{device: d, n: s.bytes, block: &block{ptr: base + uintptr(s.offset)}, holder: new(Buffer)}
	return &SharedBuffer{Buffer: b, base: base}, nil
}

// Close waits for the device and ends the mapping. The buffer cannot be used afterwards. Close may be called more than
// once.
func (s *SharedBuffer) Close() error {
	if s.closed.Swap(true) {
		return nil
	}
	s.holder.isFreed.Store(true)
	d := s.device
	if err := d.Synchronize(); err != nil {
		return err
	}
	return d.call("IPCClose", func() driver.Code { return d.drv.IPCClose(s.base) })
}
