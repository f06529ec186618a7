package models

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/gorocm/gorocm/tensor/models/vision"
)

// mmprojBeside is the mmproj file of llama.cpp in the folder of a GGUF file whose rows have a width, or "" for none:
// one with mmproj in its name.
func mmprojBeside(path string, width int) (found string, err error) {
	list, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return "", err
	}
	var all []string
	for _, f := range list {
		name := strings.ToLower(f.Name())
		if !strings.Contains(name, "mmproj") || filepath.Ext(name) != ".gguf" || f.Name() == filepath.Base(path) {
			continue
		}
		if file := filepath.Join(filepath.Dir(path), f.Name()); vision.GGUFWidth(file) == width {
			all = append(all, file)
		}
	}
	switch len(all) {
	case 0:
		return "", nil
	case 1:
		return all[0], nil
	}
	return "", fmt.Errorf("models: there are several mmproj files for rows of a width of %d: want one of %s in the folder",
		width, strings.Join(all, ", "))
}

// qwenImageToken is the token of images in Qwen's vocabularies.
const qwenImageToken = "<|image_pad|>"
