package kernels

import (
	"embed"

	"github.com/klauspost/compress/zstd"
)

//go:embed all:objects
var objects embed.FS

// HasObjects reports whether code objects for an architecture are embedded.
func HasObjects(arch string) bool {
	_, err := objects.Open("objects/" + arch + "/manifest.txt")
	return err == nil
}

// Object returns the code object that clang-19 compiled from a family for arch, and false if none is embedded. For
// gfx1100, the emulated GPU, every family has one.
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
