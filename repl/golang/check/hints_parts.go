package check

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"unicode"
)

// Names of which a part was written: ndimage.Gaussian for GaussianFilter; and methods that are functions in Go.

// partOf are the names of which another one is the first words, the beginning of the only one, or one of the words:
// GaussianFilter for Gaussian, Millisecond for Millis. Where one of them begins all of these, it is that: ToUpper
// beside ToUpperSpecial. They are none if there are more than a few.
func partOf(name string, known []string) []string {
	if len(name) < 3 {
		return nil
	}
	var whole, begins, has []string // of whole, the name is the first words
	part := strings.ToLower(name)
	for _, n := range known {
		if begun := len(n) > len(name) && strings.EqualFold(n[:len(name)], name); begun {
			if !unicode.IsLower(rune(n[len(name)])) {
				whole = append(whole, n)
			} else if len(wordsOf(n)) == 1 {
				begins = append(begins, n)
			}
		} else if slices.Contains(wordsOf(n), part) {
			has = append(has, n)
		}
	}
	for _, list := range [][]string{whole, begins, has} {
		slices.SortFunc(list, func(a, b string) int { return cmp.Or(len(a)-len(b), strings.Compare(a, b)) })
		if len(list) == 0 {
			continue
		}
		if !slices.ContainsFunc(list, func(n string) bool { return !strings.HasPrefix(n, list[0]) }) {
			return list[:1]
		}
		if len(list) <= maxOffered {
			return list
		}
		return nil
	}
	return nil
}

// fitting are the exported names of a package: of its functions, where the selector at a place is called.
func fitting(k *Checker, pkg *types.Package, at token.Pos) []string {
	names := exported(pkg)
	if sel := k.selectorAt(at); sel == nil || k.callOf(sel) == nil {
		return names
	}
	return slices.DeleteFunc(names, func(n string) bool {
		_, ok := pkg.Scope().Lookup(n).(*types.Func)
		return !ok
	})
}

// maxOffered is how many names a hint offers.
const maxOffered = 3

// didYouMeanOne asks for one of several names.
func didYouMeanOne(before string, names []string, after func(string) string) string {
	var list []string
	for _, n := range names {
		list = append(list, before+n+after(n))
	}
	if n := len(list) - 1; n > 0 {
		return didYouMean(strings.Join(list[:n], ", ") + " or " + list[n])
	}
	return didYouMean(strings.Join(list, ""))
}

// wordsOf are the words of a name, in lower case: to and upper of ToUpper.
func wordsOf(name string) (words []string) {
	from := 0
	for i := 1; i <= len(name); i++ {
		if i == len(name) || unicode.IsUpper(rune(name[i])) && !unicode.IsUpper(rune(name[i-1])) {
			words = append(words, strings.ToLower(name[from:i]))
			from = i
		}
	}
	return words
}

// functionHint is for a method that is a function of the package of its type, or of packages slices and strings.
func functionHint(k *Checker, name, x string, sel *ast.SelectorExpr, t types.Type) string {
	if n, ok := types.Unalias(Deref(t)).(*types.Named); ok && n.Obj().Pkg() != nil && !IsSession(n.Obj()) {
		return functionOf(k, n.Obj().Pkg(), name, x, sel, t)
	}
	path := ""
	switch u := t.Underlying().(type) {
	case *types.Slice:
		if h := loopHint(name, x); h != "" {
			return h
		}
		path = "slices"
	case *types.Basic:
		if u.Info()&types.IsString != 0 {
			path = "strings"
		}
	}
	if path == "" {
		return ""
	}
	p, err := k.Scope.Library.Import(path)
	if err != nil {
		return ""
	}
	return functionOf(k, p, name, x, sel, nil)
}

// loopWords are methods of lists in other languages that are loops in Go.
var loopWords = map[string]bool{"map": true, "filter": true, "foreach": true, "reduce": true, "each": true,
	"fold": true}

func loopHint(name, x string) string {
	if !loopWords[strings.ToLower(name)] {
		return ""
	}
	return "a slice has no methods: did you mean for _, v := range " + x + " { … }?"
}

// otherNames are what functions of packages slices and strings are called elsewhere.
var otherNames = map[string]string{"includes": "Contains", "indexof": "Index", "startswith": "HasPrefix",
	"endswith": "HasSuffix", "upper": "ToUpper", "lower": "ToLower", "touppercase": "ToUpper",
	"tolowercase": "ToLower", "strip": "TrimSpace", "trim": "TrimSpace", "lstrip": "TrimLeft", "rstrip": "TrimRight",
	"find": "Index", "replace": "ReplaceAll", "rfind": "LastIndex", "lastindexof": "LastIndex"}

// functionOf is a call of a function of a package in the place of a method, with x as its first argument, or, where the
// first parameter is another, as the first one of its type. In a package of t's own only such a function counts.
func functionOf(k *Checker, p *types.Package, name, x string, sel *ast.SelectorExpr, t types.Type) string {
	if other := otherNames[strings.ToLower(name)]; t == nil && p.Scope().Lookup(other) != nil {
		name = other
	}
	for _, n := range exported(p) {
		f, ok := p.Scope().Lookup(n).(*types.Func)
		if !ok || !strings.EqualFold(n, name) {
			continue
		}
		params := f.Signature().Params()
		at, last := 0, params.Len()-1
		for t != nil && at <= last && !sameParam(f.Signature(), at, t) {
			at++
		}
		if at > last {
			continue
		}
		var args []string
		if c := k.callOf(sel); c != nil {
			for _, a := range c.Args {
				if text := k.text(a); strings.Contains(text, " literal)") {
					args = append(args, "f")
				} else {
					args = append(args, text)
				}
			}
		}
		if len(args) != last && (!f.Signature().Variadic() || len(args) < at) {
			args = nil
			for i := range last {
				if i < last-1 || !f.Signature().Variadic() || i < at {
					args = append(args, "…")
				}
			}
		}
		return didYouMean(p.Name() + "." + n + "(" + strings.Join(slices.Insert(args, at, x), ", ") + ")")
	}
	return ""
}

// sameParam reports whether a parameter takes values of a type.
func sameParam(sig *types.Signature, i int, t types.Type) bool {
	p := sig.Params().At(i).Type()
	if sig.Variadic() && i == sig.Params().Len()-1 {
		p = p.(*types.Slice).Elem()
	}
	return types.Identical(p, t)
}
