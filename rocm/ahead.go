package rocm

import "github.com/gorocm/gorocm/rocm/internal/compile"

// Ahead are compilations ahead of time: see CompileAhead.
type Ahead struct{ jobs *compile.Ahead }

// CompileAhead compiles programs in the background into the cache on disk, where Load finds them, and returns at once.
// Programs that are in the cache, or have a code object for the device, are left out. Compilations that somebody waits
// for come first. It does nothing for an emulated device, and in programs that do not call ServeCompiler. The end of
// the process ends it.
func CompileAhead(d *Device, programs []Program) *Ahead {
	if d.Emulated() {
		programs = nil
	}
	programs = withoutObject(d, programs)
	target := targetOf(d)
	return &Ahead{compile.StartAhead(func() *compile.Job {
		for len(programs) > 0 {
			p := programs[0]
			programs = programs[1:]
			source, err := p.Source()
			if err != nil {
				continue // Load returns it
			}
			j, err := compile.NewJob(target, source)
			if err != nil {
				return nil // there is no compiler for the device
			}
			return j.Named(p.Name)
		}
		return nil
	})}
}

// Stop begins no further compilation.
func (a *Ahead) Stop() { a.jobs.Stop() }

// Wait waits until all is compiled, or stopped. It returns the number of compilations, and the error of the first that
// failed: Load of that program returns it, too.
func (a *Ahead) Wait() (compiled int, err error) {
	compiled, err = a.jobs.Wait()
	return compiled, public(err)
}
