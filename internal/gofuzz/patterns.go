package gofuzz

import "slices"

// patterns are loops as people write them, with parts that differ: see patternWriter. What they compute is shown.
var patterns = slices.Concat(patternsOfData, patternsOfFunctions, patternsOfMaps, patternsOfCalls)

var patternsOfData = []string{
	// numbers
	`$s, $t := <!int>, <!uint32>
for $i := range 1 + #20 {
$s @{+=@-=@^=@|=@*=@} $i * <!int>
$t = $t<<(uint($i)%40) @{^@+@&^@} $t>>#33
if $s @{<@>@==@} <!int> {
@{continue@$t--@$s++@}
}
$t++
}
show($s, $t)`,
	`for _, $x := range []%I{<%I>, <!%I>, <%I>, </%I>, -<!%I>, 0} {
show($x / </%I>, $x % </%I>, $x / </%I>, $x % </%I>, $x * </%I>)
}`,
	`for _, $n := range []%J{0, 1, 7, 8, 15, 16, 31, 32, 33, 63, 64, 65, 100} {
$v := <!%I>
show($v << $n, $v >> $n, $v << ($n & 31), $v >> ($n % 9))
}`,
	`guard("shift", func() { show(<!%I> @{<<@>>@} <!int>) })
guard("divide", func() { show(<!%I> @{/@%@} <!%I>) })`,
	`$x := <!%I>
show(int8($x), uint8($x), int16($x), uint16($x), int32($x), uint32($x), int64($x), uint64($x))
show(float32($x), float64($x), %J(%J($x)+1), %I(%J($x)), uintptr($x), -$x, ^$x)
if $f := float64($x) * @{1.5@0.25@-3@}; $f > -1e9 && $f < 1e9 {
show(int32($f), int64($f), int($f), int16(int($f)), uint8(int64($f)), float32($f))
}`,
	`$z, $l := %F(some.int - some.int), []%F{0, 1.5, -2.25, 1e9, <%F>, <!%F>}
$l = append($l, 1/$z, -1/$z, $z/$z, -$z)
for $i, $a := range $l {
$b := $l[($i*7+#9)%len($l)]
show($a+$b, $a-$b, $a*$b, $a/$b, -$a, $a < $b, $a <= $b, $a == $b, $a != $b, $a > $b)
show(min($a, $b), max($a, $b), $a*$b+$a, float32($a), math.Sqrt(float64($a)), math.Abs(float64($b)))
switch {
case $a < $b:
show("less")
case !($a >= $b):
show("unordered")
}
}`,
	`var $n %I
for $i := %I(#100); ; $i += 1 + %I(#50) {
if $n++; $n > 9 || $i < $n {
break
}
$n += $i & 3
}
show($n, $n == %I(int8($n)))`,
	`$a, $b := uint64(<!int>), uint64(<!int>)
for $i := range 8 {
$a, $b = $b*6364136223846793005+$a, $a^$b>>#40
$a ^= $b << ($i * #12)
if int64($a) < int64($b) && $a > $b {
$a, $b = $b, $a
}
}
show($a, $b, int32($a), uint16($b), $a%</uint64>, $b/</uint64>, int64($a)%</int64>, int64($b)/</int64>)`,
	// arrays and structs by value
	`$a := [4]%I{<%I>, <!%I>}
$b := $a
$b[#4] @{+=@-=@=@*=@} <!%I>
$p := &$a
for $i, $x := range $a {
$a[($i+1)&3] = $x + 1
$p[$i&3]++
}
for $i, $x := range &$b {
$b[($i+1)&3] ^= $x
}
show($a, $b, $a == $b, *$p)
$c := [2][4]%I{$a, $b}
$d := $c
$d[0], $d[1] = $d[1], $d[0]
$d[#2][#4]++
show($c, $d == $c, $c[1] == $d[0], len($c[1]))`,
	`$v := hvec{X: <!float64>, N: int32(<!int>), Tag: <string>}
$w := $v
$w.move(1, <!float64>).move(0.5, -1)
$l := []hvec{$v, $w, $v.with("t")}
for $i, $x := range $l {
$x.N += int32($i)
$l[len($l)-1-$i].X += $x.Y
$l[$i].Tag += $x.Tag[:min(1, len($x.Tag))]
}
show($v, $w, $v == $w, $l, $w.size() > 2)
$m := map[hvec]int{$v: 1, $w: 2}
$m[$l[0]] += 5
show(len($m), $m[$v], $m[$w], $m[hvec{}])`,
	`$f := func(a [3]int, s struct{ a, b %I }) ([3]int, %I) {
a[#3] += int(s.b)
s.a++
return a, s.a
}
$a, $s := [3]int{1, 2}, struct{ a, b %I }{<%I>, <!%I>}
$b, $c := $f($a, $s)
$a, $s.b = $f($b, $s)
show($a, $b, $c, $s, $a != $b)`,
	// order of assignments
	`$i, $l := 1, []int{3, 0, 2, 1}
$i, $l[$i] = $l[$i], $i
$l[0], $l[1], $l[2] = $l[2], $l[0], $l[1]
$l[$i&3], $i = $i, $l[3]
$x, $y := <!int>, <!int>
for range #5 {
$x, $y = $y, $x+$y
}
show($i, $l, $x, $y)
$p, $q := &$x, &$y
$p, *$p, $q = $q, 9, $p
show(*$p, *$q, $x, $y)`,
	`$n := &hnode[int]{v: 1, right: &hnode[int]{v: 2, left: &hnode[int]{v: 3}}}
for range #3 {
if $r := $n.right; $r != nil {
$n, $n.right, $r.left = $r, $r.left, $n
}
}
$s := 0
$n.walk(func(v int) bool { $s = $s*10 + v; return true })
show($s)`,
	`$m, $k := map[string]int{"a": 1}, "a"
$k, $m[$k] = "b", 5
$m[$k], $k = len($k), "c"
$v, $o := $m[$k]
show($m, $k, $v, $o)`,
	// slices
	`$l := make([]%I, 0, #6)
$o := $l
for $i := range 9 {
$l = append($l, %I($i)*</%I>)
if $i == #9 {
$o = append($l[:$i/2:$i/2+#2], <!%I>)
}
}
copy($l[#4:], $l[#3:7])
show($l, $o, len($l[2:5]), cap($l[2:5:7]))
clear($l[1:2])
for $i, $x := range $l {
if $i < 3 {
$l = append($l, $x)
}
}
show($l, @{min@max@}($l[0], $l[1], $l[2]))`,
	`$g := make([][]%I, 3)
for $i := range $g {
$r := make([]%I, $i+2)
$g[$i] = $r
for $j := range $g[$i] {
$g[$i][$j] = %I($i*10 + $j) @{+@*@-@} <!%I>
}
}
$g[0], $g[2] = $g[2], $g[0]
$t := %I(0)
for _, $r := range $g {
for $j := len($r) - 1; $j >= 0; $j -= 1 + #2 {
$t = $t*3 + $r[$j]
}
}
show($g, $t)
guard("grid", func() { show($g[#4][#5]) })`,
	`guard("bounds", func() {
$l := []%I{1, 2, 3, 4}
$i, $j := <!int>&7, <!int>&7
_ = $i + $j
show(@{len($l[$i:$j])@$l[$i]@$l[:$j]@$l[$i:$j:5]@[2]%I($l[$i:])@cap($l[$j:])@len(make([]%I, $i-$j))@})
})`,
	`$l := []int{5, 2, <int>, 8, <!int>, 1}
for $i := 1; $i < len($l); $i++ {
for $j := $i; $j > 0 && $l[$j-1] > $l[$j]; $j-- {
$l[$j-1], $l[$j] = $l[$j], $l[$j-1]
}
}
show($l, sort.SearchInts($l, 5))
$k := $l[:0]
for _, $x := range $l {
if $x&1 == 0 {
$k = append($k, $x)
}
}
show($k, $l)`,
	// strings
	`$s := <!string>
for $i := range #12 {
_ = $i
$s += @{string(rune('a' + $i))@strconv.Itoa($i)@<string>@"é"@string([]byte{byte($i + 60)})@}
if len($s) > 40 {
$s = $s[len($s)/2:]
}
}
show($s, len($s), strings.ToUpper($s), strings.Count($s, "a"))
for $i, $r := range $s {
show($i, $r, $s[$i], $s[$i:] >= $s, string($r) == $s[$i:min($i+1, len($s))])
}`,
	`var $b @{strings.Builder@bytes.Buffer@}
for $i := range #10 {
$b.WriteByte(byte('a' + $i))
$b.WriteString(<string>)
$b.WriteRune(rune($i * 300))
if $i&1 == 0 {
$b.Write([]byte(<!string>))
}
if $b.Len() > 100 {
break
}
}
show($b.String(), $b.Len())
$b.Reset()
show($b.Len())`,
	`$l := []byte(<!string>)
for $i := range len($l) / 2 {
$l[$i], $l[len($l)-1-$i] = $l[len($l)-1-$i], $l[$i]
}
$r := []rune(string($l) + "é日")
for $i, $j := 0, len($r)-1; $i < $j; $i, $j = $i+1, $j-1 {
$r[$i], $r[$j] = $r[$j], $r[$i]
}
$h := uint32(2166136261)
for _, $c := range []byte(string($r)) {
$h = ($h ^ uint32($c)) * 16777619
}
show($l, $r, $h, string($r), bytes.Equal($l, []byte("x")))`,
	`$w := strings.Fields("to be or not to be " + <!string>)
$m := map[string]int{}
for _, $x := range $w {
$m[$x]++
$m[$x[:1]] += len($x)
}
$k := []string{}
for $x := range $m {
$k = append($k, $x)
}
sort.Strings($k)
for _, $x := range $k {
show($x, $m[$x])
}
switch $w[#6] {
case "to", "be":
show("two")
case "or":
show("or")
fallthrough
default:
show("any")
}`,
	// maps
	`$m := map[%I]%J{}
for $i := range 12 {
$m[%I($i)*</%I>] += %J($i)
if $i%3 == 0 {
delete($m, %I($i)&7)
}
}
var $s %J
for $k, $v := range $m {
$s += $v * %J($k)
}
$v, $o := $m[<!%I>]
show(len($m), $s, $v, $o)
for $k := range $m {
delete($m, $k)
}
show(len($m))`,
	`$m := map[string][]int{}
$n := map[[2]int]*hvec{}
for $i := range 7 {
$k := string(rune('a' + $i%3))
$m[$k] = append($m[$k], $i)
if $n[[2]int{$i % 2}] == nil {
$n[[2]int{$i % 2}] = &hvec{N: int32($i)}
}
$n[[2]int{$i % 2}].X += float64($i)
}
show($m, len($n), *$n[[2]int{}], *$n[[2]int{1}])
var $e map[string]int
guard("nil map", func() { show($e["a"], len($e)); $e[<string>]++ })`,
	`$m := map[any]int{1: 1, "a": 2, 1.5: 3, hvec{}: 4, [1]int{2}: 5, true: 6}
for _, $k := range []any{1, "a", 1.5, hvec{}, [1]int{2}, true, nil, int8(1), <any>} {
$v, $o := $m[$k]
show($v, $o)
}
guard("key", func() { show($m[[]int{1}]) })
delete($m, any(1))
show(len($m))`,
}
