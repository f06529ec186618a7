package driver

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/windows"
)

// TestSystemFolders: the graphics driver's HIP runtime comes before the HIP SDK's, whose folders have the other libraries,
// the newest release first.
func TestSystemFolders(t *testing.T) {
	programs := t.TempDir()
	for _, folder := range []string{`AMD\ROCm\6.4\bin`, `AMD\ROCm\7.1\bin`, `NVIDIA GPU Computing Toolkit\CUDA\v13.0\bin`} {
		if err := os.MkdirAll(filepath.Join(programs, folder), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("ProgramFiles", programs)
	t.Setenv("GOROCM_LIBRARY_PATH", `C:\mine;;D:\yours`)
	t.Setenv("ROCM_PATH", "")
	t.Setenv("HIP_PATH", `E:\sdk\`)
	t.Setenv("CUDA_HOME", "")
	t.Setenv("CUDA_PATH", `F:\cuda`)
	system, err := windows.GetSystemDirectory()
	if err != nil {
		t.Fatal(err)
	}
	own := []string{`C:\mine`, `D:\yours`}
	sdk := []string{`E:\sdk\bin`, programs + `\AMD\ROCm\7.1\bin`, programs + `\AMD\ROCm\6.4\bin`}
	toolkit := programs + `\NVIDIA GPU Computing Toolkit\CUDA\v13.0\bin`
	for what, c := range map[string]struct{ got, want []string }{
		"HIP":   {searchHIP().Folders, slices.Concat(own, []string{system}, sdk)},
		"ROCm":  {ROCmFolders(), slices.Concat(own, sdk)},
		"CUDA":  {SearchCUDA().Folders, slices.Concat(own, []string{system})},
		"NVRTC": {SearchNVRTC().Folders, slices.Concat(own, []string{`F:\cuda\bin`, `F:\cuda\bin\x64`, toolkit, toolkit + `\x64`})},
	} {
		if !slices.Equal(c.got, c.want) {
			t.Errorf("%s: %q, want %q", what, c.got, c.want)
		}
	}
}

// TestPatterns: of files that match a pattern, the greatest name is the first; a library beside the HIP runtime must need
// the same one.
func TestPatterns(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("GOROCM_LIBRARY_PATH", dir)
	for _, name := range []string{"hiprtc0602.dll", "hiprtc0604.dll", "hiprtc0701.dll", "hiprtc-builtins0602.dll"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for minor, want := range map[int32][]string{1: {"hiprtc0604.dll", "hiprtc0602.dll"}, 2: {"hiprtc0602.dll", "hiprtc0604.dll"}} {
		var got []string
		for _, path := range SearchHIPRTC(&Library{Path: `C:\windows\system32\amdhip64_6.dll`}, 6, minor).Candidates() {
			if filepath.Dir(path) == dir {
				got = append(got, filepath.Base(path))
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("for HIP 6.%d %q, want %q", minor, got, want)
		}
	}
	_, err := Search{"libgorocm-none.so", []string{"libgorocm-none.so.2"}, []string{dir}}.Load()
	if err == nil || !strings.HasPrefix(err.Error(), "rocm: load gorocm-none.dll: not found\n  tried gorocm-none.dll\n  after the folders "+dir) {
		t.Errorf("error %v", err)
	}
}

// TestLoadedPath: a library that the system finds by its name has a path.
func TestLoadedPath(t *testing.T) {
	lib, err := Search{"kernel32.dll", []string{"kernel32.dll"}, nil}.Load()
	if err != nil || !filepath.IsAbs(lib.Path) || !strings.EqualFold(filepath.Base(lib.Path), "kernel32.dll") {
		t.Errorf("%+v, %v", lib, err)
	}
	if v := lib.FileVersion(); !strings.HasPrefix(v, "6.") && !strings.HasPrefix(v, "10.") {
		t.Errorf("kernel32.dll has the version %q, want that of Windows", v)
	}
	if v := (&Library{Path: os.Args[0]}).FileVersion(); v != "" {
		t.Errorf("this program has the version %q", v)
	}
	if needed := importedDLLs(os.Args[0]); !slices.ContainsFunc(needed, func(n string) bool { return strings.EqualFold(n, "kernel32.dll") }) {
		t.Errorf("this program needs %q", needed)
	}
}
