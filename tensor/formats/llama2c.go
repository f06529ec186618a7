package formats

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/gorocm/gorocm/tensor"
)

// Llama2c is the head of a model of llama2.c: the sizes of a Llama 2.
type Llama2c struct {
	Dim, Hidden, Layers, Heads, KVHeads, Vocab, Context int
	Tied                                                bool // the output has the weights of the embedding
}

// maxLlama2c is the largest size that a header may have.
const maxLlama2c = 1 << 24

// ReadLlama2c reads a model of llama2.c, version 0, such as stories15M.bin: its sizes and its weights, in F32 on a
// device, under the names that Meta gives them (layers.0.attention.wq.weight).
func ReadLlama2c(path string, dev *tensor.Device) (*Llama2c, []Named, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	m, list, err := readLlama2c(f, info.Size(), dev)
	return m, list, named(path, err)
}

// llama2cPart is a run of weights in the file: those of all layers, or one.
type llama2cPart struct {
	name   string // with %d for the layer, or without
	shape  []int
	layers bool
}

// parts lists the weights in the order of the file.
func (m *Llama2c) parts() []llama2cPart {
	kv := m.Dim / m.Heads * m.KVHeads
	return []llama2cPart{
		{"tok_embeddings.weight", []int{m.Vocab, m.Dim}, false},
		{"layers.%d.attention_norm.weight", []int{m.Dim}, true},
		{"layers.%d.attention.wq.weight", []int{m.Dim, m.Dim}, true},
		{"layers.%d.attention.wk.weight", []int{kv, m.Dim}, true},
		{"layers.%d.attention.wv.weight", []int{kv, m.Dim}, true},
		{"layers.%d.attention.wo.weight", []int{m.Dim, m.Dim}, true},
		{"layers.%d.ffn_norm.weight", []int{m.Dim}, true},
		{"layers.%d.feed_forward.w1.weight", []int{m.Hidden, m.Dim}, true},
		{"layers.%d.feed_forward.w2.weight", []int{m.Dim, m.Hidden}, true},
		{"layers.%d.feed_forward.w3.weight", []int{m.Hidden, m.Dim}, true},
		{"norm.weight", []int{m.Dim}, false},
	}
}

func readLlama2c(f io.Reader, size int64, dev *tensor.Device) (*Llama2c, []Named, error) {
	r := newCursor(f, size)
	var head [7]int
	for i := range head {
		head[i] = int(int32(r.u32()))
	}
	if r.err != nil {
		return nil, nil, fmt.Errorf("llama2.c: %w", r.err)
	}
	m := &Llama2c{head[0], head[1], head[2], head[3], head[4], head[5], head[6], true}
	if m.Vocab < 0 {
		m.Vocab, m.Tied = -m.Vocab, false
	}
	for _, n := range []int{m.Dim, m.Hidden, m.Layers, m.Heads, m.KVHeads, m.Vocab, m.Context} {
		if n < 1 || n > maxLlama2c {
			return nil, nil, fmt.Errorf("llama2.c: the head names the sizes %v, of which %d is not possible", head, n)
		}
	}
	if m.Dim%m.Heads != 0 || m.Heads%m.KVHeads != 0 || m.Dim/m.Heads%2 != 0 {
		return nil, nil, fmt.Errorf("llama2.c: %d heads, %d of them with keys, do not fit a width of %d", m.Heads,
			m.KVHeads, m.Dim)
	}
	var list []Named
	read := func(name string, shape []int) error {
		n, ok := count(shape, int(min(r.end-r.at, math.MaxInt, 1<<40))/4)
		if !ok {
			return fmt.Errorf("llama2.c: %s of shape %v, from byte %d on, is not in the file of %d bytes", name, shape,
				r.at, size)
		}
		data := r.take(4 * n)
		if r.err != nil {
			return fmt.Errorf("llama2.c: %s: %w", name, r.err)
		}
		t, err := tensor.Try(func() *tensor.Tensor { return dev.FromBytes(tensor.F32, data, shape...) })
		list = append(list, Named{name, t})
		return err
	}
	for _, p := range m.parts() {
		if !p.layers {
			if err := read(p.name, p.shape); err != nil {
				return nil, nil, err
			}
			continue
		}
		for i := range m.Layers {
			if err := read(fmt.Sprintf(p.name, i), p.shape); err != nil {
				return nil, nil, err
			}
		}
	}
	if m.Tied {
		return m, list, nil
	}
	// Cosines and sines of the rotary embedding, which readers compute, come before the output.
	if _, ok := count([]int{m.Context, m.Dim / m.Heads}, int(min(r.end-r.at, math.MaxInt, 1<<40))/4); !ok {
		return nil, nil, fmt.Errorf("llama2.c: the angles, from byte %d on, are not in the file of %d bytes", r.at,
			size)
	}
	r.take(4 * m.Context * (m.Dim / m.Heads))
	return m, list, read("output.weight", []int{m.Vocab, m.Dim})
}

// WriteLlama2c writes the head of m and its weights, which must have the names that ReadLlama2c gives, in F32. The
// angles of the rotary embedding are left zero: readers compute them. The file is complete or not there.
func WriteLlama2c(path string, m *Llama2c, weights []Named) error {
	find := func(name string, shape []int) ([]byte, error) {
		for _, w := range weights {
			if w.Name == name {
				if fmt.Sprint(w.Tensor.Dims()) != fmt.Sprint(shape) {
					return nil, fmt.Errorf("llama2.c: %s has shape %v, not %v", name, w.Tensor.Dims(), shape)
				}
				return w.Tensor.ToDType(tensor.F32).ToBytes(), nil
			}
		}
		return nil, fmt.Errorf("llama2.c: there is no %s", name)
	}
	vocab := m.Vocab
	if !m.Tied {
		vocab = -vocab
	}
	var data []byte
	for _, n := range []int{m.Dim, m.Hidden, m.Layers, m.Heads, m.KVHeads, vocab, m.Context} {
		data = binary.LittleEndian.AppendUint32(data, uint32(int32(n)))
	}
	add := func(name string, shape []int) error {
		raw, err := find(name, shape)
		data = append(data, raw...)
		return err
	}
	for _, p := range m.parts() {
		layers := 1
		if p.layers {
			layers = m.Layers
		}
		for i := range layers {
			name := p.name
			if p.layers {
				name = fmt.Sprintf(p.name, i)
			}
			if err := add(name, p.shape); err != nil {
				return err
			}
		}
	}
	data = append(data, make([]byte, 4*m.Context*(m.Dim/m.Heads))...)
	if !m.Tied {
		if err := add("output.weight", []int{m.Vocab, m.Dim}); err != nil {
			return err
		}
	}
	part := path + ".part"
	if err := os.WriteFile(part, data, 0o644); err != nil {
		return err
	}
	return os.Rename(part, path)
}
