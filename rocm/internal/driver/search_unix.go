//go:build !windows

package driver

import (
	"bufio"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// hipFolders are the folders of the HIP runtime.
func hipFolders() []string { return ROCmFolders() }

// driverFolders are folders of the CUDA driver, other than the loader's own.
func driverFolders() []string { return []string{"/usr/lib/wsl/lib"} } // of Windows' subsystem for Linux

// CUDAFolders are the folders of CUDA's libraries other than the driver.
func CUDAFolders() []string {
	folders := pathList("GOROCM_LIBRARY_PATH")
	for _, home := range []string{os.Getenv("CUDA_HOME"), os.Getenv("CUDA_PATH"), "/usr/local/cuda"} {
		if home != "" {
			folders = append(folders, filepath.Join(home, "lib64"))
		}
	}
	return folders
}

func ROCmFolders() []string {
	folders := pathList("GOROCM_LIBRARY_PATH")
	for _, home := range []string{os.Getenv("ROCM_PATH"), os.Getenv("HIP_PATH"), "/opt/rocm"} {
		if home != "" {
			folders = append(folders, filepath.Join(home, "lib"))
		}
	}
	for _, pattern := range []string{"/opt/rocm-*/lib", "/opt/rocm/core*/lib"} {
		found, _ := filepath.Glob(pattern)
		slices.Reverse(found) // the newest first
		folders = append(folders, found...)
	}
	return folders
}

// loadedPath is the path of a library that the loader has found by itself, from this process's memory map; the name
// where that has none.
func loadedPath(_ uintptr, name string) string {
	if strings.Contains(name, "/") || runtime.GOOS != "linux" {
		return name
	}
	maps, err := os.Open("/proc/self/maps")
	if err != nil {
		return name
	}
	defer maps.Close()
	stem, _, _ := strings.Cut(name, ".so")
	for lines := bufio.NewScanner(maps); lines.Scan(); {
		if _, path, ok := strings.Cut(lines.Text(), "/"); ok && strings.HasPrefix(filepath.Base(path), stem+".so") {
			return "/" + path
		}
	}
	return name
}

// FileVersion is the version that the file's name has: 1.0.70100 of libhipblaslt.so.1.0.70100.
func (l *Library) FileVersion() string {
	path := l.Path
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	_, version, _ := strings.Cut(filepath.Base(path), ".so.")
	return version
}
