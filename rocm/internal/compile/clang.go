package compile

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gorocm/gorocm/internal/processes"
	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// Clang is the program clang, which compiles AMD code objects without any ROCm package.
type Clang struct {
	Path string
	Text string // the first line of --version
}

// minClang is the first major version that supports gfx1100 and expands exp and log without a device library.
const minClang = 17

// FindClang looks for a clang that can build for the emulated device.
var FindClang = sync.OnceValues(func() (*Clang, error) {
	names := clangNames()
	for _, name := range names {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		out, err := processes.Own(exec.CommandContext(ctx, path, "--version")).Output()
		cancel()
		if line, _, _ := strings.Cut(string(out), "\n"); err == nil && clangMajor(line) >= minClang {
			return &Clang{path, line}, nil
		}
	}
	return nil, &driver.Error{Op: "find clang", Text: fmt.Sprintf("no clang %d or newer", minClang),
		Detail: "tried " + strings.Join(names, ", "), Kind: driver.ErrNoLibrary, Tried: names}
})

// clangNames are the commands that may be clang, best first. The HIP SDK for Windows has it beside its libraries.
func clangNames() []string {
	names := []string{"clang"}
	if runtime.GOOS == "windows" {
		for _, folder := range append(driver.ROCmFolders(), filepath.Join(os.Getenv("ProgramFiles"), "LLVM", "bin")) {
			names = append(names, filepath.Join(folder, "clang"))
		}
		return names
	}
	for v := 22; v >= minClang; v-- {
		names = append(names, "clang-"+strconv.Itoa(v))
	}
	for _, home := range []string{os.Getenv("ROCM_PATH"), "/opt/rocm"} {
		if home != "" {
			names = append(names, filepath.Join(home, "llvm/bin/clang"))
		}
	}
	return names
}

func clangMajor(line string) int {
	_, rest, _ := strings.Cut(line, "clang version ")
	number, _, _ := strings.Cut(rest, ".")
	n, _ := strconv.Atoi(number)
	return n
}

// Version includes the declarations: they are part of every source.
func (c *Clang) Version() string {
	return c.Text + allHeaders()
}

// lineTables has faults and races of the emulated device name the lines of a source.
const lineTables = "-gline-tables-only"

func (c *Clang) Options(arch string) ([]string, error) {
	arch, cores, wide := driver.SplitEmulated(arch)
	list := []string{"-x", "hip", "-nogpuinc", "-nogpulib", "-nostdinc++", "--cuda-device-only",
		"--offload-arch=" + arch, "--no-gpu-bundle-output",
		"-O3", "-std=c++17", "-ffp-contract=off", lineTables}
	// clang's own macro for the size of waves is deprecated
	switch {
	case wide:
		list = append(list, "-mwavefrontsize64", "-DGOROCM_WAVE=64")
	case strings.HasPrefix(arch, "gfx9"):
		list = append(list, "-DGOROCM_WAVE=64")
	}
	if cores != "" {
		list = append(list, "-DGOROCM_CORES="+cores)
	}
	return list, nil
}

func (c *Clang) Compile(name, source string, options []string) ([]byte, error) {
	dir, err := clangFolder()
	if err != nil {
		return nil, fmt.Errorf("rocm: compile %s: %w", name, err)
	}
	defer os.RemoveAll(dir)
	out := filepath.Join(dir, "object")
	header, err := writeHeaders(dir, source)
	if err != nil {
		return nil, fmt.Errorf("rocm: compile %s: %w", name, err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), clangTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, c.Path, append(options, "-I", dir, "-include", header, "-o", out, "-")...)
	// The line directive names the source in messages, as hiprtc does.
	cmd.Stdin = strings.NewReader("#line 1 " + strconv.Quote(name) + "\n" + source)
	cmd.Env = append(os.Environ(), "TMPDIR="+dir) // temporary files of a clang that is killed stay in dir
	processes.Own(cmd)
	cmd.SysProcAttr = killWithParent()
	runtime.LockOSThread() // the child is killed when this thread ends
	defer runtime.UnlockOSThread()
	var messages strings.Builder
	cmd.Stderr = &messages
	if err := cmd.Run(); err != nil {
		e := &driver.Error{Op: "compile " + name, Text: err.Error(), Detail: messages.String(), Kind: driver.ErrCompile}
		if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() == 1 {
			e.Text = filepath.Base(c.Path) + " found errors"
		}
		return nil, e
	}
	return os.ReadFile(out)
}
