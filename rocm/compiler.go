package rocm

import (
	"github.com/gorocm/gorocm/rocm/internal/compile"
)

// ServeCompiler lets a program compile kernels in child processes, so that a fatal error of the compiler is an error
// and does not end the program. It is called first in main. The child is the same program: there ServeCompiler compiles
// what it is asked for and returns true, and main returns. Otherwise it returns false. Programs that do not call it
// compile in their own process.
//
//	func main() {
//		if rocm.ServeCompiler() {
//			return
//		}
//		…
//	}
func ServeCompiler() bool { return compile.Serve() }
