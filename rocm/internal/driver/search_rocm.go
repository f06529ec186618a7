package driver

import (
	"debug/elf"
	"path/filepath"
	"slices"
	"strings"
)

// SearchBesideHIP looks for a library of ROCm whose file's name does not tell which release it is of. It brings the HIP runtime that it was built for into
// the process, and two majors of that clash: only the folder of the runtime in use has the right one, unless the user names another.
func SearchBesideHIP(hip *Library, name string, files ...string) Search {
	if !filepath.IsAbs(hip.Path) {
		return Search{name, files, pathList("GOROCM_LIBRARY_PATH")}
	}
	folders := append(pathList("GOROCM_LIBRARY_PATH"), filepath.Dir(hip.Path))
	if real, err := filepath.EvalSymlinks(hip.Path); err == nil && filepath.Dir(real) != filepath.Dir(hip.Path) {
		folders = append(folders, filepath.Dir(real))
	}
	spec := Search{Name: name}
	for _, folder := range folders {
		for _, file := range files {
			if path := filepath.Join(folder, file); needsSameRuntime(path, hip.Path) {
				spec.Names = append(spec.Names, path)
			}
		}
	}
	return spec
}

// needsSameRuntime reports whether a library needs no other HIP runtime than the file hip: false only where both files say so.
func needsSameRuntime(path, hip string) bool {
	needs := dynamicStrings(path, elf.DT_NEEDED)
	own := dynamicStrings(hip, elf.DT_SONAME)
	return len(own) == 0 || !slices.ContainsFunc(needs, func(n string) bool { return strings.HasPrefix(n, "libamdhip64.so.") && n != own[0] })
}

// dynamicStrings reads entries of a shared library's dynamic section; none where it cannot.
func dynamicStrings(path string, tag elf.DynTag) []string {
	f, err := elf.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	list, _ := f.DynString(tag)
	return list
}
