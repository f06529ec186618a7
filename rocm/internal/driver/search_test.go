package driver

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func TestCandidates(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("about names of Linux; TestSystemFolders is about those of Windows")
	}
	first, second := t.TempDir(), t.TempDir()
	for _, path := range []string{filepath.Join(first, "libx.so.6"), filepath.Join(second, "libx.so"), filepath.Join(second, "libx.so.7")} {
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got := Search{"libx.so", Versioned("libx.so", []string{"7", "6"}), []string{first, "/nonexistent", second, first}}.Candidates()
	want := []string{filepath.Join(first, "libx.so.6"), filepath.Join(second, "libx.so"), filepath.Join(second, "libx.so.7"),
		"libx.so", "libx.so.7", "libx.so.6"}
	if !slices.Equal(got, want) {
		t.Errorf("candidates\n%q, want\n%q", got, want)
	}
}

func TestSearchFolders(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("about names of Linux; TestSystemFolders is about those of Windows")
	}
	t.Setenv("GOROCM_LIBRARY_PATH", "/mine::/yours")
	t.Setenv("ROCM_PATH", "/rocm")
	t.Setenv("HIP_PATH", "")
	t.Setenv("CUDA_HOME", "/cuda")
	t.Setenv("CUDA_PATH", "")
	if got, want := ROCmFolders()[:4], []string{"/mine", "/yours", "/rocm/lib", "/opt/rocm/lib"}; !slices.Equal(got, want) {
		t.Errorf("for HIP %q, want %q", got, want)
	}
	if got, want := SearchNVRTC().Folders, []string{"/mine", "/yours", "/cuda/lib64", "/usr/local/cuda/lib64"}; !slices.Equal(got, want) {
		t.Errorf("for NVRTC %q, want %q", got, want)
	}
	// hiprtc is that of the runtime: the same folder first, the same version only.
	dir := t.TempDir()
	if err := errors.Join(os.WriteFile(dir+"/libamdhip64.so.7.1.2", nil, 0o600), os.Symlink("libamdhip64.so.7.1.2", dir+"/libamdhip64.so")); err != nil {
		t.Fatal(err)
	}
	spec := SearchHIPRTC(&Library{Path: dir + "/libamdhip64.so"}, 10, 0)
	if want := []string{"libhiprtc.so.7", "libhiprtc.so.10"}; !slices.Equal(spec.Names, want) || spec.Folders[0] != dir {
		t.Errorf("hiprtcSpec = %+v", spec)
	}
	if spec := SearchHIPRTC(&Library{Path: "libamdhip64.so.6"}, 6, 2); !slices.Equal(spec.Names, []string{"libhiprtc.so.6"}) || spec.Folders[0] != "/mine" {
		t.Errorf("hiprtcSpec = %+v", spec)
	}
}

func TestFileVersion(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("about names of Linux; TestSystemFolders is about those of Windows")
	}
	dir := t.TempDir()
	if err := errors.Join(os.WriteFile(dir+"/libx.so.1.0.70100", nil, 0o600), os.Symlink("libx.so.1.0.70100", dir+"/libx.so.1")); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{dir + "/libx.so.1": "1.0.70100", "libx.so.3": "3", "/nonexistent/libx.so": ""} {
		if got := (&Library{Path: path}).FileVersion(); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}

// TestFind: a file in a folder is found whatever it contains, and a name that the loader knows is not.
func TestFind(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("about names of Linux; TestSystemFolders is about those of Windows")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "libc.so.6")
	search := Search{"libc.so", []string{"libc.so.7", "libc.so.6"}, []string{"/nonexistent", dir}}
	if l := search.Find(); l != nil {
		t.Errorf("found %+v", l)
	}
	if err := os.WriteFile(path, []byte("not a library"), 0o600); err != nil {
		t.Fatal(err)
	}
	if l := search.Find(); l == nil || l.Path != path || l.Handle != 0 || !slices.Equal(l.Tried, []string{path}) {
		t.Errorf("found %+v, want %s", l, path)
	}
}

func TestLoadSaysWhatWasTried(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("about names of Linux; TestSystemFolders is about those of Windows")
	}
	dir := t.TempDir()
	broken := filepath.Join(dir, "libgorocm-none.so.2")
	if err := os.WriteFile(broken, []byte("not a library"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Search{"libgorocm-none.so", Versioned("libgorocm-none.so", []string{"2", "1"}), []string{dir}}.Load()
	var e *Error
	if !errors.As(err, &e) || !errors.Is(err, ErrNoLibrary) {
		t.Fatal(err)
	}
	if want := []string{broken, "libgorocm-none.so", "libgorocm-none.so.2", "libgorocm-none.so.1"}; !slices.Equal(e.Tried, want) {
		t.Errorf("tried %q, want %q", e.Tried, want)
	}
	for _, want := range []string{"rocm: load libgorocm-none.so: not found\n  tried " + broken + ", ", "after the folders " + dir,
		"libgorocm-none.so.1: cannot open shared object file"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is missing in: %v", want, err)
		}
	}
}

func TestBindListsMissingCalls(t *testing.T) {
	lib, err := Search{"libc.so.6", []string{"libc.so.6"}, nil}.Load()
	if err != nil {
		t.Skip("no libc.so.6 on this system")
	}
	var table struct {
		length  func(s *byte) uintptr `hip:"strlen"`
		absent  func() Code           `hip:"gorocmAbsent"`
		absent2 func() Code           `hip:"gorocmAbsentToo"`
		option  func() Code           `hip:"?gorocmOptional"`
		other   func() Code           `cuda:"abs"`
		plain   int
	}
	err = Bind(&table, "hip", lib)
	if !errors.Is(err, ErrNoLibrary) || !strings.Contains(err.Error(), "lacks gorocmAbsent, gorocmAbsentToo") {
		t.Errorf("bind: %v", err)
	}
	if table.option != nil || table.other != nil || table.length(CString("four")) != 4 {
		t.Error("bind filled the wrong fields")
	}
	if !filepath.IsAbs(lib.Path) {
		t.Errorf("path of libc is %q", lib.Path)
	}
}

func TestArchName(t *testing.T) {
	p := make([]byte, propertiesSize)
	copy(p, "gfx card") // a name that looks like an architecture
	if got := archName(p, archOffsetR0600); got != "" {
		t.Errorf("without one: %q", got)
	}
	copy(p[1200:], "gfx1201")
	if got := archName(p, archOffsetR0600); got != "gfx1201" {
		t.Errorf("moved: %q", got)
	}
	copy(p[archOffsetR0600:], "gfx90a:sramecc+\x00")
	if got := archName(p, archOffsetR0600); got != "gfx90a:sramecc+" {
		t.Errorf("in place: %q", got)
	}
}

func TestVersionTexts(t *testing.T) {
	for got, want := range map[string]string{
		hipVersion(50221153): "HIP 5.2.21153", hipVersion(60342134): "HIP 6.3.42134", hipVersion(100226306): "HIP 10.2.26306",
		cudaVersion(12080): "CUDA 12.8", cudaVersion(13000): "CUDA 13.0",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
