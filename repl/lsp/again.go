package lsp

import (
	"maps"
	"regexp"
	"slices"

	"github.com/gorocm/gorocm/repl"
)

// A cell depends on others by names alone, unless it has commands, imports, or results of cells. So a cell whose text
// is as before, and that mentions nothing whose meaning has changed, keeps what its check has found.

var (
	// byOther finds cells whose meaning depends on more than names: imports, commands, and results of cells.
	byOther = regexp.MustCompile(`(?m)\bimport\b|\bpackage\b|^\s*[%!]|=\s*!|\?\s*$|` + byResult)
	// ofAll finds those that may depend on all cells before them.
	ofAll = regexp.MustCompile(`(?m)^\s*%run\b|` + byResult)
	// blank finds _ where it takes a value: before = and := of the same list.
	blank      = regexp.MustCompile(`\b_\s*(?:,\s*[\pL_][\pL\pN_.\[\]]*\s*)*:?=`)
	methodHead = regexp.MustCompile(`(?m)^\s*func\s*\(`)
)

const byResult = `\b__*\b`

// plain reports whether a cell depends on others by names alone.
func plain(code string) bool { return !byOther.MatchString(blank.ReplaceAllString(code, "")) }

// words are the names in a cell, and in its last version without mistakes.
func words(code, good string) map[string]bool {
	m := map[string]bool{}
	for _, text := range []string{code, good} {
		for _, name := range identifiers.FindAllString(text, -1) {
			m[name] = true
		}
	}
	return m
}

func meet(a, b map[string]bool) bool {
	for name := range a {
		if b[name] {
			return true
		}
	}
	return false
}

// checkChanged checks the cells of a document that differ from those of its last result, then those that depend on what
// these declare or declared. Others keep what was found.
func (s *server) checkChanged(d *document, r *result) error {
	changed, some := changes(d.result, r.cells)
	if !some {
		r.checks = make([]check, len(r.cells))
		all := map[int]bool{}
		for i := range r.cells {
			all[i] = true
		}
		return s.checkAgain(d, r, all)
	}
	r.checks, r.analysis = slices.Clone(d.result.checks), d.result.analysis
	if err := s.checkAgain(d, r, changed); err != nil || len(changed) == 0 {
		return err
	}
	other := map[string]bool{} // names whose meaning may be another
	for i := range changed {
		maps.Copy(other, d.result.checks[i].declares)
		maps.Copy(other, r.checks[i].declares)
	}
	affected := dependants(r, other)
	first := slices.Min(slices.Collect(maps.Keys(changed)))
	maps.DeleteFunc(affected, func(i int, _ bool) bool { return changed[i] || i < first })
	if len(affected) == 0 {
		return nil
	}
	return s.checkAgain(d, r, affected)
}

// changes lists the cells that differ from those of an older result. It reports false where all are to be checked.
func changes(old *result, list []cell) (changed map[int]bool, ok bool) {
	if old == nil || len(old.cells) != len(list) {
		return nil, false
	}
	changed = map[int]bool{}
	for i, c := range list {
		if ofAll.MatchString(blank.ReplaceAllString(c.code, "")) {
			return nil, false
		}
		if c.code == old.checks[i].code {
			continue
		}
		if !plain(c.code) || !plain(old.checks[i].code) || !plain(old.checks[i].good) {
			return nil, false
		}
		changed[i] = true
	}
	return changed, true
}

// dependants are the cells that mention names, or names that such cells declare, and so on.
func dependants(r *result, names map[string]bool) map[int]bool {
	names = maps.Clone(names)
	affected := map[int]bool{}
	for more := true; more; {
		more = false
		for i, k := range r.checks {
			if affected[i] || !meet(words(r.cells[i].code, k.good), names) {
				continue
			}
			affected[i], more = true, true
			maps.Copy(names, k.declares)
		}
	}
	return affected
}

// checkAgain checks some cells of a document, each after those before it that it depends on.
func (s *server) checkAgain(d *document, r *result, which map[int]bool) error {
	if len(which) == 0 && r.analysis != nil {
		return nil
	}
	a, err := repl.NewAnalysis(s.modules)
	if err != nil {
		return err
	}
	a.Dir = folder(d.uri)
	needed := s.needs(d, r, which)
	for i, c := range r.cells {
		switch {
		case which[i]:
			r.checks[i] = s.checkCell(a, d, i, c)
		case needed[i]:
			s.declare(a, i, r.checks[i])
		}
	}
	r.analysis = a
	return nil
}

// declare makes known what a cell declares, which was checked before. It reports whether it has mistakes as it had
// then.
func (s *server) declare(a *repl.Analysis, i int, k check) (same bool) {
	s.checked++
	found, _, _ := a.Declare(s.ctx, cellName(i), k.code)
	if len(found) > 0 && k.good != "" {
		a.Declare(s.ctx, cellName(i), k.good)
	}
	return len(found) > 0 == (len(k.found) > 0)
}

// needs are the cells that some cells depend on, and all with commands.
func (s *server) needs(d *document, r *result, which map[int]bool) map[int]bool {
	needed, names := map[int]bool{}, map[string]bool{}
	last := 0
	for i := range which {
		maps.Copy(names, words(r.cells[i].code, d.good[i]))
		last = max(last, i)
	}
	for more := true; more; {
		more = false
		for i := range last {
			k := r.checks[i]
			if which[i] || needed[i] || plain(k.code) && plain(k.good) && !meet(k.declares, names) {
				continue
			}
			needed[i], more = true, true
			maps.Copy(names, words(k.code, k.good))
		}
	}
	return needed
}

// prefix is what is known before a cell: that of the cells above it. The last one that was asked for is kept.
type prefix struct {
	d        *document
	checks   []check
	analysis *repl.Analysis
}

// before returns the analysis of the cells above the n-th. It goes on from the one that was asked for last.
func (s *server) before(d *document, list []cell, n int) (*repl.Analysis, error) {
	p := &s.prefix
	if p.d == d && p.analysis != nil && len(p.checks) <= n && p.same(d, list[:len(p.checks)]) {
		s.goOn(d, list, n)
		return p.analysis, nil
	}
	if p.d == d && p.analysis != nil && len(p.checks) == n && s.renewed(d, n) {
		return p.analysis, nil
	}
	a, err := repl.NewAnalysis(s.modules)
	if err != nil {
		return nil, err
	}
	a.Dir = folder(d.uri)
	*p = prefix{d, nil, a}
	s.goOn(d, list, n)
	return a, nil
}

// same reports whether cells are those of the prefix.
func (p *prefix) same(d *document, list []cell) bool {
	for i, c := range list {
		if k := p.checks[i]; c.code != k.code || d.goodOf(i) != k.good && c.code != d.goodOf(i) {
			return false
		}
	}
	return true
}

// goOn declares the cells up to the n-th.
func (s *server) goOn(d *document, list []cell, n int) {
	for len(d.good) < len(list) {
		d.good = append(d.good, "")
	}
	p := &s.prefix
	for i := len(p.checks); i < n; i++ {
		p.checks = append(p.checks, s.checkCell(p.analysis, d, i, list[i]))
	}
}

// renewed declares again in the prefix, which has n cells, those that have changed, and those that depend on them. It
// reports false where that would not be as if all were declared in their order: where a name has several meanings, or
// none any more.
func (s *server) renewed(d *document, n int) bool {
	if d.changed {
		s.publish()
	}
	p, r := &s.prefix, d.result
	if r == nil || d.changed || len(r.checks) < n {
		return false
	}
	old := &result{cells: r.cells[:n], checks: p.checks}
	changed, some := changes(old, r.cells[:n])
	if !some {
		return false
	}
	times, other := map[string]int{}, map[string]bool{}
	for i, k := range r.checks[:n] {
		for name := range k.declares {
			times[name]++
		}
		if changed[i] {
			maps.Copy(other, p.checks[i].declares)
			maps.Copy(other, k.declares)
		}
	}
	for name := range other {
		if times[name] != 1 {
			return false
		}
	}
	affected := dependants(&result{cells: r.cells[:n], checks: r.checks[:n]}, other)
	maps.Copy(affected, changed)
	for i := range n {
		if !affected[i] {
			continue
		}
		for name := range words(r.checks[i].code, r.checks[i].good) {
			if times[name] > 1 {
				return false
			}
		}
		if !s.declare(p.analysis, i, r.checks[i]) {
			p.analysis = nil
			return false
		}
		p.checks[i] = r.checks[i]
	}
	return true
}

func (d *document) goodOf(i int) string {
	if i < len(d.good) {
		return d.good[i]
	}
	return ""
}

// commanded reports whether a command of a cell declares a name.
func (r *result) commanded(name string) bool {
	return slices.ContainsFunc(r.checks, func(k check) bool { return k.commanded[name] })
}
