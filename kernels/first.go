package kernels

import (
	"encoding/binary"
	"slices"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// FirstTargets are the targets for which FirstPages are embedded, so that a first session does not wait for a compiler:
// LLVM's generic targets of RDNA 2, 3 and 4, and CDNA 3, whose generic target clang-19 does not know. A file of 200 KB
// has all kernels of a target: compressed one by one, they take twice as much.
var FirstTargets = []string{"gfx10-3-generic", "gfx11-generic", "gfx12-generic", "gfx942"}

var firstObjects struct {
	sync.Mutex
	of map[string]map[string][]byte // by target and kernel
}

// FirstObject returns the code object that clang-19 compiled from a kernel of FirstPages for one of FirstTargets, and
// false for others. The kernels of a target, a megabyte, stay in memory.
func FirstObject(kernel, target string) ([]byte, bool) {
	if !slices.Contains(FirstTargets, target) {
		return nil, false
	}
	firstObjects.Lock()
	defer firstObjects.Unlock()
	objects, opened := firstObjects.of[target]
	if !opened {
		if firstObjects.of == nil {
			firstObjects.of = map[string]map[string][]byte{}
		}
		objects = readFirst(target)
		firstObjects.of[target] = objects
	}
	object, ok := objects[kernel]
	return object, ok
}

func readFirst(target string) map[string][]byte {
	packed, err := objects.ReadFile("objects/first/" + target + ".zst")
	if err != nil {
		return nil
	}
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil
	}
	defer d.Close()
	data, err := d.DecodeAll(packed, nil)
	if err != nil {
		return nil
	}
	return unpackFirst(data)
}

// unpackFirst separates the code objects of FirstPages, which lie one after the other: the length of each in four
// bytes, the lowest first, and the object. It returns nil if they are not complete.
func unpackFirst(data []byte) map[string][]byte {
	all := map[string][]byte{}
	for _, kernel := range FirstPages {
		if len(data) < 4 {
			return nil
		}
		n := uint64(binary.LittleEndian.Uint32(data))
		if n > uint64(len(data)-4) {
			return nil
		}
		all[kernel] = data[4 : 4+n : 4+n]
		data = data[4+n:]
	}
	if len(data) > 0 {
		return nil
	}
	return all
}
