package models

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/models/vision"
	"github.com/gorocm/gorocm/tensor/tokenizers"
)

// mmprojKind is what language models the mmproj files of one clip.projector_type are for. Files do not name the tokens.
type mmprojKind struct {
	arch       string // general.architecture; "" is any
	image      string // the image token
	begin, end string // the tokens before and after those of an image, if not ""
}

var mmprojKinds = map[string]mmprojKind{
	"qwen2vl_merger":   {arch: "qwen2vl", image: "<|image_pad|>"},
	"qwen2.5vl_merger": {arch: "qwen2vl", image: "<|image_pad|>"},
	"gemma3":           {arch: "gemma3", image: "<image_soft_token>", begin: "<start_of_image>", end: "<end_of_image>"},
	"idefics3":         {arch: "llama", image: "<image>"},
	"mlp":              {image: "<image>"},
}

// mmproj is an mmproj file that fits a language model.
type mmproj struct {
	path              string
	image, begin, end int // tokens; -1 for none
}

// mmprojBeside is the mmproj file of llama.cpp in the folder of a GGUF file, or nil for none: one with mmproj in its
// name, whose rows are as wide as those of the language model, and whose kind and tokens are its own. Without one it
// says why those of the width do not fit.
func mmprojBeside(path, arch string, width int, tok *tokenizers.Tokenizer) (found *mmproj, why string, err error) {
	list, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return nil, "", err
	}
	alone := true
	var candidates []string
	for _, f := range list {
		name := strings.ToLower(f.Name())
		if filepath.Ext(name) != ".gguf" || f.Name() == filepath.Base(path) {
			continue
		}
		if strings.Contains(name, "mmproj") {
			candidates = append(candidates, filepath.Join(filepath.Dir(path), f.Name()))
		} else {
			alone = false
		}
	}
	var all, refused []string
	for _, file := range candidates {
		kind, there := vision.GGUFProjector(file)
		if there != width {
			continue
		}
		if m, reason := mmprojOf(file, kind, arch, tok, alone); reason != "" {
			refused = append(refused, reason)
		} else {
			found, all = m, append(all, file)
		}
	}
	if len(all) > 1 {
		return nil, "", fmt.Errorf("models: there are several mmproj files for rows of a width of %d: "+
			"want one of %s in the folder", width, strings.Join(all, ", "))
	}
	return found, strings.Join(refused, "; "), nil
}

// mmprojOf is an mmproj file of a width, or why it is not that of the language model. Vicuna, the language model of
// LLaVA 1.5, has no image token: with no other language model in the folder, <unk> stands for images.
func mmprojOf(file, projector, arch string, tok *tokenizers.Tokenizer, alone bool) (m *mmproj, why string) {
	kind, ok := mmprojKinds[projector]
	switch name := filepath.Base(file); {
	case !ok:
		return nil, fmt.Sprintf("clip.projector_type %q of %s is not supported", projector, name)
	case kind.arch != "" && kind.arch != arch:
		return nil, fmt.Sprintf("%s is for language models of the architecture %s, not %s", name, kind.arch, arch)
	}
	m = &mmproj{path: file, begin: -1, end: -1}
	for _, token := range []struct {
		text string
		id   *int
	}{{kind.image, &m.image}, {kind.begin, &m.begin}, {kind.end, &m.end}} {
		if token.text == "" {
			continue
		}
		if *token.id, ok = tok.ID(token.text); !ok && projector == "mlp" && alone {
			*token.id, ok = tok.ID("<unk>")
		}
		if !ok {
			return nil, fmt.Sprintf("%s is for a tokenizer with the token %s", filepath.Base(file), token.text)
		}
	}
	return m, ""
}

// open reads the file, and gives its images the tokens of the language model.
func (m *mmproj) open(
	width int, tok *tokenizers.Tokenizer, dtype tensor.DType, dev *tensor.Device,
) (*vision.Tower, error) {
	t, err := vision.OpenGGUFTower(m.path, width, dtype, dev)
	if err != nil {
		return nil, err
	}
	t.TokenID, t.BeginID, t.EndID = m.image, m.begin, m.end
	return t, imageToken(t, tok)
}
