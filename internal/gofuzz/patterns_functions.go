package gofuzz

var patternsOfFunctions = []string{
	// closures
	`$n, $f := 0, []func(int) int{}
for $i := range 4 {
$k := $i * <!int>
$f = append($f, func(x int) int { $n += x; $k++; return $k ^ $n + $i }, func(x int) int { $k -= x; return $k })
}
for $i, $g := range $f {
show($g($i), $g(<!int>))
show($n)
}
$m := map[string]func(int) int{"a": $f[#8], "b": $f[#8]}
$s := struct{ f func(int) int }{$f[#8]}
show($m["a"](1), $m["b"](2), $s.f(3))
show($n)
guard("nil", func() { $m["c"](1) })`,
	`var $e, $o func(n int) bool
$e = func(n int) bool { return n == 0 || $o(n-1) }
$o = func(n int) bool { return n != 0 && $e(n-1) }
var $f func(n int) int
$c := 0
$f = func(n int) int {
$c++
if n < 2 {
return n
}
return $f(n-1) + $f(n-2) + <!int>
}
show($e(#20), $o(#20), $f(#10))
show($c)`,
	`$a, $s, $g := hcounter(<!int>)
$a(3)
$b := $a
$s(<!int> & 15)
$r := []int{$b(1), $a(2), $g()}
$c := hcompose($a, func(n int) int { $r[0] += n; return n*2 - $r[1] })
for $i := range #5 {
$x := $c($i)
$r = append($r, $x)
}
$x := $g()
show($r, $x)`,
	`$t := 0
func() {
defer func() { $t = $t*3 + 1; @{recover()@show("deferred", recover())@} }()
for $i := range 5 {
$t += $i
defer func(n int) { $t = $t*2 + n*$i }($i + #4)
if $i == #7 {
$l := []int{1}
$t += $l[$i]
}
}
}()
show($t)`,
	`$l := []hvec{{X: 3, Tag: "c"}, {X: <!float64>, N: 2}, {X: 1, Tag: "a"}, {X: 2, N: 1, Tag: <string>}}
$n := 0
sort.Slice($l, func(i, j int) bool { $n++; return $l[i].X < $l[j].X || $l[i].X == $l[j].X && $l[i].Tag < $l[j].Tag })
show($l, $n > 2)
slices.SortStableFunc($l, func(a, b hvec) int { return cmp.Compare(a.Tag, b.Tag)*2 + cmp.Compare(b.N, a.N) })
show($l)
$w := hbyLen{"ccc", <string>, "", "bb", "dddd", "a"}
sort.Sort($w)
show($w, sort.IsSorted($w))
sort.Sort(sort.Reverse($w))
show($w, strings.Map(func(r rune) rune { return r + rune($n&1) }, $w[0]))`,
	// methods, interfaces
	`$v := hvec{X: 1, Tag: <string>}
$f, $g, $h := $v.size, $v.move, $v.with
$v.X = 7
$g(2, 1)
$e, $k := hvec.with, (*hvec).move
show($f(), $h("w"), $v, $e($v, "e"))
show($k(&$v, 1, 1).N)
show($v)
$l := []func() float64{$v.size, (&$v).size, hsquare{2}.area}
$v.Y = -3
for _, $x := range $l {
show($x())
}`,
	`$c, $l := 0, []hshape{hsquare{2}, &hcircle{r: 1}, hnamed("unit"), hsquare{<!float64>}, nil}
$t := 0.0
for $i, $x := range $l[:4] {
$t += $x.area() * float64($i+1)
$c += len($x.name())
switch $y := $x.(type) {
case hsquare:
$y.side++
$l[$i] = $y
case *hcircle:
$y.r += 2
$c += $y.hits
case interface{ area() float64 }:
show("other", $y.area(), $y)
}
}
show($t, $c, $l[0], $l[0] == $l[3], $l[2] == hshape(hnamed("unit")))
show($l[1].area())
guard("nil", func() { show($l[len($l)-1].name()) })
guard("assert", func() { show($l[#5].(hsquare).side) })
$y, $o := $l[#5].(*hcircle)
show($y != nil, $o)`,
	`for _, $x := range []any{1, int8(-3), "text", 2.5, nil, []int{1}, hvec{N: 1}, &hvec{N: 2}, errors.New("e"), <any>, true, uint8(200)} {
switch $y := $x.(type) {
case nil:
show("nil", $y)
case int, int8:
show("int", $y)
case string:
show(len($y), $y+"!")
case float64:
show($y * 2)
case []int:
$y[0]++
show($y)
case *hvec:
$y.N++
show(*$y)
case hvec:
$y.N++
show($y)
case error:
show($y.Error())
case bool, uint8:
show($y == any(true), $y)
default:
showf("%T", $y)
}
}`,
	`$d := hderived{hvec: hvec{X: 1}, hshape: hsquare{3}, n: <!int>}
$d.move(1, 1).move(2, 2)
$p := &$d
$p.Tag, $p.hvec.N = "d", 9
$s := hshape($p)
show($d.size(), $d.area(), $d.name())
$x := $d.with("x")
show($x.Tag, $d.hvec)
show($s.name())
$f := $d.area
$d.hshape = hsquare{4}
show($f(), $d.area(), hderived{n: 1}.hvec == hvec{})
guard("embedded", func() { show(hderived{}.area()) })`,
	// generics
	`$a := hmap([]%I{1, 2, <%I>, <!%I>}, func(x %I) string { return strconv.Itoa(int(x) & 15) })
$b := hfilter($a, func(s string) bool { return len(s) > #2 })
$c := hreduce($b, 0, func(n int, s string) int { return n*7 + len(s) + int(s[0]) })
show($a, $b, $c)
show(hsum([]%I{1, 2, <!%I>}), hsum([]float64{0.5, <!float64>}), hlargest(<!%I>, 3, <%I>))
$p := hpairOf(<!%I>, <!string>)
$q := $p.swapped()
$p.b += "p"
show($p, $q, $q.swapped() == $p, hpairOf($q, 1).a.a)`,
	`var $t *hnode[%I]
for $i := range %I(7) {
$t = $t.insert(($i*5)^3, func(a, b %I) bool { return a @{<@>@} b })
}
$n := 0
for $v := range $t.all() {
if $n++; $n > #9 {
break
}
if $v&1 == 1 {
continue
}
show($v)
}
var $s hstack[*hnode[%I]]
$s.push($t)
for $s.size() > 0 && $n < 60 {
$x, _ := $s.pop()
if $n++; $x.left != nil {
$s.push($x.left)
}
if $x.right != nil {
$s.push($x.right)
}
}
_, $o := $s.pop()
show($n, $o, $t.depth())`,
	// control flow
	`$k := 0
$o:
for $i := range 6 {
for $j := 0; ; $j++ {
switch {
case $j > $i:
continue $o
case $i*$j == #20:
break $o
case $j&1 == 0:
$k += $j
fallthrough
default:
$k++
}
if $k > 40 {
break
}
}
}
show($k)`,
	`$i, $s := 0, 0
$r:
if $i < #9 {
$s += $i * $i
$i++
if $s%3 == 1 {
$s++
goto $r
}
$s <<= 1
goto $r
}
show($i, $s)`,
	`$s := 0
$l := func() (r int) {
defer func() { r += $s }()
for $i, $x := range hpairs(#6) {
for $y := range hupTo($x) {
if $y == #4 {
continue
}
$s += $i * $y
if $s > #40 {
return $s * 100
}
}
if $i == 4 {
break
}
}
return -1
}
show($l())
show($s)
@@`,
	`$c, $d := make(chan int, 3), make(chan int)
go func() {
defer close($d)
for $x := range $c {
$t := 0
for $i := range $x {
$t += $i * $x
}
$d <- $t
}
}()
for $i := range 4 {
$c <- $i * #9
show(<-$d)
}
close($c)
$v, $o := <-$d
show($v, $o)`,
	`$n, $e := hparse(<!string> + "1")
show($n, $e)
for _, $s := range []string{"12", "-7", "x", "", "999999999999999999999"} {
if $n, $e := hparse($s); $e != nil {
show("error", $e, errors.Unwrap($e) != nil)
} else {
show($n * 2)
}
}`,
	`for $i := range 3 {
@@
if $i == #4 {
@@
} else if <bool> {
@@
}
}`,
}
