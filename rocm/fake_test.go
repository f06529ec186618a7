package rocm

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"unsafe"
)

// fake is a driver in Go: it keeps device memory in maps, records every call, and fails when told to.
type fake struct {
	mu       sync.Mutex
	calls    []string
	memory   map[uintptr][]byte
	next     uintptr
	capacity int
	used     int
	fail     map[string]code // field of the driver table to the code it gives from now on
	launched []byte          // the packed arguments of the last launch
	peers    [2]uintptr      // devices of the last peer copy
	real     bool            // addresses are those of the host's memory, for libraries in C
	platform Platform
	streams  uintptr // made so far
}

func newFake(capacity int) *fake {
	return &fake{memory: map[uintptr][]byte{}, next: 0x1000, capacity: capacity, fail: map[string]code{}, platform: HIP}
}

// call records a call; it returns the code that the test wants.
func (f *fake) call(field, format string, args ...any) code {
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

func (f *fake) driver() *driver {
	return &driver{
		platform: f.platform, extraEnd: 3, lib: &library{path: "fake"},
		hipErrorName:   func(c code) string { return fmt.Sprintf("hipError%d", c) },
		hipErrorString: func(c code) string { return fmt.Sprintf("the driver's words for %d", c) },
		use:            func(d uintptr) code { return f.call("use", "%d", d) },
		memInfo: func(free, total *uintptr) code {
			*free, *total = uintptr(f.capacity-f.used), uintptr(f.capacity)
			return f.call("memInfo", "")
		},
		malloc: func(p *uintptr, n uintptr) code {
			if c := f.call("malloc", "%d", n); c != 0 {
				return c
			}
			f.mu.Lock()
			defer f.mu.Unlock()
			if f.used+int(n) > f.capacity {
				return codeOutOfMemory
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
		free: func(p uintptr) code {
			c := f.call("free", "")
			f.mu.Lock()
			defer f.mu.Unlock()
			b, ok := f.memory[p]
			if !ok {
				return codeInvalidValue
			}
			f.used -= len(b)
			delete(f.memory, p)
			return c
		},
		upload: func(dst uintptr, src unsafe.Pointer, n, _ uintptr) code {
			copy(f.bytes(dst, n), unsafe.Slice((*byte)(src), n))
			return f.call("upload", "%d", n)
		},
		download: func(dst unsafe.Pointer, src, n, _ uintptr) code {
			copy(unsafe.Slice((*byte)(dst), n), f.bytes(src, n))
			return f.call("download", "%d", n)
		},
		copy: func(dst, src, n, _ uintptr) code {
			copy(f.bytes(dst, n), f.bytes(src, n))
			return f.call("copy", "%d", n)
		},
		copyPeer: func(dst, dstDevice, src, srcDevice, n, _ uintptr) code {
			f.peers = [2]uintptr{dstDevice, srcDevice}
			copy(f.bytes(dst, n), f.bytes(src, n))
			return f.call("copyPeer", "%d", n)
		},
		streamCreate: func(s *uintptr, flags uint32) code {
			*s = 77 + f.streams
			f.streams++
			return f.call("streamCreate", "%d", flags)
		},
		streamWait: func(s uintptr) code { return f.call("streamWait", "%d", s) },
		moduleLoad: func(m *uintptr, _ unsafe.Pointer) code { *m = 5; return f.call("moduleLoad", "") },
		function: func(h *uintptr, _ uintptr, name *byte) code {
			*h = 6
			return f.call("function", "%s", goString(name))
		},
		launch: func(fn uintptr, gx, gy, gz, bx, by, bz, shared uint32, stream, params uintptr, x *launchExtra) code {
			f.launched = slices.Clone(unsafe.Slice((*byte)(x.buffer), *x.size))
			return f.call("launch", "%d (%d %d %d) (%d %d %d) %d %d %d tags %d %d %d", fn, gx, gy, gz, bx, by, bz, shared, stream, params,
				x.bufferTag, x.sizeTag, x.end)
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
