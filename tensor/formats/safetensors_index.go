package formats

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/gorocm/gorocm/tensor/limits"
)

// openIndex opens the files that an index names. They lie beside it.
func (s *Safetensors) openIndex(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	most := limits.SafetensorsIndex.Value()
	text, err := io.ReadAll(io.LimitReader(f, int64(most)+1))
	if err != nil {
		return err
	}
	if len(text) > most {
		return limits.SafetensorsIndex.Reached("safetensors index: the file is longer")
	}
	var index struct {
		Metadata  map[string]any    `json:"metadata"`
		WeightMap map[string]string `json:"weight_map"`
	}
	if err := json.Unmarshal(text, &index); err != nil {
		return fmt.Errorf("safetensors index: %w", atByte(err, 0))
	}
	if index.WeightMap == nil {
		return fmt.Errorf("safetensors index: there is no weight_map, which says in which file a tensor is")
	}
	s.Metadata = map[string]string{}
	for k, v := range index.Metadata {
		s.Metadata[k] = fmt.Sprint(v)
	}
	files := slices.Compact(slices.Sorted(maps.Values(index.WeightMap)))
	for _, file := range files {
		if file != filepath.Base(file) || file == "." || file == ".." {
			return fmt.Errorf("safetensors index: the file %q is not one beside the index", file)
		}
		if err := s.open(filepath.Join(filepath.Dir(path), file)); err != nil {
			return fmt.Errorf("safetensors index: %w", err)
		}
	}
	for name, file := range index.WeightMap {
		at, ok := s.byName[name]
		if !ok || filepath.Base(s.files[at.file].path) != file {
			return fmt.Errorf("safetensors index: there is no tensor %q in %s", name, file)
		}
	}
	return nil
}
