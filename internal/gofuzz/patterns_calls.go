package gofuzz

// patternsOfCalls are of maps with many types of keys, variadic functions, methods of many types, and short functions.
var patternsOfCalls = []string{
	// maps
	`$m, $a, $b := map[hkey]int{}, map[[3]int8]float64{}, map[bool]string{}
for $i := range 40 {
$k := hkey{int32($i % 7), uint8($i % #9 + 1), $i%3 == 0}
$m[$k] += $i
$m[$k]++
$a[[3]int8{int8($i & 3), 1}] -= float64($i) / 4
$b[$i&1 == 0] += string(rune('a' + $i%5))
if $v, $o := $m[hkey{int32($i), 1, false}]; $o {
$m[hkey{a: -1}] ^= $v
}
}
delete($m, hkey{1, 1, false})
$s := 0
for $k, $v := range $m {
$s += $v*int($k.a) + int($k.b)
}
show(len($m), $s, len($a), $a[[3]int8{3, 1}], $b)`,
	`$m := map[string]%I{}
$l := []string{"", "a", "ab", "abcdefg", "abcdefgh", "abcdefghi", strings.Repeat("x", 17), strings.Repeat("xy", 40), <string>}
for $i := range 60 {
$k := $l[$i%len($l)]
$m[$k] += %I($i)
$m[$k[len($k)/2:]+$l[$i%3]] ^= <!%I>
if $i%5 == #5 {
delete($m, $l[($i/5)%len($l)])
}
}
$v, $o := $m[strings.Repeat("xy", 40)]
show(len($m), $m["abcdefgh"], $m["abcdefg"], $v, $o)`,
	`$m := map[float64]int{}
$z := 0.0
for $i := range 12 {
$m[float64($i%4)*-$z]++
$m[$z/$z]++
$m[float64($i)/2] += $i
}
show(len($m), $m[0], $m[-$z], $m[$z/$z], $m[1.5])`,
	`$m := map[int]int{}
for $i := range 9 {
$m[$i] = $i
}
$s := 0
for $k := range $m {
if $k < 9 {
delete($m, $k)
$s++
for $j := range 20 {
$m[1000*$s+$j] = $j
}
}
}
show(len($m), $s)
for $i := range 3000 {
$m[$i*<!int>&0xfff] += $i
}
$t := 0
for $k, $v := range $m {
$t += $k*3 ^ $v
}
show(len($m), $t)`,
	`$m, $x, $y := map[%I]%J{}, 0, 0
for $i := range #60 {
$m[%I($i)*</%I>] += %J($i)
if $i%7 == #7 {
delete($m, %I($i/2))
}
}
for range $m {
$x++
}
for $k, $v := range $m {
$y += int($v) & 0xff
for $j := range $m {
if $j == $k {
$x++
@{break@continue@}
}
}
if $v&1 == %J(#2) {
delete($m, $k)
@{continue@$x++@}
}
$x += 3
}
show(len($m), $x, $y)
for _, $v := range $m {
$y ^= int($v)
if len($m) == 0 {
@{break@clear($m)@}
}
}
for $k, $v := range $m {
$m[$k] = $v + 1
@{delete($m, $k)@if $v > 7 { delete($m, $k) }@if $x != $y { clear($m) }@}
}
show(len($m), $y)`,
	`$m, $x, $y := map[string]%J{}, 0, 0
for $i := range #60 {
$m[strings.Repeat("k", $i%9)+strconv.Itoa($i*<!int>&0xff)] += %J($i)
if $i%7 == #7 {
delete($m, strconv.Itoa($i))
}
}
for range $m {
$x++
}
for $k, $v := range $m {
$y += int($v) & 0xff
for $j := range $m {
if $j == $k {
$x++
@{break@continue@}
}
}
if $v&1 == %J(#2) {
delete($m, $k)
@{continue@$x++@}
}
$x += 3
}
show(len($m), $x, $y)
for _, $v := range $m {
$y ^= int($v)
if len($m) == 0 {
@{break@clear($m)@}
}
}
for $k, $v := range $m {
$m[$k] = $v + 1
@{delete($m, $k)@if $v > 7 { delete($m, $k) }@if $x != $y { clear($m) }@}
}
show(len($m), $y)`,
	`$m, $x, $y := map[hkey]%J{}, 0, 0
for $i := range #60 {
$m[hkey{a: int32($i), c: $i&1 == 0}] += %J($i)
if $i%7 == #7 {
delete($m, hkey{a: int32($i), c: true})
}
}
for range $m {
$x++
}
for $k, $v := range $m {
$y += int($v) & 0xff
for $j := range $m {
if $j == $k {
$x++
@{break@continue@}
}
}
if $v&1 == %J(#2) {
delete($m, $k)
@{continue@$x++@}
}
$x += 3
}
show(len($m), $x, $y)
for _, $v := range $m {
$y ^= int($v)
if len($m) == 0 {
@{break@clear($m)@}
}
}
for $k, $v := range $m {
$m[$k] = $v + 1
@{delete($m, $k)@if $v > 7 { delete($m, $k) }@if $x != $y { clear($m) }@}
}
show(len($m), $y)`,
	`$m, $s := map[string][]int{}, 0
for $i := range 30 {
$m[strings.Repeat("k", $i%9)] = append($m[strings.Repeat("k", $i%9)], $i)
}
for $k, $v := range $m {
$s += len($k)*len($v) + $v[len($v)-1]
for $j := range $m {
if $j == $k {
$v[0] += len($j)
}
}
if len($k) == #9 {
clear($m)
}
}
show($s > 0, len($m))
$n := map[uint8]%I{}
for $i := range 200 {
$n[uint8($i)] = %I($i)
}
$t := 0
for $k, $v := range $n {
$t = ($t + int($k)*3 ^ int($v)) % 65536
if $k&1 == 0 {
delete($n, $k)
delete($n, $k+1)
}
}
show(len($n))
$u := 0
for $k := range $n {
$u += int($k)
}
show($u == 0 || $t != -1)`,
	`$p, $q := &hvec{N: 1}, &hvec{N: 2}
$m := map[*hvec][]string{$p: {"p"}}
$n := map[any]*hvec{1: $p, "q": $q, hsquare{2}: $p}
$e := map[hshape]int{hsquare{1}: 1, hnamed("n"): 2}
for $i := range 10 {
$k := @{$p@$q@}
if $i&1 == 0 {
$k = $n["q"]
}
$m[$k] = append($m[$k], strconv.Itoa($i))
$n[$i%3] = $k
$e[hsquare{float64($i % 2)}] += $i
}
show(len($m[$p]), len($m[$q]), len($n), len($e), $e[hsquare{1}], $n[2] == $q)
guard("key", func() { $n[[]int{1}] = $p })
guard("division", func() { $x := map[string]int{"a": 1}; $x["a"] /= len($m) - 2; show($x) })`,
	`var $m map[%I]%J
show($m[<!%I>], len($m))
for range $m {
show("never")
}
delete($m, 1)
guard("nil", func() { $m[1] = 2 })
guard("nil", func() { $m[<!%I>]++ })`,
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
guard("nil shape", func() { $l[0] = nil; show($l[#2%len($l)].area()) })
guard("nil circle", func() { var $n *hcircle; $l[0] = $n; show($l[#2%len($l)].area()) })`,
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
