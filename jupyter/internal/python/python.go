// Package python finds a Python for tests that drive the kernel with Jupyter's own clients.
package python

import (
	"os/exec"
	"strings"
	"testing"
)

// With returns a Python that can import all modules. Without one it skips the test and names them.
func With(t testing.TB, modules ...string) string {
	t.Helper()
	for _, name := range []string{"python3", "/usr/bin/python3"} { // the first may be one without the system's packages
		if exec.Command(name, "-c", "import "+strings.Join(modules, ", ")).Run() == nil {
			return name
		}
	}
	t.Skipf("no python3 has the modules %s", strings.Join(modules, ", "))
	return ""
}
