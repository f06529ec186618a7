package run

import (
	"bytes"
	"fmt"
	"go/token"
	"os"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"unsafe"

	"github.com/traefik/yaegi/interp"
)

// site is a line of a function of a cell, or of a package from source.
type site struct {
	file, fn string
	line     int
	begins   token.Pos // of a function value: where the function does, for several may do so on a line
}

// sites give each site a program counter, which package runtime does not know, and a runtime.Func.
var sites struct {
	sync.RWMutex
	list []siteInfo // by number
	by   map[site]int
}

type siteInfo struct {
	site
	f *inlinedFunc
}

// siteSpace is memory whose addresses are the program counters of sites: no function is there. Each site has a few,
// because programs look for a call at the address before the one that runtime.Callers gives.
var siteSpace [maxSites * siteWidth]byte

const (
	maxSites  = 1 << 18
	siteWidth = 4
)

// inlinedFunc is the runtime's funcinl: what a runtime.Func points to for a function that is inlined, with all that
// there is to know of it. runtimeReads tries it.
type inlinedFunc struct {
	ones      uint32
	entry     uintptr
	name      string
	file      string
	line      int32
	startLine int32
}

func (f *inlinedFunc) pointer() *runtime.Func { return (*runtime.Func)(unsafe.Pointer(f)) }

// runtimeReads reports whether package runtime reads an inlinedFunc and expandedFrames as its own.
var runtimeReads = sync.OnceValue(func() bool {
	f := newSiteInfo(site{file: "file.go", fn: "main.f", line: 7}, 1).f.pointer()
	file, line := f.FileLine(0)
	if f.Name() != "main.f" || file != "file.go" || line != 7 || f.Entry() != pcOf(1) ||
		unsafe.Sizeof(runtime.Frames{}) != unsafe.Sizeof(expandedFrames{}) {
		return false
	}
	fs := (*runtime.Frames)(unsafe.Pointer(&expandedFrames{frames: []runtime.Frame{{Line: 1}, {Line: 2}, {Line: 3}}}))
	for line := range 3 {
		if f, more := fs.Next(); f.Line != line+1 || more != (line < 2) {
			return false
		}
	}
	return true
})

func newSiteInfo(p site, n int) siteInfo {
	return siteInfo{p, &inlinedFunc{ones: ^uint32(0), entry: pcOf(n), name: p.fn, file: p.file, line: int32(p.line),
		startLine: int32(p.line)}}
}

func addressOf(n int) unsafe.Pointer { return unsafe.Pointer(&siteSpace[n*siteWidth+1]) }

func pcOf(n int) uintptr { return uintptr(addressOf(n)) }

// pc is the program counter of a site.
func (p site) pc() uintptr { return uintptr(p.address()) }

// address is that as an address. When there are too many sites, new ones share one.
func (p site) address() unsafe.Pointer {
	sites.Lock()
	defer sites.Unlock()
	if n, ok := sites.by[p]; ok {
		return addressOf(n)
	}
	if sites.by == nil {
		sites.by = map[site]int{}
	}
	n := min(len(sites.list), maxSites-1)
	sites.list = append(sites.list[:n], newSiteInfo(p, n))
	sites.by[p] = n
	return addressOf(n)
}

// siteAt is the site of a program counter, and whether it is one.
func siteAt(pc uintptr) (siteInfo, bool) {
	sites.RLock()
	defer sites.RUnlock()
	n := (pc - uintptr(unsafe.Pointer(&siteSpace))) / siteWidth // a large number below the space
	if n >= uintptr(len(sites.list)) {
		return siteInfo{}, false
	}
	return sites.list[n], true
}

// counter is the program counter of a caller.
func (c caller) counter() uintptr {
	if c.pc != 0 {
		return c.pc
	}
	return c.site.pc()
}

// fileLine is where a caller is.
func (c caller) fileLine() (fn, file string, line int) {
	if c.pc == 0 {
		return c.site.fn, c.site.file, c.site.line
	}
	return c.frame.Function, c.frame.File, c.frame.Line
}

// callerInfo are the functions of package runtime by which a program looks at its own stack, and those of
// runtime/debug.
func (rt *Runtime) callerInfo() interp.Exports {
	if !KnowsStack || !runtimeReads() {
		return nil
	}
	return interp.Exports{
		"runtime/runtime": {
			"Caller":        reflect.ValueOf(rt.Traces.caller),
			"Callers":       reflect.ValueOf(rt.Traces.callers),
			"CallersFrames": reflect.ValueOf(rt.Traces.callersFrames),
			"FuncForPC":     reflect.ValueOf(funcForPC),
			"Stack":         reflect.ValueOf(rt.Traces.stackInto),
		},
		"runtime/debug/debug": {
			"Stack": reflect.ValueOf(rt.Traces.stackText),
			"PrintStack": reflect.ValueOf(func() {
				_,
					_ = rt.output.writerFor(os.Stderr).Write(rt.Traces.stackText())
			}),
		},
	}
}

// caller is runtime.Caller.
func (t *Traces) caller(skip int) (pc uintptr, file string, line int, ok bool) {
	s := t.callStack()
	if skip < 0 || skip >= len(s) {
		return 0, "", 0, false
	}
	_, file, line = s[skip].fileLine()
	return s[skip].counter(), file, line, true
}

// callers is runtime.Callers. A stack that is complete ends with runtime.goexit, as that of each goroutine does: some
// packages leave out the last frame, which is never one of a program's own.
func (t *Traces) callers(skip int, pc []uintptr) (n int) {
	s := append([]caller{{site: site{file: "runtime/extern.go", fn: "runtime.Callers", line: 1}}}, t.callStack()...)
	if len(s) <= maxCallers {
		s = append(s, caller{pc: goexitPC()})
	}
	for _, c := range s[min(max(skip, 0), len(s)):] {
		if n == len(pc) {
			break
		}
		pc[n] = c.counter()
		n++
	}
	return n
}

// goexitPC is the program counter at which the first function of each goroutine returns to runtime.goexit.
var goexitPC = sync.OnceValue(func() uintptr {
	pc := make(chan uintptr)
	go func() {
		var pcs [8]uintptr
		pc <- pcs[runtime.Callers(0, pcs[:])-1]
	}()
	return <-pc
})

// funcForPC is runtime.FuncForPC.
func funcForPC(pc uintptr) *runtime.Func {
	if p, ok := siteAt(pc); ok {
		return p.f.pointer()
	}
	return runtime.FuncForPC(pc)
}

// liveFrames are the functions at a compiled program counter. One of the interpreter's, which compiled code has taken
// from this goroutine's stack, is the cell's that it runs.
func (t *Traces) liveFrames(pc uintptr) []runtime.Frame {
	fs := expand(pc)
	if len(fs) == 0 || pc == goexitPC() || !isMachinery(fs[0].Function) {
		return fs
	}
	for _, c := range t.callStack() {
		if slices.ContainsFunc(c.via, func(f runtime.Frame) bool { return f.PC == fs[0].PC }) && c.pc == 0 {
			return []runtime.Frame{c.site.frame()}
		}
	}
	return fs
}

// frame is the site as package runtime tells it.
func (p site) frame() runtime.Frame {
	pc := p.pc()
	f := funcForPC(pc)
	return runtime.Frame{PC: pc, Func: f, Function: p.fn, File: p.file, Line: p.line, Entry: f.Entry()}
}

// expandedFrames is the runtime's Frames, when it knows all frames.
type expandedFrames struct {
	callers []uintptr
	nextPC  uintptr
	frames  []runtime.Frame
	store   [2]runtime.Frame
}

// callersFrames is runtime.CallersFrames.
func (t *Traces) callersFrames(pcs []uintptr) *runtime.Frames {
	r := &expandedFrames{}
	for _, pc := range pcs {
		if p, ok := siteAt(pc); ok {
			r.frames = append(r.frames, p.frame())
			continue
		}
		r.frames = append(r.frames, t.liveFrames(pc)...)
	}
	return (*runtime.Frames)(unsafe.Pointer(r))
}

// stackText is debug.Stack.
func (t *Traces) stackText() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "goroutine %d [running]:\nruntime/debug.Stack()\n\truntime/debug/stack.go:26\n", goroutineID())
	for _, c := range t.callStack() {
		fn, file, line := c.fileLine()
		b.WriteString(fn + "(...)\n\t" + file + ":" + strconv.Itoa(line) + "\n")
	}
	return b.Bytes()
}

// stackInto is runtime.Stack. Those of all goroutines are the runtime's own.
func (t *Traces) stackInto(buf []byte, all bool) int {
	if all {
		return runtime.Stack(buf, true)
	}
	return copy(buf, t.stackText())
}
