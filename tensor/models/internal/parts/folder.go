// Package parts has what the models of packages models, vision and speech share: reading a folder of Hugging Face, and
// the layers of transformers.
package parts

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
)

// WeightFiles returns the files with a model's weights: those that an index lists, else safetensors files, else
// PyTorch's.
func WeightFiles(folder string) ([]string, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	for _, of := range []struct{ index, one, all string }{
		{"model.safetensors.index.json", "model.safetensors", "*.safetensors"},
		{"pytorch_model.bin.index.json", "pytorch_model.bin", "pytorch_model*.bin"},
	} {
		if slices.Contains(names, of.index) {
			return IndexedFiles(filepath.Join(folder, of.index))
		}
		if slices.Contains(names, of.one) {
			return []string{filepath.Join(folder, of.one)}, nil
		}
		var files []string
		for _, name := range names {
			// consolidated files have the same weights once more, under Meta's names
			if ok, _ := filepath.Match(of.all, name); ok && !strings.HasPrefix(name, "consolidated") {
				files = append(files, filepath.Join(folder, name))
			}
		}
		if len(files) > 0 {
			return files, nil
		}
	}
	return nil, fmt.Errorf("models: there is neither a .safetensors file nor a pytorch_model.bin: the folder has %s",
		strings.Join(names, ", "))
}

// IndexedFiles are the files that an index of Hugging Face lists, which lie beside it.
func IndexedFiles(path string) ([]string, error) {
	var index struct {
		Files map[string]string `json:"weight_map"`
	}
	if err := ReadJSON(path, &index); err != nil {
		return nil, err
	}
	var files []string
	for _, file := range index.Files {
		if filepath.Base(file) != file || file == ".." {
			return nil, fmt.Errorf("models: %s lists %q, which is not a file beside it", filepath.Base(path), file)
		}
		if file = filepath.Join(filepath.Dir(path), file); !slices.Contains(files, file) {
			files = append(files, file)
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("models: %s lists no files", filepath.Base(path))
	}
	slices.Sort(files)
	return files, nil
}

// infinite is a number that Python writes, and JSON has not.
var infinite = regexp.MustCompile(`([\[,:]\s*)(-?)Infinity\b`)

// ReadJSON reads a file of JSON; the error names the file.
func ReadJSON(path string, to any) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if !json.Valid(data) {
		data = infinite.ReplaceAll(data, []byte(`$1{"__float__": "${2}Infinity"}`))
	}
	if err := json.Unmarshal(data, to); err != nil {
		return fmt.Errorf("%s: %w", filepath.Base(path), err)
	}
	return nil
}

// WriteJSON writes a value to a file of JSON, in lines.
func WriteJSON(path string, v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(data, '\n'), 0o666)
}

// OptionalJSON is ReadJSON for a file that need not be there.
func OptionalJSON(path string, to any) (there bool, err error) {
	err = ReadJSON(path, to)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// OpenParams opens the weights of a folder, whose config.json declares about so many numbers. When the files are too
// small for that it is an error, before memory is allocated for them.
func OpenParams(folder string, declared float64, dtype tensor.DType, dev *tensor.Device) (*nn.Params, error) {
	files, err := WeightFiles(folder)
	if err != nil {
		return nil, err
	}
	if err := CheckFiles(files, declared); err != nil {
		return nil, err
	}
	return nn.OpenParamFiles(files, dtype, dev)
}

// CheckSize returns an error when the files of a folder are too small for the weights that config.json declares.
func CheckSize(folder string, declared float64) error {
	files, err := WeightFiles(folder)
	if err != nil {
		return err
	}
	return CheckFiles(files, declared)
}

// CheckFiles is CheckSize for given files.
func CheckFiles(files []string, declared float64) error {
	var size int64
	for _, file := range files {
		info, err := os.Stat(file)
		if err != nil {
			return err
		}
		size += info.Size()
	}
	for _, file := range files {
		if err := notPointer(file); err != nil {
			return err
		}
	}
	if declared > float64(size) {
		return fmt.Errorf("models: config.json declares about %.3g weights, and their files have %d bytes", declared,
			size)
	}
	return nil
}

// notPointer returns an error for a file that stands for one which Git LFS has not fetched.
func notPointer(file string) error {
	if begins(file, "version https://git-lfs") {
		return fmt.Errorf("models: %s is a pointer of Git LFS and not the file itself: fetch it by git lfs pull",
			filepath.Base(file))
	}
	return nil
}

// begins reports whether a file begins with a text.
func begins(file, text string) bool {
	f, err := os.Open(file)
	if err != nil {
		return false
	}
	defer f.Close()
	begin := make([]byte, len(text))
	_, err = io.ReadFull(f, begin)
	return err == nil && string(begin) == text
}

// Snapshot is the folder of a model in a folder of Hugging Face's cache, which is called models--owner--name, and name;
// or path, and "".
func Snapshot(path string) (folder, name string) {
	ref, err := os.ReadFile(filepath.Join(path, "refs", "main"))
	if err != nil || FileExists(filepath.Join(path, "config.json")) {
		return path, ""
	}
	folder = filepath.Join(path, "snapshots", strings.TrimSpace(string(ref)))
	if !FileExists(filepath.Join(folder, "config.json")) {
		return path, ""
	}
	name = filepath.Base(filepath.Clean(path))
	if i := strings.LastIndex(name, "--"); i >= 0 {
		name = name[i+2:]
	}
	return folder, name
}

// IsGGUF reports whether a file begins as those of llama.cpp do, whatever it is called.
func IsGGUF(file string) bool { return begins(file, "GGUF") }

// FileExists reports whether there is a file.
func FileExists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// Under returns where the weights of a model are that has a parameter probe: below a name in files that have a head
// beside it, which headed reports; new ones are so.
func Under(p *nn.Params, base, probe string) (model *nn.Params, headed bool) {
	if p.New() || p.Has(base+"."+probe) {
		return p.At(base), true
	}
	return p, false
}

// IgnoreUnder leaves out the parameters whose names begin with one of these.
func IgnoreUnder(p *nn.Params, beginnings ...string) {
	for _, name := range p.Names() {
		if slices.ContainsFunc(beginnings, func(b string) bool { return strings.HasPrefix(name, b) }) {
			p.Ignore(name)
		}
	}
}

// FirstOf returns the first value that is not zero.
func FirstOf[T comparable](all ...T) (none T) {
	for _, v := range all {
		if v != none {
			return v
		}
	}
	return none
}

// Labels lists the labels of id2label in config.json: two without any, as transformers has it.
func Labels(names map[string]string) (labels []string) {
	n := len(names)
	if n == 0 {
		n = 2
	}
	for i := range n {
		name, ok := names[strconv.Itoa(i)]
		if !ok {
			name = fmt.Sprintf("LABEL_%d", i)
		}
		labels = append(labels, name)
	}
	return labels
}

// SpecialTokens are the texts of the special tokens that tokenizer_config.json and special_tokens_map.json name.
func SpecialTokens(folder string) (map[string]string, error) {
	special := map[string]string{}
	for _, file := range []string{"special_tokens_map.json", "tokenizer_config.json"} {
		var config map[string]json.RawMessage
		err := ReadJSON(filepath.Join(folder, file), &config)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		for _, name := range []string{"bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token",
			"mask_token"} {
			var text string
			var token struct{ Content string }
			if json.Unmarshal(config[name], &text) == nil && text != "" {
				special[name] = text
			} else if json.Unmarshal(config[name], &token) == nil && token.Content != "" {
				special[name] = token.Content
			}
		}
	}
	return special, nil
}
