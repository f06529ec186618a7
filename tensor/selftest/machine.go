package selftest

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/gorocm/gorocm/rocm"
)

// variables change what gorocm, ROCm and CUDA do.
var variables = []string{
	"GOROCM_REQUIRE_GPU", "GOROCM_EMULATE", "GOROCM_EMULATED_MEMORY", "GOROCM_EMULATED_DEVICES", "GOROCM_EMULATED_WAVE",
	"GOROCM_EMULATED_CORES", "GOROCM_EMULATED_ARCH", "GOROCM_GPU_MEMORY",
	"GOROCM_LIBRARY_PATH", "GOROCM_BLAS", "GOROCM_DNN", "GOROCM_COMM", "GOROCM_TF32", "GOROCM_SYNC", "GOROCM_SIMD",
	"HSA_OVERRIDE_GFX_VERSION", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES", "ROCM_PATH",
	"HIP_PATH", "CUDA_HOME", "LD_LIBRARY_PATH",
	"AMD_SERIALIZE_KERNEL", "HSA_ENABLE_SDMA", "ROCBLAS_TENSILE_LIBPATH", "NVIDIA_TF32_OVERRIDE",
}

func environment() map[string]string {
	set := map[string]string{}
	for _, name := range variables {
		if v := os.Getenv(name); v != "" {
			set[name] = withoutHome(v)
		}
	}
	return set
}

// withoutHome hides the name of the user in a path.
func withoutHome(s string) string {
	if home, err := os.UserHomeDir(); err == nil && len(home) > 1 {
		s = strings.ReplaceAll(s, home, "~")
	}
	return s
}

func libraries() []Library {
	var list []Library
	for _, l := range rocm.Probe() {
		problem, _, _ := strings.Cut(l.Problem, "\n")
		list = append(list, Library{l.Name, withoutHome(l.Path), l.Version, withoutHome(problem)})
	}
	return list
}

func machine() Machine {
	system := runtime.GOOS + "/" + runtime.GOARCH
	if kernel := firstLine("/proc/sys/kernel/osrelease"); kernel != "" {
		system = kernel + ", " + system
	}
	if name := field("/etc/os-release", "PRETTY_NAME", "="); name != "" {
		system = strings.Trim(name, `"`) + ", " + system
	}
	m := Machine{
		System: system, CPU: field("/proc/cpuinfo", "model name", ":"), Cores: runtime.GOMAXPROCS(0),
		ROCm:   rocmVersion(),
		AMDGPU: module("amdgpu"), NVIDIA: module("nvidia"), Go: runtime.Version(),
	}
	if kb, err := strconv.ParseInt(strings.TrimSuffix(field("/proc/meminfo", "MemTotal", ":"), " kB"), 10,
		64); err == nil {
		m.Memory = kb << 10
	}
	return m
}

// rocmVersion is the version that ROCm's installation says it has.
func rocmVersion() string {
	folders := []string{os.Getenv("ROCM_PATH"), "/opt/rocm"}
	more, _ := filepath.Glob("/opt/rocm-*")
	for _, folder := range append(folders, more...) {
		if folder == "" {
			continue
		}
		if v := firstLine(filepath.Join(folder, ".info", "version")); v != "" {
			return v
		}
	}
	return ""
}

// module is the version of a kernel module, "loaded" when it does not say, or empty when it is not there.
func module(name string) string {
	folder := filepath.Join("/sys/module", name)
	if v := firstLine(filepath.Join(folder, "version")); v != "" {
		return v
	}
	if _, err := os.Stat(folder); err == nil {
		return "loaded"
	}
	return ""
}

func firstLine(path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimSpace(line)
}

// field finds the first line of a file that begins with a name, and returns the text after the separator.
func field(path, name, separator string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if key, value, ok := strings.Cut(lines.Text(), separator); ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// size is a number of bytes for people.
func size(n int64) string { return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30)) }
