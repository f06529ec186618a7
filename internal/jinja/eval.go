package jinja

import (
	"fmt"
	"unicode/utf8"
)

// eval is the value of an expression.
func (r *renderer) eval(e *expr, s *scope) (any, error) {
	if err := r.step(); err != nil {
		return nil, at(e.line, err)
	}
	v, err := r.value(e.node, s)
	if err == nil {
		err = r.charge(e.node, v)
	}
	return v, at(e.line, err)
}

// charge counts what a value costs that was looked up or made.
func (r *renderer) charge(n node, v any) error {
	switch n.(type) {
	case listOf, dictOf, slice, call, filter, binary:
		return r.measure(v, 0)
	}
	switch v := v.(type) {
	case string:
		r.steps += len(v) / 64
	case list:
		r.steps += len(v.items) / 8
	}
	return nil
}

func (r *renderer) value(n node, s *scope) (any, error) {
	switch n := n.(type) {
	case literal:
		return n.value, nil
	case variable:
		if v, ok := s.get(n.name); ok {
			return v, nil
		}
		return undefined{fmt.Sprintf("%q", n.name)}, nil
	case listOf:
		items, err := r.values(n.items, s)
		return list{items, n.kind}, err
	case dictOf:
		return r.dict(n, s)
	case attribute:
		of, err := r.eval(n.of, s)
		if err != nil {
			return nil, err
		}
		return attributeOf(of, n.name)
	case item:
		return r.item(n, s)
	case slice:
		return r.slice(n, s)
	case call:
		return r.call(n, s)
	case filter:
		of, err := r.eval(n.of, s)
		if err != nil {
			return nil, err
		}
		return r.filter(n, of, s)
	case test:
		return r.test(n, s)
	case unary:
		v, err := r.eval(n.of.(*expr), s)
		if err != nil {
			return nil, err
		}
		return signed(n.op.(string), v)
	case binary:
		return r.binary(n, s)
	case comparison:
		return r.compare(n, s)
	case conditional:
		return r.conditional(n, s)
	}
	return nil, fmt.Errorf("unknown expression %T", n)
}

func (r *renderer) values(all []*expr, s *scope) ([]any, error) {
	values := make([]any, len(all))
	for i, e := range all {
		v, err := r.eval(e, s)
		if err != nil {
			return nil, err
		}
		values[i] = v
	}
	return values, nil
}

func (r *renderer) dict(n dictOf, s *scope) (any, error) {
	d := newDict()
	for i, k := range n.keys {
		key, err := r.eval(k, s)
		if err != nil {
			return nil, err
		}
		name, ok := key.(string)
		if !ok {
			return nil, fmt.Errorf("a key of a dict is a %s: only text is supported", typeName(key))
		}
		v, err := r.eval(n.values[i], s)
		if err != nil {
			return nil, err
		}
		d.set(name, v)
	}
	return d, nil
}

// attributeOf is of.name: an attribute or a method, else an item.
func attributeOf(of any, name string) (any, error) {
	if u, ok := of.(undefined); ok {
		return nil, fmt.Errorf("%w: it has no %q", u.err(), name)
	}
	if v, ok := methodOf(of, name); ok {
		return v, nil
	}
	switch of := of.(type) {
	case *dict:
		if v, ok := of.get(name); ok {
			return v, nil
		}
	case *namespace:
		if v, ok := of.of.get(name); ok {
			return v, nil
		}
	case *loop:
		if v, ok := of.attribute(name); ok {
			return v, nil
		}
	}
	if err := pythonOnly(of, name); err != nil {
		return nil, err
	}
	return undefined{fmt.Sprintf("%q of a %s", name, typeName(of))}, nil
}

// item is of[at]: an item, else an attribute.
func (r *renderer) item(n item, s *scope) (any, error) {
	of, err := r.eval(n.of, s)
	if err != nil {
		return nil, err
	}
	index, err := r.eval(n.at, s)
	if err != nil {
		return nil, err
	}
	return itemOf(of, index)
}

func itemOf(of, index any) (any, error) {
	if u, ok := of.(undefined); ok {
		return nil, fmt.Errorf("%w: it has no items", u.err())
	}
	if b, ok := index.(bool); ok {
		index = intOf(b)
	}
	switch of := of.(type) {
	case *dict:
		key, ok := index.(string)
		if v, there := of.get(key); ok && there {
			return v, nil
		}
	case list:
		i, ok := index.(int)
		if i < 0 {
			i += len(of.items)
		}
		if ok && i >= 0 && i < len(of.items) && !of.lazy() {
			return of.items[i], nil
		}
	case string:
		i, ok := index.(int)
		if i < 0 {
			i += utf8.RuneCountInString(of)
		}
		if ok && i >= 0 {
			for _, c := range of {
				if i == 0 {
					return string(c), nil
				}
				i--
			}
		}
	}
	if name, ok := index.(string); ok {
		return attributeOf(of, name)
	}
	shown, err := repr(index, 0)
	return undefined{fmt.Sprintf("item %s of a %s", shown, typeName(of))}, err
}

// slice is of[start:stop:step].
func (r *renderer) slice(n slice, s *scope) (any, error) {
	of, err := r.eval(n.of, s)
	if err != nil {
		return nil, err
	}
	var at [3]*int
	for i, e := range []*expr{n.start, n.stop, n.step} {
		if e == nil {
			continue
		}
		v, err := r.eval(e, s)
		if err != nil {
			return nil, err
		}
		if v == nil {
			continue
		}
		k, ok := v.(int)
		if !ok {
			return nil, fmt.Errorf("a slice has numbers, not a %s", typeName(v))
		}
		at[i] = &k
	}
	switch of := of.(type) {
	case undefined:
		return nil, fmt.Errorf("%w: it has no items", of.err())
	case string:
		runes := []rune(of)
		indices, err := sliced(len(runes), at)
		text := make([]rune, len(indices))
		for i, k := range indices {
			text[i] = runes[k]
		}
		return string(text), err
	case list:
		if of.lazy() {
			break
		}
		indices, err := sliced(len(of.items), at)
		items := make([]any, len(indices))
		for i, k := range indices {
			items[i] = of.items[k]
		}
		return list{items, of.kind}, err
	}
	return nil, fmt.Errorf("a %s has no slices", typeName(of))
}

// sliced are the indices of a slice of n items.
func sliced(n int, at [3]*int) ([]int, error) {
	step := 1
	if at[2] != nil {
		step = *at[2]
	}
	if step == 0 {
		return nil, fmt.Errorf("the step of a slice is 0")
	}
	low, high := 0, n // what bounds start and stop
	start, stop := 0, n
	if step < 0 {
		low, high = -1, n-1
		start, stop = n-1, -1
	}
	bound := func(p *int, otherwise int) int {
		if p == nil {
			return otherwise
		}
		k := *p
		if k < 0 {
			k += n
		}
		return min(max(k, low), high)
	}
	start, stop = bound(at[0], start), bound(at[1], stop)
	var all []int
	for i := start; step > 0 && i < stop || step < 0 && i > stop; {
		all = append(all, i)
		if step > n || step < -n {
			break
		}
		i += step
	}
	return all, nil
}

func (r *renderer) binary(n binary, s *scope) (any, error) {
	left, err := r.eval(n.left, s)
	if err != nil {
		return nil, err
	}
	if n.op == "and" && !truth(left) || n.op == "or" && truth(left) {
		return left, nil
	}
	right, err := r.eval(n.right, s)
	if err != nil || n.op == "and" || n.op == "or" {
		return right, err
	}
	return operate(n.op, left, right)
}

func (r *renderer) compare(n comparison, s *scope) (any, error) {
	left, err := r.eval(n.first, s)
	if err != nil {
		return nil, err
	}
	for i, op := range n.ops {
		right, err := r.eval(n.rest[i], s)
		if err != nil {
			return nil, err
		}
		if is, err := compared(op, left, right); err != nil || !is {
			return false, err
		}
		left = right
	}
	return true, nil
}

func (r *renderer) conditional(n conditional, s *scope) (any, error) {
	when, err := r.eval(n.when, s)
	switch {
	case err != nil:
		return nil, err
	case truth(when):
		return r.eval(n.then, s)
	case n.otherwise == nil:
		return undefined{"the value of an if without else"}, nil
	}
	return r.eval(n.otherwise, s)
}

// test is of is name.
func (r *renderer) test(n test, s *scope) (any, error) {
	of, err := r.eval(n.of, s)
	if err != nil {
		return nil, err
	}
	given, err := r.arguments(n.args, s)
	if err != nil {
		return nil, err
	}
	is, err := tests[n.name](of, given)
	return is != n.not, err
}

// filter is of | name.
func (r *renderer) filter(f filter, of any, s *scope) (any, error) {
	given, err := r.arguments(f.args, s)
	if err != nil {
		return nil, err
	}
	v, err := filters[f.name](r, of, given)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.name, err)
	}
	return v, nil
}
