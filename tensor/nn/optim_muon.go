package nn

import (
	"math"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/nn/internal/saved"
)

// MuonConfig holds the hyperparameters of Muon. Start from DefaultMuon, which has the defaults of PyTorch.
type MuonConfig struct {
	LR          float64 // learning rate
	WeightDecay float64 // fraction of a variable, times LR, that a step subtracts from it
	Momentum    float64 // share of the running mean of gradients that is kept
	Nesterov    bool    // a step goes along the gradient moved towards the mean
	Iterations  int     // of Newton and Schulz
	Eps         float64 // least norm of a step before them
	// MatchAdamW scales steps to the size of those of AdamW, 0.2·√(the larger side), so that its learning rate and
	// decay can be used; otherwise it is √(rows/columns), at least 1.
	MatchAdamW bool
	// DType is the type of the iterations: BF16, as in PyTorch, is fast on GPUs. They need no digits.
	DType     tensor.DType
	Gradients Gradients
	// Small floats have a copy in F32, which the steps change, and of which they are rounded.
	MasterWeights bool
}

// DefaultMuon returns the default hyperparameters: LR 0.001, WeightDecay 0.1, Momentum 0.95 with Nesterov, 5 iterations
// in BF16, Eps 1e-7.
func DefaultMuon() MuonConfig {
	return MuonConfig{LR: 1e-3, WeightDecay: 0.1, Momentum: 0.95, Nesterov: true, Iterations: 5, Eps: 1e-7,
		DType: tensor.BF16}
}

// Muon takes steps along running means of gradients that are made orthogonal (Jordan et al., "Muon: An optimizer for
// hidden layers in neural networks", 2024), for matrices: the weights of hidden layers. Embeddings, the last layer,
// biases and norms want another optimizer: NewGroups takes both. A step is made of operations of tensors;
// SkipNotFinite and ClipNorm wait for the device.
type Muon struct {
	Config MuonConfig

	varState
}

// NewMuon returns the optimizer for variables. It panics with ErrGradient when a tensor is not a variable, or there
// twice, with ErrDType when one is complex, and with ErrShape when one is no matrix, or a number of the config makes no
// sense.
func NewMuon(vars []*tensor.Tensor, config MuonConfig) *Muon {
	m := &Muon{Config: config, varState: newVarState("muon", vars)}
	checkReal("muon", vars)
	for i, v := range vars {
		if v.Rank() != 2 {
			extend.ShapeNoting("muon", []*tensor.Tensor{v}, "nn.NewGroups joins a Muon of matrices and an AdamW of others",
				"variable %d has shape %v, and Muon is for matrices", i, v.Dims())
		}
	}
	c := config
	if !(c.LR >= 0 && c.WeightDecay >= 0 && c.Momentum >= 0 && c.Momentum < 1 && c.Eps > 0) || c.Iterations < 1 ||
		!c.DType.IsFloat() {
		extend.ShapeNoting("muon", nil, "nn.DefaultMuon() has the usual ones", "a setting makes no sense: %+v", c)
	}
	return m
}

// LearningRate returns the size of the steps.
func (m *Muon) LearningRate() float64 { return m.Config.LR }

// SetLearningRate sets the size of the steps.
func (m *Muon) SetLearningRate(lr float64) { m.Config.LR = lr }

// Step changes every variable that has a gradient.
func (m *Muon) Step(grads *tensor.GradStore) {
	m.checkScaled(m.Config.Gradients)
	m.composedStep(grads, m.Config.Gradients, m.Config.MasterWeights, m.rule)
}

func (m *Muon) rule(i int, w, g *tensor.Tensor) *tensor.Tensor {
	c := m.Config
	mean := average(m.stateOf(0, i, g.Dims()), g, 1-c.Momentum)
	along := mean
	if c.Nesterov {
		along = g.Add(mean.Sub(g).Mul(c.Momentum))
	}
	rows, columns := float64(w.Dim(0)), float64(w.Dim(1))
	size := math.Sqrt(max(1, rows/columns))
	if c.MatchAdamW {
		size = 0.2 * math.Sqrt(max(rows, columns))
	}
	step := c.orthogonal(along).ToDType(w.DType())
	return w.Mul(1 - c.LR*c.WeightDecay).Sub(step.Mul(c.LR * size))
}

// orthogonal moves the singular values of a matrix near 1, by the quintic iteration of Newton and Schulz with Jordan's
// coefficients.
func (c *MuonConfig) orthogonal(x *tensor.Tensor) *tensor.Tensor {
	const a, b, d = 3.4445, -4.7750, 2.0315
	x = x.ToDType(c.DType)
	tall := x.Dim(0) > x.Dim(1)
	if tall {
		x = x.T()
	}
	x = x.Div(extend.Wide(x).Sqr().Sum().Sqrt().Maximum(c.Eps).ToDType(c.DType))
	for range c.Iterations {
		gram := x.MatMul(x.T())
		x = gram.Mul(b).Add(gram.MatMul(gram).Mul(d)).MatMul(x).Add(x.Mul(a))
	}
	if tall {
		x = x.T()
	}
	return x
}

// Save writes what the optimizer has gathered, the running means, to a safetensors file,
// to go on with Load another day. The parameters are saved apart, by Params.Save.
func (m *Muon) Save(path string) error { return m.saved().Save(path) }

// Load sets what Save has written, for an optimizer of as many variables with the same shapes, in the same order;
// the learning rate and the other numbers, too. After an error nothing was changed.
func (m *Muon) Load(path string) error { return m.saved().Load(path) }

func (m *Muon) saved() saved.State {
	c := &m.Config
	iterations, nesterov, match := float64(c.Iterations), number(c.Nesterov), number(c.MatchAdamW)
	return saved.State{
		Kind: "muon", Vars: m.vars,
		Numbers: map[string]*float64{"lr": &c.LR, "weight_decay": &c.WeightDecay, "momentum": &c.Momentum, "eps": &c.Eps,
			"iterations": &iterations, "nesterov": &nesterov, "match_adamw": &match},
		Tensors: m.named(c.MasterWeights, "mean"),
		Loaded: func() {
			c.Iterations, c.Nesterov, c.MatchAdamW = int(iterations), nesterov != 0, match != 0
			m.left = 0
		},
	}
}

func (m *Muon) gradients() []*Gradients { return []*Gradients{&m.Config.Gradients} }
