package models

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/models/internal/adapter"
	"github.com/gorocm/gorocm/tensor/models/internal/config"
	"github.com/gorocm/gorocm/tensor/models/internal/parts"
	"github.com/gorocm/gorocm/tensor/models/vision"
	"github.com/gorocm/gorocm/tensor/tokenizers"
)

// openFolder opens a model in a folder of Hugging Face.
func openFolder(path string, dtype tensor.DType, dev *tensor.Device, adapters []Adapter) (o opened, err error) {
	j, err := config.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return o, fmt.Errorf("there is no config.json, which says what the weights are: want the folder of a model as it was " +
			"downloaded, with all its files")
	}
	if err != nil {
		return o, err
	}
	c, err := j.Config()
	if err != nil {
		return o, err
	}
	if c.EOS, err = parts.EndsOf(path, c.EOS); err != nil {
		return o, err
	}
	if j.Text != nil {
		if o.tower, err = vision.ReadTower(path, c.Dim); err != nil {
			return o, err
		}
	}
	set, err := adapter.PEFT(adapters)
	if err != nil {
		return o, err
	}
	p, err := parts.OpenParams(path, c.Count(), dtype, dev)
	if err != nil {
		return o, err
	}
	defer p.Close()
	if j.Quantization.Method() == "fp8" {
		block, _ := j.Quantization.Block() // config has checked it
		p.ScaleFloat8(block)
	}
	if j.Whole {
		if err := config.AloneOf(&c, p); err != nil {
			return o, err
		}
	}
	other := func() {}
	if o.tower != nil {
		if err := config.BesideVision(&c, p); err != nil {
			return o, err
		}
		other = func() { o.tower.Take(p) }
	}
	if p, err = adapted(&c, p, set); err != nil {
		return o, err
	}
	if o.llama, err = newLlama(c, p, other); err != nil {
		return o, err
	}
	o.tok, err = tokenizers.ReadFolder(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, errors.ErrUnsupported) {
		return o, nil
	}
	if err == nil && o.tower != nil {
		err = imageToken(o.tower, o.tok)
	}
	return o, err
}
