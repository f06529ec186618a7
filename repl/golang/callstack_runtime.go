package golang

import (
	"bytes"
	"fmt"
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

// siteSpace is memory whose addresses are the program counters of sites: no function is there.
var siteSpace [1 << 20]byte

// inlinedFunc is the runtime's funcinl: what a runtime.Func points to for a function that is inlined, with all that there is to know
// of it. funcsWork tries it.
type inlinedFunc struct {
	ones      uint32
	entry     uintptr
	name      string
	file      string
	line      int32
	startLine int32
}

func (f *inlinedFunc) pointer() *runtime.Func { return (*runtime.Func)(unsafe.Pointer(f)) }

// funcsWork says that package runtime reads an inlinedFunc.
var funcsWork = func() bool {
	f := newSiteInfo(site{"file.go", "main.f", 7}, 1).f.pointer()
	file, line := f.FileLine(0)
	return f.Name() == "main.f" && file == "file.go" && line == 7 && f.Entry() == pcOf(1)
}

func newSiteInfo(p site, n int) siteInfo {
	return siteInfo{p, &inlinedFunc{ones: ^uint32(0), entry: pcOf(n), name: p.fn, file: p.file, line: int32(p.line), startLine: int32(p.line)}}
}

func pcOf(n int) uintptr { return uintptr(unsafe.Pointer(&siteSpace[n])) }

// pc is the program counter of a site. When there are too many, new ones share one.
func (p site) pc() uintptr {
	sites.Lock()
	defer sites.Unlock()
	if n, ok := sites.by[p]; ok {
		return pcOf(n)
	}
	if sites.by == nil {
		sites.by = map[site]int{}
		sites.list = append(sites.list, siteInfo{}) // so that no site is the first byte: programs take one from a counter
	}
	n := min(len(sites.list), len(siteSpace)-1)
	sites.list = append(sites.list[:n], newSiteInfo(p, n))
	sites.by[p] = n
	return pcOf(n)
}

// siteAt is the site of a program counter, and whether it is one.
func siteAt(pc uintptr) (siteInfo, bool) {
	n := pc - pcOf(0)
	if n == 0 || n >= uintptr(len(siteSpace)) {
		return siteInfo{}, false
	}
	sites.RLock()
	defer sites.RUnlock()
	if n >= uintptr(len(sites.list)) {
		n-- // one past a site, as a program counter to which a call returns is
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

// callerInfo are the functions of package runtime by which a program looks at its own stack, and those of runtime/debug.
func (e *Engine) callerInfo() interp.Exports {
	if !knowsStack || !funcsWork() {
		return nil
	}
	return interp.Exports{
		"runtime/runtime": {
			"Caller":        reflect.ValueOf(e.caller),
			"Callers":       reflect.ValueOf(e.callers),
			"CallersFrames": reflect.ValueOf(e.callersFrames),
			"FuncForPC":     reflect.ValueOf(funcForPC),
			"Stack":         reflect.ValueOf(e.stackInto),
		},
		"runtime/debug/debug": {
			"Stack":      reflect.ValueOf(e.stackText),
			"PrintStack": reflect.ValueOf(func() { _, _ = e.through(os.Stderr).Write(e.stackText()) }),
		},
	}
}

// caller is runtime.Caller.
func (e *Engine) caller(skip int) (pc uintptr, file string, line int, ok bool) {
	s := e.callStack()
	if skip < 0 || skip >= len(s) {
		return 0, "", 0, false
	}
	_, file, line = s[skip].fileLine()
	return s[skip].counter(), file, line, true
}

// callers is runtime.Callers.
func (e *Engine) callers(skip int, pc []uintptr) (n int) {
	s := append([]caller{{site: site{"runtime/extern.go", "runtime.Callers", 1}}}, e.callStack()...)
	for _, c := range s[min(max(skip, 0), len(s)):] {
		if n == len(pc) {
			break
		}
		pc[n] = c.counter()
		n++
	}
	return n
}

// funcForPC is runtime.FuncForPC.
func funcForPC(pc uintptr) *runtime.Func {
	if p, ok := siteAt(pc); ok {
		return p.f.pointer()
	}
	return runtime.FuncForPC(pc)
}

// expandedFrames is runtime.Frames, of which all frames are known.
type expandedFrames struct {
	callers []uintptr
	nextPC  uintptr
	frames  []runtime.Frame
	store   [2]runtime.Frame
}

// liveFrames are the functions at a compiled program counter. One of the interpreter's, which compiled code has taken from this
// goroutine's stack, is the cell's that it runs.
func (e *Engine) liveFrames(pc uintptr) []runtime.Frame {
	fs := expand(pc)
	if len(fs) == 0 || !isMachinery(fs[0].Function) {
		return fs
	}
	for _, c := range e.callStack() {
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

// callersFrames is runtime.CallersFrames.
func (e *Engine) callersFrames(pcs []uintptr) *runtime.Frames {
	r := &expandedFrames{}
	for i, pc := range pcs {
		if p, ok := siteAt(pc); ok {
			r.frames = append(r.frames, p.frame())
			continue
		}
		r.frames = append(r.frames, e.liveFrames(pcs[i])...)
	}
	if reflect.TypeFor[runtime.Frames]().Size() != reflect.TypeFor[expandedFrames]().Size() {
		return runtime.CallersFrames(pcs)
	}
	return (*runtime.Frames)(unsafe.Pointer(r))
}

// stackText is debug.Stack.
func (e *Engine) stackText() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "goroutine %d [running]:\nruntime/debug.Stack()\n\truntime/debug/stack.go:26\n", goroutineID())
	for _, c := range e.callStack() {
		fn, file, line := c.fileLine()
		b.WriteString(fn + "(...)\n\t" + file + ":" + strconv.Itoa(line) + "\n")
	}
	return b.Bytes()
}

// stackInto is runtime.Stack. Those of all goroutines are the runtime's own.
func (e *Engine) stackInto(buf []byte, all bool) int {
	if all {
		return runtime.Stack(buf, true)
	}
	return copy(buf, e.stackText())
}
