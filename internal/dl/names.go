package dl

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
)

// The tables of libraries name files as Linux does: libhipfft.so.0. On Windows the same libraries have other names, of
// which some contain the release: hipfft.dll, amdhip64_7.dll, hiprtc0701.dll, cublas64_13.dll, nvrtc64_130_0.dll. The
// names of AMD's are from its HIP SDK's documentation and from clr's and TheRock's build files, those of NVIDIA's from
// the release notes and deployment guides of CUDA 11 to 13 and of cuDNN 8 and 9.

// FileNames are the names on this system of the files that have these names on Linux, in the same order. Some are
// patterns, as of filepath.Match: hiprtc07??.dll.
func FileNames(names ...string) []string {
	if runtime.GOOS != "windows" {
		return names
	}
	return dllNames(names...)
}

func dllNames(names ...string) []string {
	var list []string
	for _, name := range names {
		for _, dll := range dllsOf(name) {
			if !slices.Contains(list, dll) {
				list = append(list, dll)
			}
		}
	}
	return list
}

// dllsOf are the names of one file. A name that is not a Linux library's stays as it is.
func dllsOf(name string) []string {
	stem, version, ok := strings.Cut(name, ".so")
	if !ok {
		return []string{name}
	}
	stem, version = strings.TrimPrefix(stem, "lib"), strings.TrimPrefix(version, ".")
	digits := strings.ReplaceAll(version, ".", "")
	switch stem {
	case "amdhip64": // without a version up to HIP 5
		switch version {
		case "":
			return nil
		case "5":
			return []string{"amdhip64.dll"}
		}
		return []string{"amdhip64_" + version + ".dll"}
	case "hiprtc":
		return hiprtcDLLs(version)
	case "hipblaslt": // the prefix depends on the release
		return []string{"hipblaslt.dll", "libhipblaslt.dll"}
	case "cuda":
		return []string{"nvcuda.dll"}
	case "nvidia-ml":
		return []string{"nvml.dll"}
	case "nvrtc":
		if version == "" {
			return nil
		}
		return []string{"nvrtc64_" + (digits + "0")[:3] + "_0.dll"}
	case "nvJitLink":
		return []string{fmt.Sprintf("nvJitLink_%s0_0.dll", digits)}
	case "cublas", "cublasLt", "cufft", "cusparse", "cusolver", "cudnn", "nvToolsExt":
		if version != "" {
			return []string{stem + "64_" + digits + ".dll"}
		}
	}
	return []string{stem + ".dll"}
}

// hiprtcDLLs are the names of hiprtc of a version: of 7.1 hiprtc0701.dll, then those of the other minor versions.
// Without a version there is no file.
func hiprtcDLLs(version string) []string {
	var major, minor int
	n, _ := fmt.Sscanf(version, "%d.%d", &major, &minor)
	if n == 0 {
		return nil
	}
	list := []string{fmt.Sprintf("hiprtc%02d??.dll", major)}
	if n == 2 {
		list = append([]string{fmt.Sprintf("hiprtc%02d%02d.dll", major, minor)}, list...)
	}
	return list
}
