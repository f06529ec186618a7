package emulator

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"strings"
)

const bundleMagic = "__CLANG_OFFLOAD_BUNDLE__"

// unbundle returns the gfx1100 code object of a clang offload bundle, or object itself when it is none.
func unbundle(object []byte) ([]byte, error) { return unbundleFor(object, "gfx1100") }

// unbundleFor returns the code object for an architecture. For none it is the only one that the bundle has.
func unbundleFor(object []byte, arch string) ([]byte, error) {
	if !bytes.HasPrefix(object, []byte(bundleMagic)) {
		return object, nil
	}
	b := object[len(bundleMagic):]
	if len(b) < 8 {
		return nil, badObject("truncated offload bundle")
	}
	count := binary.LittleEndian.Uint64(b)
	b = b[8:]
	var targets []string
	var last []byte
	for range min(count, 1024) {
		if len(b) < 24 {
			return nil, badObject("truncated offload bundle")
		}
		offset, size, n := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:]),
			binary.LittleEndian.Uint64(b[16:])
		b = b[24:]
		if n > uint64(len(b)) || offset > uint64(len(object)) || size > uint64(len(object))-offset {
			return nil, badObject("truncated offload bundle")
		}
		target := string(b[:n])
		b = b[n:]
		if bytes.Contains([]byte(target), []byte("amdgcn-amd-amdhsa")) {
			targets, last = append(targets, target), object[offset:offset+size]
			if arch != "" && strings.Contains(target, arch) {
				return last, nil
			}
		}
	}
	if arch == "" && len(targets) == 1 {
		return last, nil
	}
	return nil, errorf(CodeNoBinaryForGPU, "load", "the offload bundle has no code object for %s; it has %q",
		cmp.Or(arch, "one GPU alone"), targets)
}
