//go:build darwin || linux || windows

package driver

import (
	"unsafe"

	"github.com/ebitengine/purego"

	"github.com/gorocm/gorocm/internal/dl"
)

// BindField sets one function field. The calls that every operation makes avoid reflection: a call by SyscallN takes
// 0.2 µs, one by RegisterFunc 2 µs.
func BindField(field any, symbol uintptr) {
	switch f := field.(type) {
	case *func(uintptr) Code: // SetCurrent, Free, StreamSynchronize, EventSynchronize
		*f = func(a uintptr) Code { return result(purego.SyscallN(symbol, a)) }
	case *func(uintptr, uintptr) Code: // EventRecord, GraphLaunch
		*f = func(a, b uintptr) Code { return result(purego.SyscallN(symbol, a, b)) }
	case *func(*uintptr, uintptr) Code: // Malloc
		*f = func(p *uintptr, n uintptr) Code {
			return result(purego.SyscallN(symbol, uintptr(unsafe.Pointer(p)), n))
		}
	case *func(uintptr, unsafe.Pointer, uintptr, uintptr) Code: // Upload
		*f = func(dst uintptr, src unsafe.Pointer, n, stream uintptr) Code {
			return result(purego.SyscallN(symbol, dst, uintptr(src), n, stream))
		}
	case *func(unsafe.Pointer, uintptr, uintptr, uintptr) Code: // Download
		*f = func(dst unsafe.Pointer, src, n, stream uintptr) Code {
			return result(purego.SyscallN(symbol, uintptr(dst), src, n, stream))
		}
	case *func(uintptr, uintptr, uintptr, uintptr) Code: // Copy
		*f = func(dst, src, n, stream uintptr) Code { return result(purego.SyscallN(symbol, dst, src, n, stream)) }
	case *func(uintptr, uint32, uint32, uint32, uint32, uint32, uint32, uint32, uintptr, uintptr, *LaunchExtra) Code:
		*f = func(fn uintptr, gx, gy, gz, bx, by, bz, shared uint32, stream, params uintptr, extra *LaunchExtra) Code {
			extra.words = [...]uintptr{fn, uintptr(gx), uintptr(gy), uintptr(gz), uintptr(bx), uintptr(by), uintptr(bz),
				uintptr(shared), stream, params, uintptr(unsafe.Pointer(extra))}
			return result(purego.SyscallN(symbol, extra.words[:]...))
		}
	case *Call:
		*f = func(args ...uintptr) Code { return result(purego.SyscallN(symbol, args...)) }
	default:
		dl.Register(field, symbol)
	}
}
