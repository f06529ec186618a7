package parts

import (
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
)

// Norm is a layer that normalises rows.
type Norm interface {
	Forward(x *tensor.Tensor) *tensor.Tensor
}

func normed(n Norm, x *tensor.Tensor) *tensor.Tensor {
	if n == nil {
		return x
	}
	return n.Forward(x)
}

func scaled(x, factors *tensor.Tensor) *tensor.Tensor {
	if factors == nil {
		return x
	}
	return x.Mul(factors)
}

// Attention is attention of several heads between linear layers.
type Attention struct {
	Q, K, V, Out *nn.Linear
	Heads        int
	Cos, Sin     *tensor.Tensor // of a rotary embedding, [positions size/2], or nil
}

// split makes rows [batch n heads·size] to those of heads, [batch heads n size].
func (a *Attention) split(w *nn.Linear, x *tensor.Tensor) *tensor.Tensor {
	y := w.Forward(x)
	return y.Reshape(x.Dim(0), x.Dim(1), a.Heads, y.Dim(2)/a.Heads).Transpose(1, 2)
}

// Keys returns the keys and values of rows y [batch n dim], [batch heads n size].
func (a *Attention) Keys(y *tensor.Tensor) (k, v *tensor.Tensor) {
	return a.split(a.K, y), a.split(a.V, y)
}

// From attends from rows x [batch n dim] to keys and values.
func (a *Attention) From(x, k, v *tensor.Tensor, o nn.Attend) *tensor.Tensor {
	return a.merge(nn.Attention(a.split(a.Q, x), k, v, o))
}

// merge multiplies what heads give, [batch heads n size], by Out.
func (a *Attention) merge(y *tensor.Tensor) *tensor.Tensor {
	return a.Out.Forward(y.Transpose(1, 2).Reshape(y.Dim(0), y.Dim(2), y.Dim(1)*y.Dim(3)))
}

// Forward attends from rows x [batch n dim] to themselves.
func (a *Attention) Forward(x *tensor.Tensor, o nn.Attend) *tensor.Tensor {
	k, v := a.Keys(x)
	if a.Cos == nil {
		return a.From(x, k, v, o)
	}
	cos, sin := a.Cos.Narrow(0, 0, x.Dim(1)), a.Sin.Narrow(0, 0, x.Dim(1))
	q := nn.Rope(a.split(a.Q, x).Contiguous(), cos, sin)
	return a.merge(nn.Attention(q, nn.Rope(k.Contiguous(), cos, sin), v, o))
}

// FeedForward is the part of a layer that reads each row alone.
type FeedForward struct {
	Gate, Up, Down *nn.Linear // Gate is nil where there is none
	Activate       tensor.Func
}

// Forward takes rows to rows.
func (f *FeedForward) Forward(x *tensor.Tensor) *tensor.Tensor {
	if f.Gate == nil {
		return f.Down.Forward(f.Activate(f.Up.Forward(x)))
	}
	return f.Down.Forward(f.Activate(f.Gate.Forward(x)).Mul(f.Up.Forward(x)))
}

// Layer is attention and a feed-forward part. A layer of a decoder that reads what an encoder gives has Cross, and
// norms Before its parts.
type Layer struct {
	Self                    Attention
	Cross                   *Attention // to the rows of an encoder, or nil
	Feed                    FeedForward
	Norm1, NormCross, Norm2 Norm           // nil for none
	Before                  bool           // norms come before the parts, not after the sums
	Scale1, Scale2          *tensor.Tensor // factors of what the parts give, or nil
}

// Forward takes rows x [batch n dim] to such.
func (l *Layer) Forward(x *tensor.Tensor, o nn.Attend) *tensor.Tensor {
	if l.Before {
		x = x.Add(scaled(l.Self.Forward(normed(l.Norm1, x), o), l.Scale1))
		return l.feed(x)
	}
	x = normed(l.Norm1, x.Add(l.Self.Forward(x, o)))
	return normed(l.Norm2, x.Add(l.Feed.Forward(x)))
}

func (l *Layer) feed(x *tensor.Tensor) *tensor.Tensor {
	return x.Add(scaled(l.Feed.Forward(normed(l.Norm2, x)), l.Scale2))
}

// State is what a layer of a decoder keeps of a text: its keys and values, and those of the rows of the encoder.
type State struct {
	cache *nn.KVCache
	k, v  *tensor.Tensor
}

// Begin returns the state of a text that is generated from rows [batch n dim] of an encoder. The memory for its tokens
// grows by some at a time.
func (l *Layer) Begin(rows *tensor.Tensor, some int) *State {
	s := &State{cache: nn.NewKVCache(2, some)}
	k, v := l.Cross.Keys(rows)
	s.k, s.v = k.Contiguous().Kept(), v.Contiguous().Kept()
	return s
}

// Decode is Forward for further rows of a text, with norms Before the parts, which attend to those before, to
// themselves as o says, and to the rows of the encoder, as cross says.
func (l *Layer) Decode(x *tensor.Tensor, s *State, o, cross nn.Attend) *tensor.Tensor {
	rows := normed(l.Norm1, x)
	k, v := s.cache.Append(l.Self.Keys(rows))
	x = x.Add(l.Self.From(rows, k, v, o))
	x = x.Add(l.Cross.From(normed(l.NormCross, x), s.k, s.v, cross))
	return l.feed(x)
}

// Len returns how many tokens were decoded.
func (s *State) Len() int { return s.cache.Len() }

// Truncate forgets all but the first n tokens.
func (s *State) Truncate(n int) {
	s.cache.K.Truncate(n)
	s.cache.V.Truncate(n)
}

// Rows is a linear layer of some rows of a matrix that stacks several.
func Rows(w *nn.Linear, first, rows int) *nn.Linear {
	l := w.Rows(first, rows)
	if l.Weight != nil {
		l.Weight = l.Weight.Contiguous()
	}
	if l.Bias != nil {
		l.Bias = l.Bias.Contiguous()
	}
	return l
}

// Linear takes a linear layer with or without a bias.
func Linear(in, out int, bias bool, p *nn.Params) *nn.Linear {
	if bias {
		return nn.NewLinear(in, out, p)
	}
	return nn.NewLinearNoBias(in, out, p)
}
