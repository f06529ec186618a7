package rocm

import (
	"os"
	"testing"

	"github.com/gorocm/gorocm/rocm/internal/compile"
)

// TestMain lets tests compile in children: this program again.
func TestMain(m *testing.M) {
	if ServeCompiler() {
		return
	}
	compile.InChildren.Store(false) // tests that make the stand-in compilers' calls fail do it in this process
	os.Exit(m.Run())
}
