package jinja

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

func listFilter(_ *renderer, v any, a args) (any, error) {
	items, err := iterate(v)
	return list{items: items}, firstError(err, a.take("list"))
}

func itemsFilter(_ *renderer, v any, a args) (any, error) {
	if err := a.take("items"); err != nil {
		return nil, err
	}
	switch v := v.(type) {
	case *dict:
		return list{itemsOf(v).items, aGenerator}, nil
	case undefined:
		return list{nil, aGenerator}, nil
	}
	return nil, fmt.Errorf("a %s is no mapping", typeName(v))
}

func firstFilter(_ *renderer, v any, a args) (any, error) {
	items, err := iterate(v)
	if err != nil {
		return nil, err
	}
	if len(items) == 0 {
		return undefined{"the first of no items"}, a.take("first")
	}
	return items[0], a.take("first")
}

func lastFilter(_ *renderer, v any, a args) (any, error) {
	if l, ok := v.(list); ok && l.kind == aGenerator {
		return nil, fmt.Errorf("a generator has no last item")
	}
	items, err := iterate(v)
	if err != nil {
		return nil, err
	}
	if len(items) == 0 {
		return undefined{"the last of no items"}, a.take("last")
	}
	return items[len(items)-1], a.take("last")
}

func reverseFilter(_ *renderer, v any, a args) (any, error) {
	if err := a.take("reverse"); err != nil {
		return nil, err
	}
	items, err := iterate(v)
	if err != nil {
		return nil, err
	}
	items = slices.Clone(items)
	slices.Reverse(items)
	if _, ok := v.(string); ok {
		var b strings.Builder
		for _, c := range items {
			b.WriteString(c.(string))
		}
		return b.String(), nil
	}
	return list{items, aGenerator}, nil
}

// pathOf is an attribute of an attribute: a.b, of which numbers are indices. "" is the value itself.
func pathOf(v any, path string) (any, error) {
	if path == "" {
		return v, nil
	}
	for _, name := range strings.Split(path, ".") {
		var key any = name
		if n, err := strconv.Atoi(name); err == nil {
			key = n
		}
		var err error
		if v, err = itemOf(v, key); err != nil {
			return nil, err
		}
	}
	return v, nil
}

func joinFilter(_ *renderer, v any, a args) (any, error) {
	var by, attribute string
	if err := a.take("join", param{"d", &by, false}, param{"attribute", &attribute, false}); err != nil {
		return nil, err
	}
	items, err := iterate(v)
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	for i, item := range items {
		item, err := pathOf(item, attribute)
		if err != nil {
			return nil, err
		}
		s, err := text(item)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			s = by + s
		}
		if err := write(&b, s); err != nil {
			return nil, err
		}
	}
	return b.String(), nil
}

// itemsOrNone are the items of a value, of which all that are false have none.
func itemsOrNone(v any) ([]any, error) {
	if !truth(v) {
		return nil, nil
	}
	return iterate(v)
}

// mapFilter applies a filter to each item, or looks up an attribute.
func mapFilter(r *renderer, v any, a args) (any, error) {
	items, err := itemsOrNone(v)
	if err != nil {
		return nil, err
	}
	out := make([]any, len(items))
	if len(a.items) == len(a.names) {
		var attribute any
		var otherwise any = undefined{}
		err := a.take("map", param{"attribute", &attribute, true}, param{"default", &otherwise, false})
		if err != nil {
			return nil, err
		}
		path, err := text(attribute) // 1 is an item
		if err != nil {
			return nil, err
		}
		_, without := otherwise.(undefined)
		for i, item := range items {
			if out[i], err = pathOf(item, path); err != nil {
				return nil, err
			}
			if _, ok := out[i].(undefined); ok && !without {
				out[i] = otherwise
			}
		}
		return list{out, aGenerator}, nil
	}
	name, ok := a.items[0].(string)
	if !ok || filters[name] == nil {
		return nil, fmt.Errorf("the filter %v is not supported", a.items[0])
	}
	for i, item := range items {
		if out[i], err = filters[name](r, item, args{a.items[1:], a.names}); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return list{out, aGenerator}, nil
}

// chooseFilter keeps the items, or those with attributes, that are true or pass a test.
func chooseFilter(byAttribute, keep bool) func(*renderer, any, args) (any, error) {
	return func(_ *renderer, v any, a args) (any, error) {
		items, err := itemsOrNone(v)
		if err != nil {
			return nil, err
		}
		path := ""
		if byAttribute {
			var ok bool
			if len(a.items) == len(a.names) {
				return nil, fmt.Errorf("want an attribute")
			}
			if path, ok = a.items[0].(string); !ok {
				return nil, fmt.Errorf("an attribute cannot be a %s", typeName(a.items[0]))
			}
			a.items = a.items[1:]
		}
		is := func(v any, _ args) (bool, error) { return truth(v), nil }
		if len(a.items) > 0 {
			name, ok := a.items[0].(string)
			if is = tests[name]; !ok || is == nil {
				return nil, fmt.Errorf("the test %v is not supported", a.items[0])
			}
			a.items = a.items[1:]
		}
		out := []any{}
		for _, item := range items {
			of, err := pathOf(item, path)
			if err != nil {
				return nil, err
			}
			yes, err := is(of, a)
			if err != nil {
				return nil, err
			}
			if yes == keep {
				out = append(out, item)
			}
		}
		return list{out, aGenerator}, nil
	}
}

// folded is a text as sort and its like compare it.
func folded(v any, sensitive bool) any {
	if s, ok := v.(string); ok && !sensitive {
		return strings.ToLower(s)
	}
	return v
}

// sorted are items in the order of a key.
func sorted(items []any, reverse, sensitive bool, key func(any) (any, error)) ([]any, error) {
	type pair struct{ item, key any }
	pairs := make([]pair, len(items))
	for i, item := range items {
		k, err := key(item)
		if err != nil {
			return nil, err
		}
		pairs[i] = pair{item, folded(k, sensitive)}
	}
	var first error
	slices.SortStableFunc(pairs, func(a, b pair) int {
		n, err := order(a.key, b.key)
		first = firstError(first, err)
		if reverse {
			n = -n
		}
		return n
	})
	out := make([]any, len(items))
	for i, p := range pairs {
		out[i] = p.item
	}
	return out, first
}

func sortFilter(_ *renderer, v any, a args) (any, error) {
	var reverse, sensitive bool
	var path string
	err := a.take("sort", param{"reverse", &reverse, false}, param{"case_sensitive", &sensitive, false},
		param{"attribute", &path, false})
	if err != nil {
		return nil, err
	}
	if strings.Contains(path, ",") {
		return nil, fmt.Errorf("several attributes are not supported")
	}
	items, err := iterate(v)
	if err != nil {
		return nil, err
	}
	items, err = sorted(items, reverse, sensitive, func(v any) (any, error) { return pathOf(v, path) })
	return list{items: items}, err
}

func dictSortFilter(_ *renderer, v any, a args) (any, error) {
	var reverse, sensitive bool
	by := "key"
	err := a.take("dictsort", param{"case_sensitive", &sensitive, false}, param{"by", &by, false},
		param{"reverse", &reverse, false})
	if err != nil {
		return nil, err
	}
	d, ok := v.(*dict)
	at := slices.Index([]string{"key", "value"}, by)
	if !ok || at < 0 {
		return nil, fmt.Errorf("want a dict, by its key or value: not a %s by %q", typeName(v), by)
	}
	items, err := sorted(itemsOf(d).items, reverse, sensitive, func(v any) (any, error) { return itemOf(v, at) })
	return list{items: items}, err
}

func uniqueFilter(_ *renderer, v any, a args) (any, error) {
	var sensitive bool
	var path string
	err := a.take("unique", param{"case_sensitive", &sensitive, false}, param{"attribute", &path, false})
	if err != nil {
		return nil, err
	}
	items, err := iterate(v)
	if err != nil {
		return nil, err
	}
	if len(items) > 1000 {
		return nil, fmt.Errorf("more than 1000 items are not supported")
	}
	out, seen := []any{}, list{}
	for _, item := range items {
		key, err := pathOf(item, path)
		if err != nil {
			return nil, err
		}
		if err := hashable(key); err != nil {
			return nil, err
		}
		key = folded(key, sensitive)
		if there, err := contains(seen, key); there || err != nil {
			continue
		}
		seen.items, out = append(seen.items, key), append(out, item)
	}
	return list{out, aGenerator}, nil
}

// extremeFilter is max, or with -1 min.
func extremeFilter(sign int) func(*renderer, any, args) (any, error) {
	return func(_ *renderer, v any, a args) (any, error) {
		var sensitive bool
		var path string
		err := a.take("max", param{"case_sensitive", &sensitive, false}, param{"attribute", &path, false})
		if err != nil {
			return nil, err
		}
		items, err := iterate(v)
		if err != nil {
			return nil, err
		}
		if len(items) == 0 {
			return undefined{"the extreme of no items"}, nil
		}
		items, err = sorted(items, sign > 0, sensitive, func(v any) (any, error) { return pathOf(v, path) })
		return items[0], err
	}
}

func sumFilter(_ *renderer, v any, a args) (any, error) {
	var path string
	var sum any = 0
	if err := a.take("sum", param{"attribute", &path, false}, param{"start", &sum, false}); err != nil {
		return nil, err
	}
	items, err := iterate(v)
	if err != nil {
		return nil, err
	}
	for _, item := range items {
		if item, err = pathOf(item, path); err != nil {
			return nil, err
		}
		if sum, err = operate("+", sum, item); err != nil {
			return nil, err
		}
	}
	return sum, nil
}
