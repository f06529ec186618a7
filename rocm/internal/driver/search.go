package driver

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/gorocm/gorocm/internal/dl"
)

// Library is a loaded shared library. Libraries are never unloaded, which drivers do not survive.
type Library struct {
	Handle uintptr
	Path   string   // where the loader found it
	Tried  []string // the names tried up to the one that loaded
}

// Search says where a library may be.
type Search struct {
	Name    string   // libamdhip64.so
	Names   []string // what to try, best first, as Linux names it: see dl.FileNames
	Folders []string // searched before the loader's own path
}

// The versions in file names. HIP's is mostly its major version; NVRTC's is CUDA's.
var (
	hipVersions   = []string{"10", "7", "6", "5"}
	nvrtcVersions = []string{"13", "12", "11.2", "11.1", "11.0"}
)

// Versioned is name, then name with each version.
func Versioned(name string, versions []string) []string {
	names := []string{name}
	for _, v := range versions {
		names = append(names, name+"."+v)
	}
	return names
}

func searchHIP() Search {
	return Search{"libamdhip64.so", Versioned("libamdhip64.so", hipVersions), hipFolders()}
}

// SearchHIPRTC searches the folder of the HIP runtime first, and only for the runtime's own version: two major versions
// clash in a process. The file names of some releases of HIP 10 still have the version 7, so both numbers are tried.
func SearchHIPRTC(hip *Library, major, minor int32) Search {
	const name = "libhiprtc.so"
	if hip == nil {
		return Search{name, Versioned(name, hipVersions), ROCmFolders()}
	}
	folders := ROCmFolders()
	if filepath.IsAbs(hip.Path) {
		folders = append([]string{filepath.Dir(hip.Path)}, folders...)
	}
	if runtime.GOOS == "windows" { // the name has both numbers
		return Search{name, []string{fmt.Sprintf("%s.%d.%d", name, major, minor)}, folders}
	}
	path := hip.Path
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	var names []string
	if _, version, ok := strings.Cut(filepath.Base(path), ".so."); ok {
		version, _, _ = strings.Cut(version, ".")
		names = append(names, name+"."+version)
	}
	if own := fmt.Sprintf("%s.%d", name, major); !slices.Contains(names, own) {
		names = append(names, own)
	}
	return Search{name, names, folders}
}

func SearchCUDA() Search {
	return Search{"libcuda.so.1", []string{"libcuda.so.1"}, append(pathList("GOROCM_LIBRARY_PATH"), driverFolders()...)}
}

func SearchNVRTC() Search {
	return Search{"libnvrtc.so", Versioned("libnvrtc.so", nvrtcVersions), CUDAFolders()}
}

// Candidates lists what to load: files that exist in the folders, then bare names for the loader's own search.
func (s Search) Candidates() []string {
	var list []string
	seen := map[string]bool{}
	names := dl.FileNames(s.Names...)
	for _, folder := range s.Folders {
		for _, name := range names {
			for _, path := range matching(filepath.Join(folder, name)) {
				if !seen[path] {
					seen[path] = true
					list = append(list, path)
				}
			}
		}
	}
	return append(list, names...)
}

// matching are the files that a path names, which may be a pattern, in falling order.
func matching(path string) []string {
	if isPattern(path) {
		found, _ := filepath.Glob(path)
		slices.Reverse(found)
		return found
	}
	if _, err := os.Stat(path); err != nil {
		return nil
	}
	return []string{path}
}

// isPattern reports whether a path is one of dl.FileNames that is no file's name.
func isPattern(path string) bool { return strings.Contains(filepath.Base(path), "?") }

// Load loads the first candidate that can be loaded. The error lists all names and the loader's messages.
func (s Search) Load() (*Library, error) {
	var tried, words []string
	for _, path := range s.Candidates() {
		tried = append(tried, path)
		if isPattern(path) {
			continue
		}
		handle, err := dl.Open(path)
		if err != nil {
			if w := err.Error(); !slices.Contains(words, w) {
				words = append(words, w)
			}
			continue
		}
		return &Library{Handle: handle, Path: loadedPath(handle, path), Tried: tried}, nil
	}
	detail := "tried " + strings.Join(tried, ", ")
	if len(s.Folders) > 0 {
		detail += "\nafter the folders " + strings.Join(s.Folders, ", ")
	}
	detail += "\n" + strings.Join(words, "\n")
	return nil, &Error{Op: "load " + s.label(), Text: "not found", Detail: detail, Kind: ErrNoLibrary, Tried: tried}
}

// Find returns the first candidate that is a file in one of the folders, without loading it: its handle is 0. It
// returns nil where there is none; the loader may know others.
func (s Search) Find() *Library {
	var tried []string
	for _, path := range s.Candidates() {
		tried = append(tried, path)
		if _, err := os.Stat(path); err == nil && filepath.IsAbs(path) {
			return &Library{Path: path, Tried: tried}
		}
	}
	return nil
}

// label is the name in messages: the file's on this system.
func (s Search) label() string {
	if names := dl.FileNames(s.Name); len(names) > 0 {
		return names[0]
	}
	return strings.TrimPrefix(strings.TrimSuffix(s.Name, ".so"), "lib") + ".dll"
}

// hipVersion formats HIP's number, major·10⁷ + minor·10⁵ + patch.
func hipVersion(v int32) string {
	return fmt.Sprintf("HIP %d.%d.%d", v/10_000_000, v/100_000%100, v%100_000)
}

// cudaVersion formats CUDA's number, major·1000 + minor·10.
func cudaVersion(v int32) string { return fmt.Sprintf("CUDA %d.%d", v/1000, v/10%100) }
