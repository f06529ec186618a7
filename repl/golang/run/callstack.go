package run

import (
	"runtime"
	"strings"
	"unsafe"

	"github.com/gorocm/gorocm/repl/golang/machine"
	"github.com/gorocm/gorocm/repl/golang/native"
)

// A goroutine that asks for its callers is in compiled functions: those of cells are calls of guard, which runs their
// steps. So the stack is walked by its frame pointers, and the frames of guard are read, and those of the calls that
// machine code makes.

// activation is what a frame of guard, or of Defers.try, has on the stack for callStack to find.
type activation struct {
	magic  uintptr // activationMagic
	fn     *machine.Node
	frame  *machine.Frame
	next   machine.Step // the step that runs
	defers *Defers      // whose deferred call, or body, runs
}

// point is where the function is, or was when a panic left it.
func (a *activation) point() tracePoint {
	return tracePoint{fn: a.fn, blamed: (*machine.Node)(a.frame.Debug),
		exec: *(*unsafe.Pointer)(unsafe.Pointer(&a.next))}
}

const wordSize = unsafe.Sizeof(uintptr(0))

const activationMagic = native.Magic

// maxStackCopied is how many words of a stack are walked.
const maxStackCopied = 1 << 17

// maxCallers is how many callers are told.
const maxCallers = 1 << 10

// caller is a function that the goroutine is in, and where it is.
type caller struct {
	site  site            // in code of cells and of packages from source
	frame runtime.Frame   // in compiled code
	pc    uintptr         // in compiled code: where it returns to
	via   []runtime.Frame // the functions of the interpreter by which it called the one before
}

// callStack lists the functions that this goroutine is in: those of cells, and compiled ones that are not the
// interpreter's own. The innermost comes first.
func (t *Traces) callStack() []caller {
	s := stackWalk{traces: t}
	s.copy()
	for f := range s.frames {
		if s.function(f); len(s.callers) >= maxCallers {
			break
		}
	}
	return s.callers
}

// stackWalk is a walk through a copy of a stack.
type stackWalk struct {
	traces  *Traces
	words   []uintptr
	from    uintptr // the address of the first word
	callers []caller
	via     []runtime.Frame // see caller
	skip    bool            // the call of a literal that the place before was in
}

// at is the word at an address, and whether the copy has it.
func (s *stackWalk) at(address uintptr) (uintptr, bool) {
	i := (address - s.from) / unsafe.Sizeof(address)
	if address < s.from || i >= uintptr(len(s.words)) {
		return 0, false
	}
	return s.words[i], true
}

// copy takes a copy of this goroutine's stack.
func (s *stackWalk) copy() {
	_, used := goroutine()
	words := make([]uintptr, min(used/wordSize+1, maxStackCopied))
	from, n := copyStack(&words[0], uintptr(len(words)))
	s.words, s.from = words[:n], from
}

// stackFrame is the frame of a compiled function.
type stackFrame struct {
	pc  uintptr // where the function goes on when what it has called returns
	low uintptr // the address of the frame's lowest word
}

// frames lists the frames of the stack, the innermost first.
func (s *stackWalk) frames(yield func(stackFrame) bool) {
	for fp := s.from; ; {
		next, _ := s.at(fp)
		pc, ok := s.at(fp + wordSize)
		if !ok || pc == 0 {
			return
		}
		low := fp + 2*wordSize
		if runtime.GOARCH == "arm64" { // where the frame pointer is at the low end of a frame
			low = next + 2*wordSize
		}
		if !yield(stackFrame{pc, low}) || next <= fp {
			return
		}
		fp = next
	}
}

// function adds what a compiled function stands for.
func (s *stackWalk) function(at stackFrame) {
	for _, f := range expand(at.pc) {
		switch {
		case f.Function == guardName:
			if a := s.activation(at.low + guardActivation()); a != nil {
				s.interpreted(a.point())
			}
		case f.Function == tryName:
			if a := s.activation(at.low + tryActivation()); a != nil {
				s.panicked(a.defers)
			}
		case f.Function == native.ActivationFrame:
			if a := s.activation(at.low + generatedActivation()); a != nil {
				for _, f := range (*native.Activation)(unsafe.Pointer(a)).Frames() {
					s.interpreted(tracePoint{source: f.Pos, name: f.Fn, ends: f.Ends})
				}
			}
		case isMachinery(f.Function):
			s.via = append(s.via, f)
		default:
			s.add(caller{frame: f, pc: at.pc})
		}
	}
}

// expand lists the compiled functions at a program counter to which a call returns: an inlined one has those around it.
func expand(pc uintptr) (list []runtime.Frame) {
	// it tells what is around an inlined function only where another caller follows
	fs := runtime.CallersFrames([]uintptr{pc, 0})
	for more := true; more; {
		var f runtime.Frame
		if f, more = fs.Next(); f.PC != 0 {
			list = append(list, f)
		}
	}
	return list
}

func (s *stackWalk) add(c caller) {
	c.via, s.via = s.via, nil
	s.callers = append(s.callers, c)
}

// activation is what the stack has for us at an address, nil without one.
func (s *stackWalk) activation(at uintptr) *activation {
	if w, ok := s.at(at); !ok || w != activationMagic {
		return nil
	}
	if _, ok := s.at(at + unsafe.Sizeof(activation{}) - wordSize); !ok {
		return nil
	}
	return (*activation)(unsafe.Pointer(&s.words[(at-s.from)/wordSize]))
}

// interpreted adds a function of a cell, or of a package from source.
func (s *stackWalk) interpreted(at tracePoint) {
	pos, fn, made := s.traces.sourceAt(at)
	was := s.skip
	if s.skip = made == &Inlined; was || made == &Around || !pos.IsValid() {
		return
	}
	p := site{file: pos.Filename, line: pos.Line, fn: s.traces.fullName(pos.Filename, fn)}
	if o, ok := s.traces.origins.Load(pos.Filename); ok {
		p.file, p.line = o.(origin).file, p.line+o.(origin).line-1
	}
	// The body of a function that defers is a literal, and the function main of a script is called by a statement of
	// its own.
	if n := len(s.callers); n > 0 && s.callers[n-1].site.fn == p.fn && (made == &ending || fn == "") {
		return
	}
	s.add(caller{site: p})
}

// panicked adds the functions that a panic has left, for which deferred calls run: in compiled Go they are still on the
// stack.
func (s *stackWalk) panicked(d *Defers) {
	t := d.trace
	if t == nil {
		t = d.recovered
	}
	if t == nil {
		return
	}
	s.add(caller{site: site{file: "runtime/panic.go", line: 1, fn: "runtime.gopanic"}})
	for _, at := range t.points {
		s.interpreted(at)
	}
}

// origin is where a script has a cell.
type origin struct {
	file string
	line int
}

// SetOrigin says that the cell of a name stands in a file, from a line on: what runtime.Caller and logs tell of it.
// Without a file they tell the cell's name.
func (t *Traces) SetOrigin(cell, file string, line int) {
	if file == "" {
		t.origins.Delete(cell)
		return
	}
	t.origins.Store(cell, origin{file, line})
}

// fullName is a function's name as package runtime tells it: with the path of its package.
func (t *Traces) fullName(file, fn string) string {
	switch fn {
	case "": // a cell's statements
		fn = "main"
	case LiteralFn:
		fn = "main.func1"
	}
	path, ok := t.packageFiles.Load(file)
	switch path, _ := path.(string); {
	case !ok:
		return "main." + fn
	case strings.HasPrefix(fn, path+"."):
		return fn
	default:
		_, fn, _ = strings.Cut(fn, ".") // behind the package's name
		return path + "." + fn
	}
}

// The names of the compiled functions whose frames are read.
var (
	guardName = runtime.FuncForPC(guardCode).Name()
	tryName   = strings.TrimSuffix(guardName, "(*Runtime).guard.func1") + "(*Defers).try"
)

// machineryPrefixes are those of the functions between a cell's function and what it calls.
var machineryPrefixes = []string{"github.com/gorocm/gorocm/repl", "github.com/traefik/yaegi/", "reflect.",
	"runtime.call", "runtime.reflectcall", "runtime.goexit",
	"runtime.gopanic", "runtime.panic", "runtime.sigpanic", "internal/runtime/"}

// isMachinery reports whether a compiled function is one that runs the functions of cells.
func isMachinery(name string) bool {
	for _, p := range machineryPrefixes {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}
