package rocm

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// gpuState says whether a GPU is lost: its driver refuses every call since one has failed. All streams of the GPU share
// it. A GPU that is opened again has another one, so that what was made before stays lost.
type gpuState struct {
	lost atomic.Pointer[Error]
}

type gpuKey struct {
	drv   *driver.Table
	index int
}

// gpuStates are those of the GPUs that are open.
var gpuStates struct {
	sync.Mutex
	byGPU map[gpuKey]*gpuState
}

// gpuStateOf returns the state of a GPU.
func gpuStateOf(drv *driver.Table, index int) *gpuState {
	if drv.Platform == driver.Emulated { // never lost, and nothing must keep its memory
		return new(gpuState)
	}
	gpuStates.Lock()
	defer gpuStates.Unlock()
	key := gpuKey{drv, index}
	s := gpuStates.byGPU[key]
	if s == nil {
		s = new(gpuState)
		if gpuStates.byGPU == nil {
			gpuStates.byGPU = map[gpuKey]*gpuState{}
		}
		gpuStates.byGPU[key] = s
	}
	return s
}

// probe finds out whether the GPU is lost, after a call that failed with a code: then calls that cannot fail otherwise
// fail, too. The thread has the device. Calls that would end a capture are not made during one.
func (s *gpuState) probe(d *Device, field string, c driver.Code) {
	if d.Emulated() {
		return
	}
	again := d.drv.SetCurrent(d.handle)
	if again == 0 && d.drv.StreamQuery != nil && d.stream != 0 && d.capture.Load() == nil {
		if again = d.drv.StreamQuery(d.stream); again == driver.CodeNotReady {
			again = 0
		}
	}
	if again == 0 {
		var free, total uintptr
		again = d.drv.MemInfo(&free, &total)
	}
	if !driver.MayBeLost(again) {
		return
	}
	var e *Error
	if errors.As(public(d.drv.Fail(field, c, "")), &e) {
		s.lost.CompareAndSwap(nil, e)
	}
}

// lostError is the error of a call on a GPU that is lost. because is the error of the call that lost it.
func lostError(d *Device, field string, because Error) error {
	return &Error{Op: d.drv.CName(field), Kind: ErrLost, Code: because.Code, Name: because.Name,
		Text: fmt.Sprintf("%v (%s) is lost: %s failed, and the driver refuses every call since", d, d.info.Name,
			because.Op), Detail: reopenText(d)}
}

// reopenText says what to do about a GPU that is lost.
func reopenText(d *Device) string {
	name := d.info.Device()
	return fmt.Sprintf("%s is lost to this process, with the memory that it had: rocm.Open(%q) and tensor.NewDevice(%q) "+
		"try to open it again, and a new process can", name, name, name)
}

// Lost returns the error by which the device was lost, or nil. A device is lost when its driver refuses every call
// since one has failed: after a fault of a kernel on most GPUs, when the system has reset the GPU or taken it away, or
// when its memory cannot be corrected. All its calls then return errors of kind ErrLost, at once. Open opens it again
// as another Device, if the driver permits; buffers and kernels of the lost one stay lost.
func Lost(d *Device) error {
	if e := d.state.lost.Load(); e != nil {
		return e
	}
	return nil
}

// reopen opens a GPU that is lost again, and checks that it works. The caller holds the registry's mutex.
func reopen(lost *Device, key string) (*Device, error) {
	drv, info := lost.drv, lost.info
	before := lost.state
	gpuStates.Lock()
	delete(gpuStates.byGPU, gpuKey{drv, info.Index})
	gpuStates.Unlock()
	d, err := restart(drv, info)
	if err != nil {
		gpuStates.Lock()
		gpuStates.byGPU[gpuKey{drv, info.Index}] = before
		gpuStates.Unlock()
		return nil, &Error{Op: "open " + info.Device(), Kind: ErrLost,
			Text:   fmt.Sprintf("%s is lost, and this process cannot open it again: start another one", info.Name),
			Detail: strings.TrimPrefix(err.Error(), "rocm: ")}
	}
	for name, other := range registry.devices { // streams of the lost one
		if other.state == before {
			delete(registry.devices, name)
		}
	}
	registry.devices[key] = d
	return d, nil
}

// restart resets a GPU for this process and makes a device of it that is known to work.
func restart(drv *driver.Table, info Info) (*Device, error) {
	switch { // a GPU that is gone refuses; newDevice says so
	case drv.ResetContext != nil:
		drv.ResetContext(int32(info.Index))
	case drv.ResetDevice != nil:
		runtime.LockOSThread()
		drv.SetCurrent(uintptr(info.Index))
		drv.ResetDevice()
		runtime.UnlockOSThread()
	}
	d, err := newDevice(drv, info)
	if err != nil {
		return nil, err
	}
	b, err := d.Alloc(len(checkedWords))
	if err != nil {
		return nil, err
	}
	defer b.Free()
	got := make([]byte, len(checkedWords))
	if err := errors.Join(b.Upload(0, []byte(checkedWords)), b.Download(got, 0)); err != nil {
		return nil, err
	}
	if !bytes.Equal(got, []byte(checkedWords)) {
		return nil, &Error{Op: "open " + info.Device(), Text: "its memory does not keep what was written",
			Kind: ErrLost}
	}
	return d, nil
}

// checkedWords are what restart writes and reads.
const checkedWords = "written to the memory of the GPU, and read back"
