package adapter

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/formats"
	"github.com/gorocm/gorocm/tensor/internal/peft"
)

// IsFolder reports whether a folder has an adapter of PEFT, and no model.
func IsFolder(path string) bool {
	_, err := os.Stat(filepath.Join(path, peft.File))
	_, model := os.Stat(filepath.Join(path, "config.json"))
	return err == nil && model != nil
}

// Base finds the folder of the model that an adapter of PEFT is for: what its config names, from here, from the folder
// of the adapter, or beside it by its last name.
func Base(folder string) (string, error) {
	c, err := peft.Read(folder)
	if err != nil {
		return "", err
	}
	remedy := fmt.Sprintf("open that model with models.Adapter{Path: %q}", folder)
	if c.Base == nil || *c.Base == "" {
		return "", fmt.Errorf("%s does not say which model it is for: %s", filepath.Join(folder, peft.File), remedy)
	}
	name := filepath.FromSlash(*c.Base)
	beside := filepath.Dir(filepath.Clean(folder))
	for _, path := range []string{name, filepath.Join(folder, name), filepath.Join(beside, name),
		filepath.Join(beside, filepath.Base(name))} {
		if _, err := os.Stat(filepath.Join(path, "config.json")); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("the model that %s is for, %q, is neither a folder here nor one beside it: %s",
		filepath.Join(folder, peft.File), *c.Base, remedy)
}

// PEFT reads adapters for language models in folders.
func PEFT(all []Adapter) (*Set, error) {
	s := &Set{}
	for i := range all {
		if err := s.readPEFT(&all[i]); err != nil {
			return nil, fmt.Errorf("adapter %s: %w", all[i].Path, err)
		}
	}
	return s, s.check()
}

func (s *Set) readPEFT(a *Adapter) error {
	if strings.EqualFold(filepath.Ext(a.Path), ".gguf") {
		return fmt.Errorf("an adapter in GGUF is for a model in GGUF: this one wants a folder of PEFT")
	}
	by, err := s.begin(a)
	if err != nil {
		return err
	}
	c, err := peft.Read(a.Path)
	if err != nil {
		return err
	}
	list, err := formats.ReadSafetensors(filepath.Join(a.Path, peft.Weights), tensor.CPU())
	if errors.Is(err, fs.ErrNotExist) {
		list, err = formats.ReadPth(filepath.Join(a.Path, peft.OldFile), "", tensor.CPU())
	}
	if err != nil {
		return err
	}
	for _, named := range list {
		name, ok := strings.CutPrefix(named.Name, peft.Prefix)
		if !ok {
			return fmt.Errorf("the name %s does not begin with %s", named.Name, peft.Prefix)
		}
		if err := s.take(c, name, named.Tensor, by); err != nil {
			return fmt.Errorf("%s: %w", named.Name, err)
		}
	}
	for name, all := range s.parts {
		if last := all[len(all)-1]; c.DoRA && last.number == s.number && last.whole == nil && last.magnitude == nil {
			return fmt.Errorf("use_dora is set, and there is no lora_magnitude_vector for %s", name)
		}
	}
	if len(list) == 0 {
		return fmt.Errorf("it has no tensors")
	}
	return nil
}

// take adds a tensor of an adapter.
func (s *Set) take(c *peft.Config, name string, t *tensor.Tensor, by float64) error {
	layer, what, ok := strings.Cut(name, ".lora_")
	if !ok { // of modules_to_save, tables that adapters are for, and biases
		if by != 1 {
			return fmt.Errorf("this parameter takes the place of that of the model, and there is no part of it: want a Scale of 1")
		}
		if c.Tying {
			return fmt.Errorf("ensure_weight_tying is not supported for modules_to_save")
		}
		s.add(strings.Replace(name, ".base_layer.", ".", 1), &part{from: s.from, whole: t})
		return nil
	}
	p := s.at(layer+".weight", by)
	switch strings.TrimSuffix(what, ".weight") {
	case "A":
		p.a = t
	case "B":
		p.b = t
	case "embedding_A": // of a table [tokens width], to which the transposed product is added
		if t.Rank() == 2 {
			t = t.T()
		}
		p.b = t
	case "embedding_B":
		if t.Rank() == 2 {
			t = t.T()
		}
		p.a = t
	case "magnitude_vector":
		if p.magnitude = t; !c.DoRA {
			return fmt.Errorf("use_dora is not set")
		}
		return nil
	default:
		return fmt.Errorf("a lora_%s is not supported: want lora_A.weight, lora_B.weight, lora_embedding_A, lora_embedding_B or "+
			"lora_magnitude_vector", what)
	}
	if strings.HasPrefix(what, "embedding") && c.DoRA {
		return fmt.Errorf("use_dora is not supported for embeddings")
	}
	if p.a == nil || p.b == nil || p.a.Rank() < 1 {
		return nil
	}
	scale, err := c.Scale(layer, p.a.Dim(0))
	p.scale = by * scale
	return err
}
