package nn

import (
	"fmt"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/internal/peft"
	"github.com/gorocm/gorocm/tensor/quant"
)

// LoRAConfig holds the settings of adapters, with the names of PEFT. Start from DefaultLoRA.
type LoRAConfig struct {
	Rank    int     // of the matrix that is added to a weight
	Alpha   float64 // the matrix is multiplied by Alpha/Rank
	Dropout float64 // share of the inputs of adapters that are zero, while Training is set
	RootOfR bool    // the matrix is multiplied by Alpha/√Rank instead, as in rsLoRA
	// Targets are the layers that get adapters: the last parts of their paths, such as "q_proj" or "attention.query";
	// patterns for whole paths, such as "layers.*.mlp.up_proj"; or "all-linear".
	Targets []string
	// Pack packs the weights under adapters in a block format, unless their file has packed them already: QLoRA. Rows
	// that are no whole blocks stay as they are. nil takes all weights as they would be without adapters.
	Pack *quant.Type
}

// DefaultLoRA returns the default settings of PEFT for these targets: Rank 8, Alpha 8.
func DefaultLoRA(targets ...string) LoRAConfig {
	return LoRAConfig{Rank: 8, Alpha: 8, Targets: targets}
}

// LoRA is adapters: to the weight of a linear layer, which stays as it is, it adds the product of two narrow matrices,
// which are trained in its place (Hu et al., "LoRA: Low-Rank Adaptation of Large Language Models", 2021). With packed
// weights that is QLoRA (Dettmers et al., 2023): gradients pass the products of the packed weights.
//
//	p, err := nn.OpenParams("model.safetensors", tensor.F32, dev)
//	lora := nn.NewLoRA(nn.DefaultLoRA("query", "value"), tensor.F32, dev)
//	net := NewNet(p.Adapt(lora)) // NewLinear takes adapters
//	opt := nn.NewAdamW(lora.Params().Vars(), nn.DefaultAdamW())
//	… err = lora.Save("adapter") // as PEFT does
//	plain := NewNet(lora.Merged(p))
type LoRA struct {
	Config   LoRAConfig
	Training bool // Dropout is on

	params *Params // base_model.model.PATH.lora_A.weight, and lora_B
	from   *Params // of a file; nil for new adapters
	of     map[string]*adapter
	paths  []string // that have adapters, in the order in which layers were made
}

// adapter is the two matrices beside one weight.
type adapter struct {
	lora *LoRA
	a, b *tensor.Tensor // [rank inputs], [outputs rank]
	// it drops nothing, also in training
	plain bool
}

// NewLoRA returns adapters to train: variables of dtype, F32 as a rule, that are made as layers ask for them. A begins
// as the weight of NewLinear does, B with zeros, so that a model begins as it was. It panics with ErrShape for settings
// that make no sense.
func NewLoRA(c LoRAConfig, dtype tensor.DType, dev *tensor.Device) *LoRA {
	if err := c.check(); err != nil {
		extend.ShapeNoting("lora", nil, `nn.DefaultLoRA("q_proj", "v_proj") has the usual ones`, "%v", err)
	}
	return &LoRA{Config: c, Training: true, params: NewParams(dtype, dev), of: map[string]*adapter{}}
}

func (c *LoRAConfig) check() error {
	switch {
	case c.Rank < 1 || math.IsNaN(c.Alpha) || math.IsInf(c.Alpha, 0):
		return fmt.Errorf("a rank of %d and an alpha of %v make no sense", c.Rank, c.Alpha)
	case !(c.Dropout >= 0 && c.Dropout < 1):
		return fmt.Errorf("want a dropout from 0 to below 1, not %v", c.Dropout)
	case len(c.Targets) == 0:
		return fmt.Errorf("there are no targets")
	}
	for _, t := range c.Targets {
		if _, err := path.Match(t, ""); err != nil || t == "" {
			return fmt.Errorf("the target %q is no pattern", t)
		}
	}
	return nil
}

// scale is what the product of the matrices is multiplied by.
func (c *LoRAConfig) scale() float64 {
	if c.RootOfR {
		return c.Alpha / math.Sqrt(float64(c.Rank))
	}
	return c.Alpha / float64(c.Rank)
}

// matches reports whether a layer gets an adapter.
func (c *LoRAConfig) matches(layer string) bool {
	return slices.ContainsFunc(c.Targets, func(target string) bool {
		whole, _ := path.Match(target, layer)
		return whole || target == peft.AllLinear || strings.HasSuffix("."+layer, "."+target)
	})
}

// Adapt has the linear layers that NewLinear makes of p from now on take adapters, and returns p. Their weights are no
// variables any more. Of the other parameters nothing changes: build on p.Detach() if they are not to be trained. It
// panics with ErrDevice when the adapters are elsewhere.
func (p *Params) Adapt(l *LoRA) *Params {
	if l.params.dev != p.dev {
		extend.Fail("lora", tensor.ErrDevice, nil, "", "adapters on %v for parameters on %v", l.params.dev, p.dev)
	}
	p.lora = l
	return p
}

// adapter returns that of a layer with so many inputs and outputs, nil if it gets none.
func (l *LoRA) adapter(layer string, inputs, outputs int) *adapter {
	if l == nil {
		return nil
	}
	a, b := peft.Prefix+layer+".lora_A.weight", peft.Prefix+layer+".lora_B.weight"
	if l.from != nil && !l.from.Has(a) || l.from == nil && !l.Config.matches(layer) {
		return nil
	}
	if before := l.of[layer]; before != nil { // the model is made once more
		return before
	}
	x := &adapter{lora: l}
	shapeA, shapeB := []int{l.Config.Rank, inputs}, []int{outputs, l.Config.Rank}
	beginA, beginB := within(inputs), Const(0)
	if l.from != nil { // first, since its shapes are checked without memory for others
		beginA, beginB = beginning(l.from.Get(a, shapeA, nil)), beginning(l.from.Get(b, shapeB, nil))
	}
	x.a, x.b = l.params.Get(a, shapeA, beginA), l.params.Get(b, shapeB, beginB)
	l.of[layer] = x
	l.paths = append(l.paths, layer)
	return x
}

// beginning is how a parameter begins that has been read.
func beginning(t *tensor.Tensor) Init {
	return func([]int, tensor.DType, *tensor.Device) *tensor.Tensor { return t.Detach().Copy() }
}

// add returns y, the product of the layer for x, and what the adapter adds to it.
func (a *adapter) add(y, x *tensor.Tensor) *tensor.Tensor {
	l := a.lora
	h := x.ToDType(a.a.DType())
	if l.Training && l.Config.Dropout > 0 && !a.plain {
		h = Dropout(l.Config.Dropout).ForwardT(h, true)
	}
	h = h.MatMul(a.a.T()).MatMul(a.b.T()).Mul(l.Config.scale())
	return y.Add(h.ToDType(y.DType()))
}

// delta is what the adapter adds to the weight, [outputs inputs].
func (a *adapter) delta() *tensor.Tensor {
	return a.b.Detach().MatMul(a.a.Detach()).Mul(a.lora.Config.scale())
}

// Params returns the matrices of the adapters that layers have asked for so far: variables, with the names that PEFT
// gives them. Checkpoints hold them, and optimizers take their Vars.
func (l *LoRA) Params() *Params { return l.params }

// Layers returns the paths of the layers that have adapters.
func (l *LoRA) Layers() []string { return slices.Clone(l.paths) }

// Check returns an error if no layer has an adapter, or the file has some that no layer has asked for. Call it when the
// model was built.
func (l *LoRA) Check() error {
	if len(l.paths) == 0 {
		return fmt.Errorf("nn: no linear layer matches the targets %q", l.Config.Targets)
	}
	if l.from == nil {
		return nil
	}
	var unused []string
	for _, name := range l.from.Names() {
		if !l.params.Has(name) {
			unused = append(unused, name)
		}
	}
	if len(unused) > 0 {
		return fmt.Errorf("nn: no layer has asked for %d tensors of the adapters: %s", len(unused), shorten(unused))
	}
	return nil
}

// Merged returns the parameters of p with the products of the adapters added to their weights, as ordinary tensors: a
// model of them needs no adapters. Packed weights that have adapters become dense. p stays as it is.
func (l *LoRA) Merged(p *Params) *Params {
	source := p.source
	if source == nil {
		root := &Params{"", p.paramStore}
		source = root.Detach().source
	}
	changes := map[string]Change{}
	for layer, a := range l.of {
		changes[layer+".weight"] = Change{Apply: func(w *tensor.Tensor) *tensor.Tensor {
			return w.Detach().Add(a.delta().ToDType(w.DType()))
		}}
	}
	return (&Params{p.prefix, &paramStore{dtype: p.dtype, dev: p.dev, source: source}}).Changed(changes)
}
