package adapter

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/formats"
)

// GGUF reads adapters for a language model of an architecture in GGUF, as convert_lora_to_gguf.py of llama.cpp writes
// them.
func GGUF(all []Adapter, architecture string) (*Set, error) {
	s := &Set{}
	for i := range all {
		if err := s.readGGUF(&all[i], architecture); err != nil {
			return nil, fmt.Errorf("adapter %s: %w", all[i].Path, err)
		}
	}
	return s, s.check()
}

func (s *Set) readGGUF(a *Adapter, architecture string) error {
	if !strings.EqualFold(filepath.Ext(a.Path), ".gguf") {
		return fmt.Errorf("an adapter for a model in GGUF is a file in GGUF, which convert_lora_to_gguf.py of llama.cpp makes of a "+
			"folder of PEFT: %s is not one", a.Path)
	}
	by, err := s.begin(a)
	if err != nil {
		return err
	}
	f, err := formats.OpenGGUF(a.Path)
	if err != nil {
		return err
	}
	defer f.Close()
	for key, want := range map[string]string{"general.type": "adapter", "adapter.type": "lora",
		"general.architecture": architecture} {
		if got, _ := f.Metadata[key].(string); got != want {
			return fmt.Errorf("%s is %q: want %q", key, got, want)
		}
	}
	alpha, ok := f.Metadata["adapter.lora.alpha"].(float64)
	if !ok {
		return fmt.Errorf("there is no adapter.lora.alpha")
	}
	if list, ok := f.Metadata["adapter.alora.invocation_tokens"]; ok {
		return fmt.Errorf("adapter.alora.invocation_tokens is %v, which is not supported", list)
	}
	for _, full := range f.Names() {
		q, err := f.Tensor(full)
		if err != nil {
			return err
		}
		t, err := tensor.Try(func() *tensor.Tensor { return q.Dequantize(tensor.CPU()) })
		if err != nil {
			return err
		}
		name, b := strings.CutSuffix(full, ".lora_b")
		if !b {
			if name, ok = strings.CutSuffix(full, ".lora_a"); !ok {
				return fmt.Errorf("%s is neither a lora_a nor a lora_b", full)
			}
		}
		p := s.at(name, by)
		switch table := name == "token_embd.weight" && t.Rank() == 2; { // [tokens rank] and [width rank]
		case table && b:
			p.a = t.T()
		case table != b:
			p.b = t
		default:
			p.a = t
		}
		if p.a != nil && p.b != nil && p.a.Rank() > 0 && alpha != 0 {
			p.scale = by * alpha / float64(p.a.Dim(0))
		}
	}
	return nil
}
