package compile

import (
	"bytes"
	"compress/zlib"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/gorocm/gorocm/rocm/emulator"
	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// What compilers write of kernels for AMD GPUs, from the inside out:
//
//   - a code object: an ELF file for one target, such as gfx1100 or gfx90a:sramecc+:xnack-;
//   - a bundle of clang-offload-bundler: code objects for several targets, each with its name;
//   - a compressed bundle: a header, then a bundle that zstd or zlib has compressed;
//   - a program or a shared library: an ELF file for the host with a bundle in its section .hip_fatbin.
//
// The formats are those of LLVM's pages "Clang Offload Bundler" and "User Guide for AMDGPU Backend".
const (
	bundleMagic     = "__CLANG_OFFLOAD_BUNDLE__"
	compressedMagic = "CCOB"
	fatbinSection   = ".hip_fatbin"
	deviceTriple    = "amdgcn-amd-amdhsa"
	machineAMDGPU   = elf.Machine(224)
	maxObjectBytes  = 1 << 30
)

// targetName matches the target in the name of a bundle's entry.
var targetName = regexp.MustCompile(`gfx[0-9a-f]+(-[0-9]+)?(-generic)?(:[a-z]+[+-])*$`)

// bundled is a code object of a bundle.
type bundled struct {
	target string
	object []byte
}

// PickObject returns the code object for an architecture in the bytes of a file: a code object, a bundle of them, or a
// program with such a bundle. The error lists the targets that there are.
func PickObject(data []byte, arch string) ([]byte, error) {
	list, err := bundledObjects(data, 0)
	if err != nil {
		return nil, err
	}
	arch, _, _ = driver.SplitEmulated(arch)
	best, rank := -1, 0
	var targets []string
	for i, b := range list {
		if r := fitsTarget(b.target, arch); r > rank {
			best, rank = i, r
		}
		if !slices.Contains(targets, b.target) {
			targets = append(targets, b.target)
		}
	}
	if best >= 0 {
		return list[best].object, nil
	}
	has := "it has no code for AMD GPUs"
	if len(targets) > 0 {
		has = "it has " + strings.Join(targets, ", ")
	}
	return nil, &driver.Error{Text: "there is no code object for " + arch + ": " + has, Kind: driver.ErrUnsupported,
		Detail: "compile it for this GPU, too: --offload-arch=" + arch}
}

func badFile(format string, args ...any) error {
	return &driver.Error{Text: fmt.Sprintf(format, args...), Kind: driver.ErrUnsupported}
}

// bundledObjects lists the code objects of a file.
func bundledObjects(data []byte, depth int) ([]bundled, error) {
	const deepest = 3 // a compressed bundle in a program
	switch {
	case depth == deepest:
		return nil, badFile("bundles are nested too deeply")
	case bytes.HasPrefix(data, []byte(bundleMagic)):
		return readBundle(data)
	case bytes.HasPrefix(data, []byte(compressedMagic)):
		plain, err := decompressBundle(data)
		if err != nil {
			return nil, err
		}
		return bundledObjects(plain, depth+1)
	case !bytes.HasPrefix(data, []byte(elf.ELFMAG)):
		return nil, badFile("it is no code object: its %d bytes begin with %q, not with an ELF header or the mark of "+
			"an offload bundle", len(data), data[:min(8, len(data))])
	}
	f, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		return nil, badFile("damaged ELF file of %d bytes: %v", len(data), err)
	}
	if f.Machine == machineAMDGPU {
		return []bundled{{objectTarget(data), data}}, nil
	}
	section := f.Section(fatbinSection)
	if section == nil || section.Type == elf.SHT_NOBITS || section.Size > uint64(len(data)) {
		return nil, badFile("it is an ELF file for %v without kernels: it has no section %s", f.Machine, fatbinSection)
	}
	fatbin, err := section.Data()
	if err != nil {
		return nil, badFile("damaged section %s: %v", fatbinSection, err)
	}
	return fatbinObjects(fatbin, depth)
}

// fatbinObjects lists the code objects of a section of bundles. Each source file has one, and which of them has a
// kernel only the program knows: there may be one.
func fatbinObjects(section []byte, depth int) ([]bundled, error) {
	count := bytes.Count(section, []byte(bundleMagic))
	if count == 0 {
		count = bytes.Count(section, []byte(compressedMagic))
	}
	if count != 1 {
		return nil, badFile("its section %s has %d bundles, one for each source file: load the object file of one source",
			fatbinSection, count)
	}
	return bundledObjects(section, depth+1)
}

// readBundle reads a bundle: the magic, the number of entries, then of each the offset, the size, and the name.
func readBundle(data []byte) (list []bundled, err error) {
	truncated := badFile("truncated offload bundle of %d bytes", len(data))
	b := data[len(bundleMagic):]
	word := func() uint64 {
		if len(b) < 8 {
			err, b = truncated, nil
			return 0
		}
		v := binary.LittleEndian.Uint64(b)
		b = b[8:]
		return v
	}
	for range word() {
		offset, size, n := word(), word(), word()
		if err == nil && (n > uint64(len(b)) || offset > uint64(len(data)) || size > uint64(len(data))-offset) {
			err = truncated
		}
		if err != nil {
			return nil, err
		}
		name := string(b[:n])
		b = b[n:]
		if target := targetName.FindString(name); strings.Contains(name, deviceTriple) && target != "" {
			list = append(list, bundled{target, data[offset : offset+size]})
		}
	}
	return list, err
}

// decompressBundle reads a compressed bundle: the magic, the version and the method in 16 bits each, sizes, a checksum,
// then the data. The sizes have 32 bits, and 64 from version 3 on; version 1 has that of the plain bundle alone.
func decompressBundle(data []byte) ([]byte, error) {
	le := binary.LittleEndian
	if len(data) < 32 {
		return nil, badFile("truncated compressed bundle of %d bytes", len(data))
	}
	version, method := le.Uint16(data[4:]), le.Uint16(data[6:])
	var size uint64
	var header int
	switch version {
	case 1:
		size, header = uint64(le.Uint32(data[8:])), 20
	case 2:
		size, header = uint64(le.Uint32(data[12:])), 24
	case 3:
		size, header = le.Uint64(data[16:]), 32
	default:
		return nil, badFile("compressed bundle of version %d: versions 1 to 3 are read", version)
	}
	if size > maxObjectBytes {
		return nil, badFile("compressed bundle of %d bytes: at most %d are read", size, maxObjectBytes)
	}
	var r io.Reader
	switch method {
	case 0:
		z, err := zlib.NewReader(bytes.NewReader(data[header:]))
		if err != nil {
			return nil, badFile("damaged compressed bundle: %v", err)
		}
		r = z
	case 1:
		z, err := zstd.NewReader(bytes.NewReader(data[header:]), zstd.WithDecoderConcurrency(1),
			zstd.WithDecoderMaxMemory(maxObjectBytes))
		if err != nil {
			return nil, badFile("damaged compressed bundle: %v", err)
		}
		defer z.Close()
		r = z
	default:
		return nil, badFile("bundle that is compressed by method %d: zlib (0) and zstd (1) are read", method)
	}
	plain := bytes.NewBuffer(make([]byte, 0, min(size, 64<<20))) // the size is not to be trusted with memory
	_, err := io.CopyN(plain, r, int64(size))
	if err != nil {
		return nil, badFile("damaged compressed bundle: %d of %d bytes: %v", plain.Len(), size, err)
	}
	return plain.Bytes(), nil
}

// objectTarget is the target of a code object, from the flags of its ELF header.
func objectTarget(object []byte) string {
	flags := binary.LittleEndian.Uint32(object[48:])
	_, arch, _ := emulator.Inspect(object)
	if arch == "" {
		return fmt.Sprintf("machine %#x", flags&0xff)
	}
	for _, feature := range []struct {
		name string
		bits uint32
	}{{"sramecc", flags >> 10 & 3}, {"xnack", flags >> 8 & 3}} {
		switch feature.bits {
		case 2:
			arch += ":" + feature.name + "-"
		case 3:
			arch += ":" + feature.name + "+"
		}
	}
	return arch
}

// genericTargets are the GPUs that LLVM's generic targets run on.
var genericTargets = map[string][]string{
	"gfx9-generic": {"gfx900", "gfx902", "gfx904", "gfx906", "gfx909", "gfx90c"}, "gfx9-4-generic": {"gfx940", "gfx941", "gfx942", "gfx950"},
	"gfx10-1-generic": {"gfx1010", "gfx1011", "gfx1012", "gfx1013"},
	"gfx10-3-generic": {"gfx1030", "gfx1031", "gfx1032", "gfx1033", "gfx1034", "gfx1035", "gfx1036"},
	"gfx11-generic":   {"gfx1100", "gfx1101", "gfx1102", "gfx1103", "gfx1150", "gfx1151", "gfx1152", "gfx1153"},
	"gfx12-generic":   {"gfx1200", "gfx1201"},
}

// GenericTargets are LLVM's generic targets that a GPU runs, which is named without features.
func GenericTargets(gpu string) []string {
	var targets []string
	for target, on := range genericTargets {
		if slices.Contains(on, gpu) {
			targets = append(targets, target)
		}
	}
	slices.Sort(targets)
	return targets
}

// fitsTarget ranks how well code for a target fits a GPU, 0 where it does not run there. A target that names the state
// of a feature runs only where it is so; one that names none runs in both states.
func fitsTarget(target, gpu string) (rank int) {
	base, features, _ := strings.Cut(target, ":")
	of, has, _ := strings.Cut(gpu, ":")
	switch {
	case base == of:
		rank = 10
	case slices.Contains(genericTargets[base], of):
		rank = 1
	default:
		return 0
	}
	for feature := range strings.SplitSeq(features, ":") {
		if feature == "" {
			continue
		}
		other := feature[:len(feature)-1] + map[byte]string{'+': "-", '-': "+"}[feature[len(feature)-1]]
		if slices.Contains(strings.Split(has, ":"), other) {
			return 0
		}
		rank++
	}
	return rank
}
