package jinja

import "fmt"

// tests by name: what comes after is.
var tests map[string]func(v any, a args) (bool, error)

func init() {
	tests = map[string]func(v any, a args) (bool, error){
		"defined":   kindTest(func(v any) bool { _, ok := v.(undefined); return !ok }),
		"undefined": kindTest(func(v any) bool { _, ok := v.(undefined); return ok }),
		"none":      kindTest(func(v any) bool { return v == nil }),
		"string":    kindTest(func(v any) bool { _, ok := v.(string); return ok }),
		"number":    kindTest(func(v any) bool { _, ok := number(v); return ok }),
		"integer":   kindTest(func(v any) bool { _, ok := v.(int); return ok }),
		"float":     kindTest(func(v any) bool { _, ok := v.(float64); return ok }),
		"boolean":   kindTest(func(v any) bool { _, ok := v.(bool); return ok }),
		"true":      kindTest(func(v any) bool { return v == true }),
		"false":     kindTest(func(v any) bool { return v == false }),
		"mapping":   kindTest(func(v any) bool { _, ok := v.(*dict); return ok }),
		"iterable":  kindTest(func(v any) bool { _, err := iterate(v); return err == nil }),
		"sequence":  kindTest(func(v any) bool { _, err := length(v); return err == nil }),
		"callable":  kindTest(callable),
		"odd":       intTest(func(n, _ int) bool { return n%2 != 0 }),
		"even":      intTest(func(n, _ int) bool { return n%2 == 0 }),
		"upper":     caseTest("isupper"), "lower": caseTest("islower"),
		"divisibleby": divisible, "in": orderTest("in"),
		"eq": orderTest("=="), "==": orderTest("=="), "equalto": orderTest("=="), "ne": orderTest("!="),
		"!=": orderTest("!="), "lt": orderTest("<"), "<": orderTest("<"), "lessthan": orderTest("<"),
		"le": orderTest("<="), "<=": orderTest("<="), "gt": orderTest(">"), ">": orderTest(">"),
		"greaterthan": orderTest(">"), "ge": orderTest(">="), ">=": orderTest(">="),
		"filter": nameTest(func(name string) bool { return filters[name] != nil }),
		"test":   nameTest(func(name string) bool { return tests[name] != nil }),
	}
}

func callable(v any) bool {
	switch v.(type) {
	case function, *macro, *loop, undefined: // which fails when it is called
		return true
	}
	return false
}

func kindTest(is func(v any) bool) func(any, args) (bool, error) {
	return func(v any, a args) (bool, error) { return is(v), a.take("the test") }
}

func intTest(is func(n, by int) bool) func(any, args) (bool, error) {
	return func(v any, a args) (bool, error) {
		n, _, ok := integers(v, 0)
		if !ok {
			return false, fmt.Errorf("a %s is no integer", typeName(v))
		}
		return is(n, 0), a.take("the test")
	}
}

func divisible(v any, a args) (bool, error) {
	var by int
	if err := a.take("divisibleby", param{"num", &by, true}); err != nil {
		return false, err
	}
	n, _, ok := integers(v, 0)
	if !ok || by == 0 {
		return false, fmt.Errorf("a %s cannot be divided by %d", typeName(v), by)
	}
	return n%by == 0, nil
}

func caseTest(method string) func(any, args) (bool, error) {
	return func(v any, a args) (bool, error) {
		s, err := text(v)
		if err != nil {
			return false, err
		}
		is, err := textMethods[method](s, a)
		return is == true, err
	}
}

func orderTest(op string) func(any, args) (bool, error) {
	return func(v any, a args) (bool, error) {
		var other any
		if err := a.take("the test", param{"other", &other, true}); err != nil {
			return false, err
		}
		return compared(op, v, other)
	}
}

func nameTest(is func(string) bool) func(any, args) (bool, error) {
	return func(v any, a args) (bool, error) {
		name, ok := v.(string)
		return ok && is(name), a.take("the test")
	}
}
