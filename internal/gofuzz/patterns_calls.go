package gofuzz

// patternsOfCalls are of variadic functions, methods of many types, and short functions.
var patternsOfCalls = []string{
	// variadic functions
	`$l := []int{<!int>, 2, 3}
show(hadd(), hadd(1), hadd(1, <!int>, 3), hadd($l...), hadd($l[1:2]...))
show(hjoin("-"), hjoin(<string>, "b"), hjoin("+", "a", <!string>, "c"), hjoin(",", []string{"x", "y"}...))
hbump($l...)
$k := hbump(<!int>, 1)
show($l, $k, hlongest([]int{1}, $l, nil, []int{<int>, 2, 3, 4}))
$f := func(a %I, list ...%J) int {
for $i, $x := range list {
a += %I($x) * %I($i)
}
return int(a) + len(list)
}
show($f(1), $f(<!%I>, 2, <!%J>), $f(3, []%J{1, 2, 3}...))
$g := []func(...int) int{hadd, hbump, func(l ...int) int { return len(l) + #9 }}
for $i, $h := range $g {
show($h(), $h($i, 2), $h($l...))
}`,
	`$v := &hmany{}
var $c hcollector = $v
for $i := range #9 {
$v.add($i, <!int>).add()
$c.collect("n", $i, "text", 2.5, nil)
$c.collect("none")
}
$c.collect("list", []any{<!int>, "x"}...)
show($v.n, $v.s, hadd($v.list...))
guard("variadic", func() { show(hpick(#7, 1, <!int>, 3)) })`,
	// methods of many types, and functions that are short
	`$l := []hshape{hsquare{<!float64>}, &hcircle{r: 2}, hnamed(<string>), hflat(3), hunit{true}}[#4:]
$a, $b, $c, $x, $y, $z := <!int>, 1, 2, <!float64>, 0.5, -1.25
$p, $q, $r, $s := &hvec{N: 3}, &$a, []int{1, 2, <!int>}, <!string>
for $i := range 10 + #30 {
$h := $l[($i*@{1@3@7@})%len($l)]
$x, $y, $z = $y, $z, $x/2+$h.area()
$a, $b, $c = $b, $c, $a@{+@^@-@}$i*3
if $i%4 == #4 {
$s, $q = $h.name(), &$r[$i%3]
}
$p.X += $y
*$q += $b
$r[$i%3] ^= len($s) + $c
}
show($a, $b, $c, $x, $y, $z, *$p, $r, $s)
if lines > 0 {
guard("nil shape", func() { $l[0] = nil; show($l[#2%len($l)].area()) })
guard("nil circle", func() { var $n *hcircle; $l[0] = $n; show($l[#2%len($l)].area()) })
}`,
	`$l := []hshape{hsquare{<!float64>}, &hcircle{r: 2}, hnamed("abc"), hflat(3), &hline{1, 2}, hline{3, 4}, hunit{true}, hderived{hshape: hsquare{2}}}
$t, $n := 0.0, 0
for $i := range 40 {
$s := $l[$i*3%len($l)]
$t += $s.area()
if $i%4 == 0 {
$n += len($s.name())
}
}
show($t, $n)`,
	`$v, $a, $w := hvec{X: 1}, &haccount{}, hline{1, <!float64>}
for $i := range 30 {
$a.deposit($i)
$a.limit(<!int>&15, $i)
$v.X += hscaled($v.Y, $i)
$v.Y = hclamped($v.X, -2, 9)
$w = $w.turned()
$a.n += hdigit(<!string>, $i&3)
}
show($v, *$a, $w)
guard("short", func() { show(hat([]int{1, 2}, #4), hratio(<!int>, #2)) })
guard("nil", func() { var $z *haccount; $z.deposit(1) })
guard("value", func() { var $z *hline; $s := []hshape{$z, hsquare{1}}; show($s[#2].area()) })`,
	`show(htotal([]hcents{hcents(<!int32>), 5}), htotal([]hcents{}), hsmallest(hcents(3), hcents(<!int32>), hcents(-4)))
$b := hbag[string]{}
for $i := range 9 {
$b.put(string(rune('a'+$i%4)), $i, 1)
}
show($b.total(), $b.count("a"), $b.count("z"), len($b.seen))`,
}

// callsPrelude are the declarations that these use.
const callsPrelude = `
type hempty struct{}

func (e hempty) area() float64                { return 0.25 }
func (e hempty) name() string                 { return "empty" }
func (e *hempty) only(x struct{}, n int) hempty { return *e }

type hwith struct {
	none struct{}
	n    int
}

func (w hwith) area() float64                          { return float64(w.n) }
func (w hwith) name() string                           { return "with" }
func (w hwith) both(x hwith, n int) (y hwith, e hempty) { x.n += n + w.n; return x, e }

type hkey struct {
	a int32
	b uint8
	c bool
}

func hadd(list ...int) (n int) {
	for _, x := range list {
		n += x
	}
	return n
}

func hjoin(sep string, list ...string) string {
	s := ""
	for i, x := range list {
		if i > 0 {
			s += sep
		}
		s += x
	}
	return s
}

func hbump(list ...int) int {
	for i := range list {
		list[i]++
	}
	return len(list) + cap(list)
}

func hlongest(lists ...[]int) (longest []int) {
	for _, l := range lists {
		if len(l) > len(longest) {
			longest = l
		}
	}
	return longest
}

func hpick(i int, list ...int) int { return list[i] }

type hcollector interface{ collect(s string, list ...any) }

type hmany struct {
	n    int
	s    string
	list []int
}

func (m *hmany) add(list ...int) *hmany {
	m.list = append(m.list, list...)
	m.n += len(list)
	return m
}

func (m *hmany) collect(s string, list ...any) {
	for _, x := range list {
		switch x := x.(type) {
		case int:
			m.n += x
		case string:
			s += x
		case nil:
			m.n--
		}
	}
	if len(m.s) < 20 {
		m.s += s
	}
}

type hflat int

func (f hflat) area() float64 { return float64(f) * 2 }
func (f hflat) name() string  { return "flat" }

type hline struct{ a, b float64 }

func (l hline) area() float64 { return l.b - l.a }
func (l hline) name() string  { return "line" }
func (l hline) turned() hline { return hline{l.b, -l.a} }

type hunit struct{ on bool }

func (u hunit) area() float64 {
	if u.on {
		return 1
	}
	return 0
}
func (u hunit) name() string { return "" }

type haccount struct{ n, most int }

func (a *haccount) deposit(n int)  { a.n += n }
func (a *haccount) limit(n, m int) { a.n, a.most = min(a.n, n*m), max(a.most, m) }

func hscaled(x float64, n int) float64 { return x*float64(n) + 1 }

func hclamped(x, low, high float64) float64 {
	if x < low {
		return low
	}
	if x > high {
		return high
	}
	return x
}

func hdigit(s string, i int) int  { return int((s + "abcd")[i]) }
func hat(list []int, i int) int   { return list[i] }
func hratio(a, b int) int         { return a / b }

type hnumber interface {
	comparable
	value() int
}

type hcents int32

func (c hcents) value() int { return int(c) * 100 }

func htotal[T hnumber](list []T) (n int) {
	for _, x := range list {
		n += x.value()
	}
	return n
}

func hsmallest[T hnumber](a T, rest ...T) T {
	for _, x := range rest {
		if x.value() < a.value() {
			a = x
		}
	}
	return a
}

type hbag[K comparable] struct {
	seen map[K]int
	n    int
}

func (b *hbag[K]) put(k K, n ...int) {
	if b.seen == nil {
		b.seen = map[K]int{}
	}
	for _, x := range n {
		b.seen[k] += x
		b.n++
	}
}

func (b *hbag[K]) count(k K) int { return b.seen[k] }

func (b *hbag[K]) total() int {
	n := 0
	for _, x := range b.seen {
		n += x
	}
	return n*100 + b.n
}
`
