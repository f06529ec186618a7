package ir

// samePhis replaces phis that are one and the same constant whichever way is taken: those that only have such phis and
// the constant as operands.
func (f *Func) samePhis() {
	const (
		open = iota // nothing is known yet
		one
		several
	)
	type state struct {
		what int
		n    int64
	}
	of := map[*Value]state{}
	var list []*Value
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if v.Op == Phi && !v.Kind.IsFloat() {
				of[v] = state{}
				list = append(list, v)
			}
		}
	}
	for again := true; again; {
		again = false
		for _, v := range list {
			now := of[v]
			for _, a := range v.Args {
				s, phi := of[a]
				switch {
				case phi:
				case a.Op == Const:
					s = state{one, a.Imm}
				default:
					s = state{what: several}
				}
				switch {
				case s.what == open || now.what == several:
				case now.what == open:
					now = s
				case s != now:
					now = state{what: several}
				}
			}
			if now != of[v] {
				of[v], again = now, true
			}
		}
	}
	to := func(v *Value) *Value {
		if s := of[v]; s.what == one {
			return f.Int(v.Kind, s.n)
		}
		return v
	}
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			for i, a := range v.Args {
				v.Args[i] = to(a)
			}
		}
		for i, v := range b.Results {
			b.Results[i] = to(v)
		}
		if b.Control != nil {
			b.Control = to(b.Control)
		}
	}
}
