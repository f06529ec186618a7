package kernels

import (
	"embed"

	"github.com/klauspost/compress/zstd"
)

//go:embed all:objects
var objects embed.FS

// HasObjects reports whether there are code objects for an architecture.
func HasObjects(arch string) bool {
	_, err := objects.Open("objects/" + arch + "/manifest.txt")
	return err == nil
}

// Object returns the code object that clang-19 made of a family for arch, and false if there is none. There is one of
// every family for gfx1100, the GPU that is emulated.
func Object(name, arch string) ([]byte, bool) {
	packed, err := objects.ReadFile("objects/" + arch + "/" + name + ".hsaco.zst")
	if err != nil {
		return nil, false
	}
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, false
	}
	defer d.Close()
	object, err := d.DecodeAll(packed, nil)
	return object, err == nil
}
