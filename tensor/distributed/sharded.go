package distributed

import (
	"slices"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/nn"
)

// ShardedOptimizer shares the work and the memory of an optimizer among the processes of a group: each has the state of
// a part of the parameters alone, takes the steps of these, and sends them to the others. It is the first stage of ZeRO
// (Rajbhandari et al., 2020), as PyTorch's ZeroRedundancyOptimizer is: of AdamW's 8 bytes a parameter each of four
// processes has 2.
type ShardedOptimizer struct {
	group  *Group
	own    nn.Optimizer
	shares [][]bucket // of each process
}

// NewShardedOptimizer returns the optimizer of a model with these parameters, which are the same in all processes, as
// NewDataParallel makes them. optimizer makes one for the parameters of this process, which may be none when there are
// fewer parameters than processes:
//
//	opt := distributed.NewShardedOptimizer(g, params, func(own []*tensor.Tensor) nn.Optimizer {
//		return nn.NewAdamW(own, config)
//	})
//	opt.Step(dp.Backward(loss))
//
// Each process saves and loads the state of its own optimizer. It panics as NewDataParallel does.
func NewShardedOptimizer(
	g *Group, params []*tensor.Tensor, optimizer func(own []*tensor.Tensor) nn.Optimizer,
) *ShardedOptimizer {
	const op = "sharded optimizer"
	g.checkParameters(op, params)
	g.agree(op, params)
	s := &ShardedOptimizer{group: g}
	for rank, share := range shares(params, g.Size()) {
		s.shares = append(s.shares, buckets(share))
		if rank == g.Rank() {
			s.own = optimizer(share)
		}
	}
	return s
}

// shares gives each parameter, the largest first, to the process that has least.
func shares(params []*tensor.Tensor, processes int) [][]*tensor.Tensor {
	sorted := slices.Clone(params)
	slices.SortStableFunc(sorted, func(a, b *tensor.Tensor) int { return b.ElemCount() - a.ElemCount() })
	list, sizes := make([][]*tensor.Tensor, processes), make([]int, processes)
	for _, p := range sorted {
		least := slices.Index(sizes, slices.Min(sizes))
		list[least] = append(list[least], p)
		sizes[least] += p.ElemCount()
	}
	return list
}

// Step takes a step of the parameters of this process, whose gradients are the same in all processes, and replaces
// those of the others by what they have become there. All processes call it. It panics with tensor.ErrGradient when the
// optimizer limits the norm of gradients, or skips steps: it sees those of its own parameters only.
func (s *ShardedOptimizer) Step(grads *tensor.GradStore) {
	const op = "sharded optimizer"
	switch limits := limitsOf(s.own); {
	case limits.ClipNorm != 0:
		extend.Fail(op, tensor.ErrGradient, nil, "nn.ClipGradNorm(grads, params, limit) before the step has that of all",
			"ClipNorm is %v: the norm of a part of the gradients is another", limits.ClipNorm)
	case limits.SkipNotFinite:
		extend.Fail(op, tensor.ErrGradient, nil, "nn.GradNorm(grads, params) is not finite if any gradient is not",
			"SkipNotFinite is set: the processes would skip different steps")
	}
	s.own.Step(grads)
	if s.group.Size() == 1 {
		return
	}
	for rank, share := range s.shares {
		for _, b := range share {
			s.group.share(op, rank, b)
		}
	}
}

// limitsOf returns what an optimizer of package nn does with gradients.
func limitsOf(o nn.Optimizer) nn.Gradients {
	switch o := o.(type) {
	case *nn.AdamW:
		return o.Config.Gradients
	case *nn.Adagrad:
		return o.Config.Gradients
	case *nn.RMSprop:
		return o.Config.Gradients
	case *nn.SGD:
		return o.Gradients
	}
	return nn.Gradients{}
}

// LearningRate returns the size of the steps.
func (s *ShardedOptimizer) LearningRate() float64 { return s.own.LearningRate() }

// SetLearningRate sets the size of the steps. All processes set the same.
func (s *ShardedOptimizer) SetLearningRate(lr float64) { s.own.SetLearningRate(lr) }
