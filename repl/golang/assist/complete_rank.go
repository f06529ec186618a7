package assist

import (
	"cmp"
	"go/types"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gorocm/gorocm/repl/golang/check"
)

// candidate is a name that may stand at the cursor, with what its rank depends on. The first difference counts: how the
// name matches what is typed, how its type fits, how near it is declared, how late, and last the alphabet.
type candidate struct {
	text   string
	key    string // what is typed may be the beginning of this one too
	kind   string
	obj    types.Object // nil for keywords, labels and files
	sig    string       // instead of what obj tells
	path   string       // of a package
	owner  types.Type   // that has a field
	near   int          // smaller is nearer
	recent int          // larger is later
	fit    int
	match  int
	lower  string // text in small letters
}

// How near a name is. Locals come first, by the depth of their blocks up to nearCell.
const (
	nearCell    = 50 + iota // declared at the cell's top level
	nearSession             // declared by an earlier cell
	nearDot                 // visible without an import
	nearPackage             // imported
	nearBuiltin
	nearKeyword
	nearAuto // a package that is imported when it is used
)

// How a name matches what is typed, worst first.
const (
	noMatch = iota
	subsequence
	scattered
	midWord
	anyCase
	exact
)

// maxMatches bounds what a completion lists, and maxDocs for how many of them documentation is looked up.
const (
	maxMatches = 500
	maxDocs    = 40
)

// matching says how a name matches a prefix.
func matching(name, prefix string) int {
	switch {
	case strings.HasPrefix(name, prefix):
		return exact
	case len(name) < len(prefix):
		return noMatch
	case strings.EqualFold(head(name, len(prefix)), prefix):
		return anyCase
	case len(prefix) < 2:
		return noMatch
	}
	lower, want := strings.ToLower(name), strings.ToLower(prefix)
	if i := strings.Index(lower, want); i > 0 && startsWord(name, i) {
		return midWord
	}
	if len(lower) == len(name) && inOrder(name, lower, want) {
		return scattered
	}
	if isSubsequence(lower, want) {
		return subsequence
	}
	return noMatch
}

// isSubsequence reports whether name has the letters of want one after the other, the first one at its beginning: prsn
// finds person.
func isSubsequence(name, want string) bool {
	if name == "" || name[0] != want[0] {
		return false
	}
	at := 0
	for i := 0; i < len(name) && at < len(want); i++ {
		if name[i] == want[at] {
			at++
		}
	}
	return at == len(want)
}

func head(s string, n int) string {
	for n < len(s) && !utf8.RuneStart(s[n]) {
		n++
	}
	return s[:min(n, len(s))]
}

// inOrder reports whether name has the letters of want one after the other, the first one at its beginning, and every
// gap ends at the beginning of a word: nwb finds NewWriterBuffer.
func inOrder(name, lower, want string) bool {
	if lower == "" || want == "" || lower[0] != want[0] {
		return false
	}
	after := make([]bool, len(lower)+1) // the letters so far may end before this byte
	after[1] = true
	for j := 1; j < len(want); j++ {
		next := make([]bool, len(lower)+1)
		before, any := false, false
		for i := range len(lower) {
			before = before || after[i]
			if lower[i] == want[j] && (after[i] || before && startsWord(name, i)) {
				next[i+1], any = true, true
			}
		}
		if !any {
			return false
		}
		after = next
	}
	return true
}

// startsWord reports whether a word begins at byte i of a name: after _, or where a capital follows a small letter.
func startsWord(name string, i int) bool {
	if i <= 0 || i >= len(name) {
		return i == 0
	}
	before, _ := utf8.DecodeLastRuneInString(name[:i])
	r, _ := utf8.DecodeRuneInString(name[i:])
	switch {
	case before == '_', before == '/', unicode.IsDigit(r) != unicode.IsDigit(before):
		return true
	case unicode.IsUpper(r):
		if !unicode.IsUpper(before) {
			return true
		}
		next, _ := utf8.DecodeRuneInString(name[i+utf8.RuneLen(r):])
		return unicode.IsLower(next)
	}
	return false
}

// ranking gathers candidates for a prefix.
type ranking struct {
	prefix string
	want   want
	seen   map[string]bool
	list   []candidate
	strict bool // no match in the middle of a name
	deep   int  // fields of fields in the list
}

func (r *ranking) add(c candidate) {
	c.match = matching(c.text, r.prefix)
	if c.key != "" {
		c.match = max(c.match, matching(c.key, r.prefix))
	}
	if c.match == noMatch || r.strict && c.match < anyCase || r.seen[c.text] {
		return
	}
	if c.text == "_" || strings.Contains(c.text, cursorMark) || strings.HasSuffix(c.text, ".") {
		return
	}
	if c.fit == 0 {
		c.fit = r.fit(c.obj)
	}
	if c.fit < -1 {
		return
	}
	c.lower = strings.ToLower(c.text)
	r.seen[c.text] = true
	r.list = append(r.list, c)
}

// hide keeps a name from being listed, because something that cannot stand here has it.
func (r *ranking) hide(name string) { r.seen[name] = true }

// fit says how well an object suits what is wanted: -2 never, 0 as anything else, 3 best.
func (r *ranking) fit(o types.Object) int {
	w := r.want
	if o == nil {
		return 0
	}
	if w.types {
		switch o := o.(type) {
		case *types.TypeName:
			return fitsAssertion(o.Type(), w.typ)
		case *types.PkgName:
			return 0
		}
		return -2
	}
	switch o := o.(type) {
	case *types.TypeName:
		return w.fitType(o)
	case *types.Func:
		return w.fitFunc(o)
	case *types.Const:
		return w.fitConst(o)
	case *types.Nil:
		return w.fitNil()
	case *types.Var:
		return w.fitVar(o)
	}
	return 0
}

// fitType is fit for a type, which can begin a literal or a conversion.
func (w want) fitType(o *types.TypeName) int {
	if w.typ == nil || isBasic(w.typ) || o.IsAlias() {
		return 0
	}
	if it, ok := w.typ.Underlying().(*types.Interface); ok && !it.Empty() && !types.IsInterface(o.Type()) &&
		!check.IsGeneric(o.Type()) {
		if types.Implements(o.Type(), it) || w.addr && types.Implements(types.NewPointer(o.Type()), it) {
			return 1 // a literal of it
		}
		return 0
	}
	if types.Identical(o.Type(), w.typ) {
		return 1
	}
	return 0
}

func (w want) fitFunc(o *types.Func) int {
	res := o.Signature().Results()
	if w.typ == nil || o.Signature().TypeParams().Len() > 0 {
		if w.called {
			return 1
		}
		return 0
	}
	if res.Len() > 0 {
		if f := fits(res.At(0).Type(), w.typ); f > 0 &&
			(res.Len() == 1 || res.Len() == 2 && check.IsError(res.At(1).Type())) {
			if w.called {
				return 3
			}
			return f - 1
		}
	}
	return fits(o.Type(), w.typ)
}

func (w want) fitConst(o *types.Const) int {
	f := 0
	if w.typ != nil {
		f = fits(o.Type(), w.typ)
		if b, ok := o.Type().(*types.Basic); ok && f > 1 && b.Info()&types.IsUntyped != 0 &&
			b.Info()&types.IsBoolean == 0 {
			f = 1
		}
		if n, ok := types.Unalias(w.typ).(*types.Named); ok && types.Identical(o.Type(), n) {
			f = 3 // one of an enumeration
			if w.consts {
				f = 4
			}
		}
	}
	return f
}

func (w want) fitNil() int {
	if w.typ != nil && w.addr {
		return -1
	}
	if it, ok := check.Underlying(w.typ).(*types.Interface); ok && it.Empty() {
		return 0
	}
	if w.typ != nil && types.AssignableTo(types.Typ[types.UntypedNil], w.typ) {
		return 2
	}
	return 0
}

func (w want) fitVar(o *types.Var) int {
	if w.ranged && rangeable(o.Type()) {
		return 2
	}
	if w.typ == nil {
		return 0
	}
	if w.called {
		if sig, ok := o.Type().Underlying().(*types.Signature); ok && sig.Results().Len() > 0 {
			return fits(sig.Results().At(0).Type(), w.typ)
		}
		return 0
	}
	if it, ok := w.typ.Underlying().(*types.Interface); ok && w.addr {
		if !it.Empty() && types.Implements(types.NewPointer(o.Type()), it) {
			return 2
		}
		return 0
	}
	return fits(o.Type(), w.typ)
}

// fitsAssertion says how well a type suits an assertion or a type switch on a value of type x, nil for any other place.
func fitsAssertion(t, x types.Type) int {
	it, ok := check.Underlying(x).(*types.Interface)
	switch {
	case !ok || it.Empty():
		return 1
	case types.IsInterface(t) || t == types.Typ[types.Invalid]:
		return 0
	case types.Implements(t, it):
		return 3
	case types.Implements(types.NewPointer(t), it):
		return 2
	}
	return -1
}

// rangeable reports whether people range over values of a type: integers may be ranged over too, but few are there for
// that.
func rangeable(t types.Type) bool {
	switch u := check.Deref(t).Underlying().(type) {
	case *types.Slice, *types.Array, *types.Map, *types.Chan:
		return true
	case *types.Signature:
		return u.Params().Len() == 1 && u.Results().Len() == 0 && isYield(u.Params().At(0).Type())
	}
	return false
}

func isYield(t types.Type) bool {
	f, ok := t.Underlying().(*types.Signature)
	return ok && f.Results().Len() == 1 && types.Identical(f.Results().At(0).Type(), types.Typ[types.Bool])
}

func isBasic(t types.Type) bool {
	_, ok := t.(*types.Basic)
	return ok
}

// fits says how well a value of type t suits a place of type want.
func fits(t, want types.Type) int {
	if t == nil || t == types.Typ[types.Invalid] {
		return 0
	}
	if types.Identical(t, want) {
		return 3
	}
	if it, ok := want.Underlying().(*types.Interface); ok && it.Empty() {
		return 0
	}
	if types.AssignableTo(t, want) {
		return 2
	}
	if p, ok := types.Unalias(want).(*types.Pointer); ok && types.Identical(t, p.Elem()) {
		return 1 // with &
	}
	return 0
}

// sorted is the list, best first. Where a name begins as what is typed, others are left out, because a front end writes
// what all matches have in common; and where words of a name do, those that only have the letters.
func (r *ranking) sorted() []candidate {
	for _, least := range []int{anyCase, scattered} {
		if slices.ContainsFunc(r.list, func(c candidate) bool { return c.match >= least }) {
			r.list = slices.DeleteFunc(r.list, func(c candidate) bool { return c.match > noMatch && c.match < least })
			break
		}
	}
	slices.SortFunc(r.list, func(a, b candidate) int {
		return cmp.Or(b.match-a.match, b.fit-a.fit, a.near-b.near, b.recent-a.recent, strings.Compare(a.lower, b.lower),
			strings.Compare(a.text, b.text))
	})
	if len(r.list) > maxMatches {
		return r.list[:maxMatches]
	}
	return r.list
}
