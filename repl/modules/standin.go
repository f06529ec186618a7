package modules

import "github.com/gorocm/gorocm/repl/golang/linked"

// standInImports are the packages that equivalents may use, by the names that they use.
var standInImports = map[string]string{
	"syscall": "syscall", "time": "time", "rand": "math/rand/v2", "runtime": "runtime", "unsafe": "unsafe",
	"linked": "github.com/gorocm/gorocm/repl/golang/linked",
}

// standIns are equivalents of functions that are declared without a body, by package and name.
var standIns = map[string]equivalent{
	// asm_*.s of x/sys/unix jump to these.
	"golang.org/x/sys/unix.Syscall":           `func(trap, a1, a2, a3 uintptr) (uintptr, uintptr, syscall.Errno) { return syscall.Syscall(trap, a1, a2, a3) }`,
	"golang.org/x/sys/unix.RawSyscall":        `func(trap, a1, a2, a3 uintptr) (uintptr, uintptr, syscall.Errno) { return syscall.RawSyscall(trap, a1, a2, a3) }`,
	"golang.org/x/sys/unix.Syscall6":          `func(trap, a1, a2, a3, a4, a5, a6 uintptr) (uintptr, uintptr, syscall.Errno) { return syscall.Syscall6(trap, a1, a2, a3, a4, a5, a6) }`,
	"golang.org/x/sys/unix.RawSyscall6":       `func(trap, a1, a2, a3, a4, a5, a6 uintptr) (uintptr, uintptr, syscall.Errno) { return syscall.RawSyscall6(trap, a1, a2, a3, a4, a5, a6) }`,
	"golang.org/x/sys/unix.SyscallNoError":    `func(trap, a1, a2, a3 uintptr) (uintptr, uintptr) { r1, r2, _ := syscall.Syscall(trap, a1, a2, a3); return r1, r2 }`,
	"golang.org/x/sys/unix.RawSyscallNoError": `func(trap, a1, a2, a3 uintptr) (uintptr, uintptr) { r1, r2, _ := syscall.RawSyscall(trap, a1, a2, a3); return r1, r2 }`,
	"golang.org/x/sys/unix.gettimeofday": `func(t *Timeval) syscall.Errno {
		_, _, err := syscall.RawSyscall(syscall.SYS_GETTIMEOFDAY, uintptr(unsafe.Pointer(t)), 0, 0)
		return err
	}`,
	"golang.org/x/sys/unix.syscall_prlimit": `func(pid, resource int, limit, old *syscall.Rlimit) error {
		_, _, err := syscall.RawSyscall6(SYS_PRLIMIT64, uintptr(pid), uintptr(resource), uintptr(unsafe.Pointer(limit)), uintptr(unsafe.Pointer(old)), 0, 0)
		if err != 0 {
			return err
		}
		return nil
	}`,
	// then it makes a system call
	"golang.org/x/sys/unix.vgetrandom": `func([]byte, uint32) (int, bool) { return -1, false }`,
}

// linkedTo are equivalents of functions of the runtime that packages link to, by the runtime's names.
var linkedTo = map[string]equivalent{
	// The processor's features serve to choose between assembly and Go: without any, Go it is.
	"runtime.getAuxv":    `func() []uintptr { return nil }`,
	"runtime.nanotime":   `func() int64 { return time.Now().UnixNano() }`,
	"runtime.fastrand":   `func() uint32 { return rand.Uint32() }`,
	"runtime.fastrandn":  `func(n uint32) uint32 { return rand.Uint32N(n) }`,
	"runtime.fastrand64": `func() uint64 { return rand.Uint64() }`,
	"runtime.cheaprand":  `func() uint32 { return rand.Uint32() }`,
	"runtime.rand":       `func() uint64 { return rand.Uint64() }`,
	"runtime.procyield":  `func(uint32) { runtime.Gosched() }`,
}

// standIn returns the equivalent of a function without a body, empty when none is known. The target is what it is
// linked to.
func standIn(pkg, name, target string) equivalent {
	if s := standIns[pkg+"."+name]; s != "" {
		return s
	}
	return linkedTo[target]
}

// replaced reports whether a function without a body gets one.
func replaced(pkg, name, target string) bool {
	return standIn(pkg, name, target) != "" || linked.Has(target)
}
