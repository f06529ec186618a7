package rocm

import (
	"fmt"
	"os"

	"github.com/gorocm/gorocm/rocm/internal/compile"
	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// printWarning writes a warning to standard error, as compilers do. Tests replace it.
var printWarning = func(text string) { fmt.Fprintln(os.Stderr, text) }

// warnIfEmpty warns once for each source when a kernel with statements was compiled to no instructions: it would run,
// write nothing, and leave zeros that look like results.
func (k *Kernel) warnIfEmpty(d *Device, f *Function) {
	if k.body == "" || !compile.DoesNothing(driver.Platform(d.info.Platform), f.module.object, k.symbol) {
		return
	}
	if _, said := d.warned.LoadOrStore(k.name+k.body, true); said {
		return
	}
	printWarning(fmt.Sprintf("%s, line %d of the source: warning: kernel %s does nothing on %s: its source has statements, "+
		"its compiled code has none. "+
		"Did #if or #ifdef leave them out, or does no result reach memory?", k.file, k.line, k.name, d.info.Arch))
}
