package driver

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unsafe"

	"golang.org/x/sys/windows"
)

// driverFolders is the system's folder, where graphics drivers install nvcuda.dll and amdhip64_*.dll.
func driverFolders() []string {
	system, err := windows.GetSystemDirectory()
	if err != nil {
		return nil
	}
	return []string{system}
}

// hipFolders are the folders of the HIP runtime: the graphics driver's, which matches it, comes before the HIP SDK's.
func hipFolders() []string {
	return append(append(pathList("GOROCM_LIBRARY_PATH"), driverFolders()...), sdkFolders()...)
}

// ROCmFolders are the folders of AMD's libraries other than the HIP runtime.
func ROCmFolders() []string { return append(pathList("GOROCM_LIBRARY_PATH"), sdkFolders()...) }

// sdkFolders are those of AMD's HIP SDK.
func sdkFolders() []string {
	return binFolders([]string{os.Getenv("ROCM_PATH"), os.Getenv("HIP_PATH")}, `AMD\ROCm\*`)
}

// CUDAFolders are the folders of CUDA's libraries other than the driver.
func CUDAFolders() []string {
	bin := binFolders([]string{os.Getenv("CUDA_HOME"), os.Getenv("CUDA_PATH")}, `NVIDIA GPU Computing Toolkit\CUDA\v*`)
	folders := pathList("GOROCM_LIBRARY_PATH")
	for _, folder := range bin {
		folders = append(folders, folder, filepath.Join(folder, "x64")) // CUDA 13 has the latter
	}
	return folders
}

// binFolders are the folders bin below some folders, and below those below Program Files that match a pattern, the
// newest first.
func binFolders(homes []string, pattern string) []string {
	if programs := os.Getenv("ProgramFiles"); programs != "" {
		found, _ := filepath.Glob(filepath.Join(programs, pattern))
		slices.Reverse(found)
		homes = append(homes, found...)
	}
	var folders []string
	for _, home := range homes {
		if bin := filepath.Join(home, "bin"); home != "" && !slices.Contains(folders, bin) {
			folders = append(folders, bin)
		}
	}
	return folders
}

// loadedPath is the path of a library that the loader has found by itself.
func loadedPath(handle uintptr, name string) string {
	path := make([]uint16, windows.MAX_LONG_PATH)
	n, err := windows.GetModuleFileName(windows.Handle(handle), &path[0], uint32(len(path)))
	if err != nil || strings.ContainsAny(name, `\/`) {
		return name
	}
	return windows.UTF16ToString(path[:n])
}

// FileVersion is the version that the file says it has, "" if it says none.
func (l *Library) FileVersion() string {
	size, err := windows.GetFileVersionInfoSize(l.Path, nil)
	if err != nil || size == 0 {
		return ""
	}
	block := make([]byte, size)
	if windows.GetFileVersionInfo(l.Path, 0, size, unsafe.Pointer(&block[0])) != nil {
		return ""
	}
	var info *windows.VS_FIXEDFILEINFO
	if windows.VerQueryValue(unsafe.Pointer(&block[0]), `\`, unsafe.Pointer(&info), &size) != nil || info == nil {
		return ""
	}
	return fmt.Sprintf("%d.%d.%d", info.FileVersionMS>>16, info.FileVersionMS&0xffff, info.FileVersionLS>>16)
}
