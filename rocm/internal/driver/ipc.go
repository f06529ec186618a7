package driver

import (
	"runtime"
	"unsafe"
)

// IPCHandleSize is the size of hipIpcMemHandle_t and CUipcMemHandle in bytes.
const IPCHandleSize = 64

// OpenMemory maps memory of another process. It calls IPCOpen, whose second argument is a structure that C passes by
// value. It returns false on processors whose calling convention is not known here.
func (drv *Table) OpenMemory(p *uintptr, handle *[IPCHandleSize]byte) (c Code, ok bool) {
	const lazyPeerAccess = 1 // hipIpcMemLazyEnablePeerAccess, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS
	var pinner runtime.Pinner
	defer pinner.Unpin()
	pinner.Pin(p)
	pinner.Pin(handle)
	words := (*[IPCHandleSize / 8]uintptr)(unsafe.Pointer(handle))
	args := []uintptr{uintptr(unsafe.Pointer(p))}
	switch {
	case runtime.GOARCH == "arm64" || runtime.GOOS == "windows": // by its address, which the call may write to
		copied := *words
		pinner.Pin(&copied)
		args = append(args, uintptr(unsafe.Pointer(&copied)), lazyPeerAccess)
	case runtime.GOARCH == "amd64":
		// The structure is on the stack, after the six registers for arguments, of which four are unused.
		args = append(append(args, lazyPeerAccess, 0, 0, 0, 0), words[:]...)
	default:
		return 0, false
	}
	return drv.IPCOpen(args...), true
}
