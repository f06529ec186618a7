package build

import (
	"encoding/binary"
	"errors"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/gorocm/gorocm/kernels"
)

// firstFlags are clang's flags for kernels.FirstObject. Generic targets have code objects of version 6, of which
// clang-19 warns that it is in development: what was made so loads in what LLVM's later versions specify. The same
// sources are compiled without a warning for gfx1100.
func firstFlags(target string) []string {
	flags := slices.DeleteFunc(slices.Clone(Flags), func(f string) bool { return f == "-Werror" || f == "-Wall" })
	if strings.HasSuffix(target, "-generic") {
		flags = append(flags, "-mcode-object-version=6")
	}
	return append(flags, "-w", "--offload-arch="+target)
}

// CompileFirst compiles a kernel of kernels.FirstPages for one of kernels.FirstTargets.
func CompileFirst(kernel, target string) ([]byte, error) {
	source, err := kernels.KernelSource(kernel)
	if err != nil {
		return nil, err
	}
	return compileSource(kernel, source, target, firstFlags(target))
}

// FirstHash is the hash of all that determines the objects of a target.
func FirstHash(target, compiler string) (string, error) {
	text := compiler + "\x00" + strings.Join(firstFlags(target), " ")
	for _, kernel := range kernels.FirstPages {
		source, err := kernels.KernelSource(kernel)
		if err != nil {
			return "", err
		}
		text += "\x00" + kernel + "\x00" + withoutComments(source)
	}
	return hash([]byte(text)), nil
}

// WriteFirst compiles kernels.FirstPages for kernels.FirstTargets into dir and records the inputs, as Write does.
func WriteFirst(dir string) error {
	compiler, err := Compiler()
	if err != nil {
		return err
	}
	zip, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return err
	}
	made, err := current(dir, ".zst")
	if err != nil {
		return err
	}
	m := Manifest{Compiler: compiler}
	for _, target := range kernels.FirstTargets {
		source, err := FirstHash(target, compiler)
		if err != nil {
			return err
		}
		e, ok := made[target]
		if !ok || e.Source != source {
			objects, err := compileAllFirst(target)
			if err != nil {
				return err
			}
			all := packFirst(objects)
			if err := writeIfChanged(filepath.Join(dir, target+".zst"), zip.EncodeAll(all, nil)); err != nil {
				return err
			}
			e = Entry{target, source, ObjectHash(all)}
		}
		m.Entries = append(m.Entries, e)
	}
	return writeIfChanged(filepath.Join(dir, "manifest.txt"), []byte(m.Text()))
}

// packFirst makes one text of code objects: the length of each in four bytes, the lowest first, and the object.
func packFirst(objects [][]byte) []byte {
	var data []byte
	for _, o := range objects {
		data = binary.LittleEndian.AppendUint32(data, uint32(len(o)))
		data = append(data, o...)
	}
	return data
}

// compileAllFirst compiles the kernels for a target, as many at a time as there are processors.
func compileAllFirst(target string) ([][]byte, error) {
	objects, errs := make([][]byte, len(kernels.FirstPages)), make([]error, len(kernels.FirstPages))
	slots := make(chan struct{}, runtime.NumCPU())
	var wg sync.WaitGroup
	for i, kernel := range kernels.FirstPages {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			objects[i], errs[i] = CompileFirst(kernel, target)
		})
	}
	wg.Wait()
	return objects, errors.Join(errs...)
}
