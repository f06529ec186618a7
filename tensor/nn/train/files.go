package train

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/formats"
	"github.com/gorocm/gorocm/tensor/limits"
)

// ImageFolder is the images below a folder, with the folders in it as their classes, as torchvision's ImageFolder has
// them. An item is an image of U8 [channels height width] on the host, as formats.ReadImage reads it but without
// opacity, and its class, a scalar of I64.
type ImageFolder struct {
	Classes []string // the names of the folders, sorted
	Paths   []string // of the images, by class and name
	Labels  []int    // the class of each
}

var imageEndings = []string{".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".tif", ".tiff"}

// Images lists the images in the folders of a folder. Files are read when their items are asked for.
func Images(folder string) (*ImageFolder, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	f := &ImageFolder{}
	for _, class := range entries {
		if !class.IsDir() {
			continue
		}
		files, err := os.ReadDir(filepath.Join(folder, class.Name()))
		if err != nil {
			return nil, err
		}
		f.Classes = append(f.Classes, class.Name())
		for _, file := range files {
			if slices.Contains(imageEndings, strings.ToLower(filepath.Ext(file.Name()))) {
				f.Paths = append(f.Paths, filepath.Join(folder, class.Name(), file.Name()))
				f.Labels = append(f.Labels, len(f.Classes)-1)
			}
		}
	}
	if len(f.Paths) == 0 {
		return nil, fmt.Errorf("train: %s: there are no images in its folders (%s): each class is a folder of images",
			folder, strings.Join(imageEndings, " "))
	}
	return f, nil
}

// Len returns how many images there are.
func (f *ImageFolder) Len() int { return len(f.Paths) }

// At reads image i.
func (f *ImageFolder) At(i int) (Item, error) {
	x, err := formats.ReadImage(f.Paths[i], tensor.CPU())
	if err != nil {
		return nil, err
	}
	if x.Dim(0) == 4 {
		x = x.Narrow(0, 0, 3).Copy()
	}
	return Item{x, tensor.CPU().Full(tensor.I64, f.Labels[i])}, nil
}

// Lines returns the lines of a text file, without their ends, as a Dataset: item makes an item of one, such as the
// numbers of its tokens. The file is read once, and kept.
//
//	data, err := train.Lines("poems.txt", func(line string) ([]*tensor.Tensor, error) {
//		return []*tensor.Tensor{tensor.CPU().New(tokenizer.Encode(line))}, nil
//	})
func Lines(path string, item func(line string) ([]*tensor.Tensor, error)) (Dataset, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var lines []string
	scanner := bufio.NewScanner(f)
	scanner.Buffer(nil, limits.TextLine.Value())
	for scanner.Scan() {
		lines = append(lines, strings.TrimSuffix(scanner.Text(), "\r"))
	}
	if err := scanner.Err(); err != nil {
		if errors.Is(err, bufio.ErrTooLong) {
			err = limits.TextLine.Reached("a longer line")
		}
		return nil, fmt.Errorf("train: %s: line %d: %w", path, len(lines)+1, err)
	}
	return FuncWith(len(lines), func(i int) ([]*tensor.Tensor, error) {
		list, err := item(lines[i])
		if err != nil {
			err = fmt.Errorf("%s: line %d: %w", path, i+1, err)
		}
		return list, err
	}), nil
}
