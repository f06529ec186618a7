package meminfo

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

// machine has the memory of the machine. What is left of it is bounded by what its page files can still back, too.
func machine() []Bound {
	var m struct { // MEMORYSTATUSEX
		length, load                   uint32
		physical, availablePhysical    uint64
		pageFile, availablePageFile    uint64
		virtual, availableVirtual      uint64
		availableExtendedVirtualMemory uint64
	}
	m.length = uint32(unsafe.Sizeof(m))
	if ok, _, _ := globalMemoryStatus.Call(uintptr(unsafe.Pointer(&m))); ok == 0 {
		return nil
	}
	return []Bound{{"the machine", int64(m.physical), int64(min(m.availablePhysical, m.availablePageFile))}}
}

var globalMemoryStatus = windows.NewLazySystemDLL("kernel32.dll").NewProc("GlobalMemoryStatusEx")
