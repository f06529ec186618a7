package rocm

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// fake is a driver in Go: it keeps device memory in maps, records every call, and fails when told to.
type fake struct {
	mu       sync.Mutex
	calls    []string
	memory   map[uintptr][]byte
	next     uintptr
	capacity int
	used     int
	fail     map[string]driver.Code // field of the driver table to the code it gives from now on
	launched []byte                 // the packed arguments of the last launch
	peers    [2]uintptr             // devices of the last peer copy
	real     bool                   // addresses are those of the host's memory, for libraries in C
	platform Platform
	streams  uintptr // made so far
}

func newFake(capacity int) *fake {
	return &fake{memory: map[uintptr][]byte{}, next: 0x1000, capacity: capacity, fail: map[string]driver.Code{}, platform: HIP}
}

// call records a call; it returns the code that the test wants.
func (f *fake) call(field, format string, args ...any) driver.Code {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls = append(f.calls, strings.TrimSpace(field+" "+fmt.Sprintf(format, args...)))
	return f.fail[field]
}

// bytes finds the n bytes of device memory at p.
func (f *fake) bytes(p, n uintptr) []byte {
	f.mu.Lock()
	defer f.mu.Unlock()
	for base, b := range f.memory {
		if p >= base && p+n <= base+uintptr(len(b)) {
			return b[p-base : p-base+n]
		}
	}
	return nil
}

func (f *fake) driver() *driver.Table {
	return &driver.Table{
		Platform: driver.Platform(f.platform), ExtraEnd: 3, Library: &driver.Library{Path: "fake"},
		HIPErrorName:   func(c driver.Code) string { return fmt.Sprintf("hipError%d", c) },
		HIPErrorString: func(c driver.Code) string { return fmt.Sprintf("the driver's words for %d", c) },
		SetCurrent:     func(d uintptr) driver.Code { return f.call("use", "%d", d) },
		MemInfo: func(free, total *uintptr) driver.Code {
			*free, *total = uintptr(f.capacity-f.used), uintptr(f.capacity)
			return f.call("memInfo", "")
		},
		Malloc: func(p *uintptr, n uintptr) driver.Code {
			if c := f.call("malloc", "%d", n); c != 0 {
				return c
			}
			f.mu.Lock()
			defer f.mu.Unlock()
			if f.used+int(n) > f.capacity {
				return driver.CodeOutOfMemory
			}
			f.used += int(n)
			*p, f.next = f.next, f.next+n+4096
			b := make([]byte, n)
			if f.real {
				*p = uintptr(unsafe.Pointer(unsafe.SliceData(b)))
			}
			f.memory[*p] = b
			return 0
		},
		Free: func(p uintptr) driver.Code {
			c := f.call("free", "")
			f.mu.Lock()
			defer f.mu.Unlock()
			b, ok := f.memory[p]
			if !ok {
				return driver.CodeInvalidValue
			}
			f.used -= len(b)
			delete(f.memory, p)
			return c
		},
		Upload: func(dst uintptr, src unsafe.Pointer, n, _ uintptr) driver.Code {
			copy(f.bytes(dst, n), unsafe.Slice((*byte)(src), n))
			return f.call("upload", "%d", n)
		},
		Download: func(dst unsafe.Pointer, src, n, _ uintptr) driver.Code {
			copy(unsafe.Slice((*byte)(dst), n), f.bytes(src, n))
			return f.call("download", "%d", n)
		},
		Copy: func(dst, src, n, _ uintptr) driver.Code {
			copy(f.bytes(dst, n), f.bytes(src, n))
			return f.call("copy", "%d", n)
		},
		CopyPeer: func(dst, dstDevice, src, srcDevice, n, _ uintptr) driver.Code {
			f.peers = [2]uintptr{dstDevice, srcDevice}
			copy(f.bytes(dst, n), f.bytes(src, n))
			return f.call("copyPeer", "%d", n)
		},
		StreamCreate: func(s *uintptr, flags uint32) driver.Code {
			*s = 77 + f.streams
			f.streams++
			return f.call("streamCreate", "%d", flags)
		},
		StreamSynchronize: func(s uintptr) driver.Code { return f.call("streamWait", "%d", s) },
		ModuleLoad:        func(m *uintptr, _ unsafe.Pointer) driver.Code { *m = 5; return f.call("moduleLoad", "") },
		ModuleFunction: func(h *uintptr, _ uintptr, name *byte) driver.Code {
			*h = 6
			return f.call("function", "%s", driver.GoString(name))
		},
		Launch: func(fn uintptr, gx, gy, gz, bx, by, bz, shared uint32, stream, params uintptr, x *driver.LaunchExtra) driver.Code {
			f.launched = slices.Clone(unsafe.Slice((*byte)(x.Buffer), *x.Size))
			return f.call("launch", "%d (%d %d %d) (%d %d %d) %d %d %d tags %d %d %d", fn, gx, gy, gz, bx, by, bz, shared, stream, params,
				x.BufferTag, x.SizeTag, x.End)
		},
	}
}

// device makes a device of the fake driver and forgets the calls that this took.
func (f *fake) device(t *testing.T, index int) *Device {
	t.Helper()
	d, err := newDevice(f.driver(), Info{Index: index, Arch: "gfx90a", Platform: f.platform, TotalMemory: int64(f.capacity)})
	if err != nil {
		t.Fatal(err)
	}
	f.take()
	return d
}

// take returns the calls so far, without the setting of devices and memory's details, and forgets them.
func (f *fake) take() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	calls := slices.DeleteFunc(f.calls, func(s string) bool { return strings.HasPrefix(s, "use ") })
	f.calls = nil
	return calls
}

func alloc(t testing.TB, d *Device, n int) *Buffer {
	t.Helper()
	b, err := d.Alloc(n)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
