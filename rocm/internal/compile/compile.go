package compile

import (
	"strings"

	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// Compiler compiles HIP source to what driver.Table.ModuleLoad takes.
type Compiler interface {
	// Version identifies the compiler in the key of the cache.
	Version() string
	// Options are the arguments for an architecture. It is an error when the compiler does not support it.
	Options(arch string) ([]string, error)
	Compile(name, source string, options []string) ([]byte, error)
}

// Target is what sources are compiled for.
type Target struct {
	Platform driver.Platform
	Arch     string
}

// Job is the compilation of one source.
type Job struct {
	Target
	source   string
	compiler Compiler
	options  []string
	key      string // of the cache
	name     string // stands for the file in messages, of a job ahead of time
}

// NewJob finds the compiler for a source. It compiles nothing.
func NewJob(t Target, source string) (*Job, error) {
	c, err := t.compilerOf(source)
	if err != nil {
		return nil, err
	}
	options, err := c.Options(t.Arch)
	if err != nil {
		return nil, err
	}
	if _, ok := c.(*RTC); ok && t.Platform == driver.Emulated {
		options = append(options, lineTables) // as clang's
	}
	key := cacheKey(c.Version(), t.Arch, strings.Join(options, "\x00"), source)
	return &Job{Target: t, source: source, compiler: c, options: options, key: key}, nil
}

// Named is the job with a name that stands for the file in messages.
func (j *Job) Named(name string) *Job {
	j.name = name
	return j
}

// Cached is the code object from the cache on disk, if it has one.
func (j *Job) Cached() (image []byte, ok bool) { return readCache(j.key) }

// Run compiles, and stores the code object in the cache. name stands for the file in messages.
func (j *Job) Run(name string) ([]byte, error) {
	underWay, done := wanted(j.key)
	defer done()
	if underWay != nil {
		<-underWay
		if image, ok := j.Cached(); ok {
			return image, nil
		}
	}
	image, err := j.compiler.Compile(name, j.source, j.options)
	if err != nil {
		return nil, err
	}
	writeCache(j.key, image) // without it the next process compiles again
	return image, nil
}

// compilerOf finds the compiler for a source. A source that prints is compiled by clang for the emulated device, if
// there is one: hiprtc's printf needs the HIP runtime. Gorocm's own kernels print nothing: searching them took
// most of the time in which a fused kernel was loaded from the cache.
func (t Target) compilerOf(source string) (Compiler, error) {
	if t.Platform == driver.Emulated && !isGorocmKernel(source) && callsPrint.MatchString(source) {
		if c, err := FindClang(); err == nil {
			return c, nil
		}
	}
	return t.Compiler()
}

// Compiler finds the compiler for the target.
func (t Target) Compiler() (Compiler, error) {
	switch t.Platform {
	case driver.CUDA:
		return LoadNVRTC()
	case driver.HIP:
		return LoadHIPRTC()
	}
	c, err := LoadHIPRTC()
	if err == nil {
		if _, err = c.Options(t.Arch); err == nil {
			return c, nil
		}
	}
	clang, clangErr := FindClang()
	if clangErr == nil {
		return clang, nil
	}
	return nil, &driver.Error{Op: "compile for " + t.Arch, Kind: driver.ErrNoLibrary,
		Text: "the emulated device runs AMD code objects, and this machine has no compiler that makes them: " +
			"install ROCm's hiprtc or clang 17 or newer",
		Detail: err.Error() + "\n" + clangErr.Error()}
}
