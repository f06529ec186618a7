package formats

import (
	"fmt"
	"path/filepath"
	"strings"
)

// joinParts adds the tensors of the other files of a model that is in several, which llama-gguf-split calls
// name-00001-of-00003.gguf and so on.
func (g *GGUF) joinParts() error {
	n, _ := g.Metadata["split.count"].(uint64)
	no, _ := g.Metadata["split.no"].(uint64)
	if n < 2 {
		return nil
	}
	name := filepath.Base(g.path)
	end := fmt.Sprintf("-%05d-of-%05d", no+1, n)
	stem, ext := strings.TrimSuffix(name, filepath.Ext(name)), filepath.Ext(name)
	base, ok := strings.CutSuffix(stem, end)
	if !ok || no != 0 {
		return fmt.Errorf("gguf: file %d of the %d of a model: want the first one, called …-00001-of-%05d.gguf, beside the others",
			no+1, n, n)
	}
	for i := range int(n) - 1 {
		path := filepath.Join(filepath.Dir(g.path), fmt.Sprintf("%s-%05d-of-%05d%s", base, i+2, n, ext))
		part, err := openOneGGUF(path)
		if err != nil {
			return fmt.Errorf("gguf: file %d of the %d of a model: %w", i+2, n, err)
		}
		if count, _ := part.Metadata["split.count"].(uint64); count != n || part.Metadata["split.no"] != uint64(i+1) {
			return fmt.Errorf("gguf: %s is not file %d of %d", filepath.Base(path), i+2, n)
		}
		for _, e := range part.entries {
			if _, twice := g.byName[e.name]; twice {
				return fmt.Errorf("gguf: tensor %q is in two of the files of a model", e.name)
			}
			g.byName[e.name] = len(g.entries)
			g.entries = append(g.entries, e)
		}
	}
	if total := g.Metadata["split.tensors.count"]; total != nil && fmt.Sprint(total) != fmt.Sprint(len(g.entries)) {
		return fmt.Errorf("gguf: the %d files have %d tensors of %v", n, len(g.entries), total)
	}
	for _, key := range []string{"split.no", "split.count", "split.tensors.count"} {
		delete(g.Metadata, key) // it is whole
	}
	return nil
}
