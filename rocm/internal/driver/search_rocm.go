package driver

import (
	"debug/elf"
	"debug/pe"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/gorocm/gorocm/internal/dl"
)

// SearchBesideHIP searches for a library of ROCm whose file name does not contain the release. Such a library loads the
// HIP runtime that it was built for, and two major versions of that clash in a process. So it is taken from the folder
// of the runtime in use alone, or from GOROCM_LIBRARY_PATH.
//
// On Windows the runtime is the graphics driver's, and the libraries are in the folders of the HIP SDK.
func SearchBesideHIP(hip *Library, name string, files ...string) Search {
	if !filepath.IsAbs(hip.Path) {
		return Search{name, files, pathList("GOROCM_LIBRARY_PATH")}
	}
	folders := append(pathList("GOROCM_LIBRARY_PATH"), filepath.Dir(hip.Path))
	if real, err := filepath.EvalSymlinks(hip.Path); err == nil && filepath.Dir(real) != filepath.Dir(hip.Path) {
		folders = append(folders, filepath.Dir(real))
	}
	if runtime.GOOS == "windows" {
		folders = append(folders, ROCmFolders()...)
	}
	spec := Search{Name: name}
	for _, folder := range folders {
		for _, file := range dl.FileNames(files...) {
			if path := filepath.Join(folder, file); needsSameRuntime(path, hip.Path) {
				spec.Names = append(spec.Names, path)
			}
		}
	}
	return spec
}

// needsSameRuntime reports whether a library was linked with the HIP runtime of the file hip. It is true where the
// files do not tell.
func needsSameRuntime(path, hip string) bool {
	if runtime.GOOS == "windows" {
		own := filepath.Base(hip)
		return !slices.ContainsFunc(importedDLLs(path), func(n string) bool {
			return strings.HasPrefix(strings.ToLower(n), "amdhip64") && !strings.EqualFold(n, own)
		})
	}
	needs := dynamicStrings(path, elf.DT_NEEDED)
	own := dynamicStrings(hip, elf.DT_SONAME)
	return len(own) == 0 || !slices.ContainsFunc(needs,
		func(n string) bool { return strings.HasPrefix(n, "libamdhip64.so.") && n != own[0] })
}

// importedDLLs are the names of the libraries that a file of Windows needs, none for a file that it cannot read.
func importedDLLs(path string) []string {
	f, err := pe.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	list, _ := f.ImportedSymbols() // each is symbol:library; ImportedLibraries is not implemented
	var names []string
	for _, s := range list {
		if _, name, ok := strings.Cut(s, ":"); ok && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// dynamicStrings reads entries of a shared library's dynamic section. It returns none for a file that it cannot read.
func dynamicStrings(path string, tag elf.DynTag) []string {
	f, err := elf.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	list, _ := f.DynString(tag)
	return list
}
