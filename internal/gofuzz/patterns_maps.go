package gofuzz

// patternsOfMaps are of maps with many types of keys, of sets, and of values that take no memory.
var patternsOfMaps = []string{
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
	// sets, and values that take no memory
	`$m, $e := map[uint8]struct{}{}, struct{}{}
for $i := range 20 + #200 {
@{$m[uint8($i*3)&0x7f] = $e@$m[uint8($i)&#99] = struct{}{}@}
if _, $o := $m[uint8($i*3)&0x7f]; $o && $i&3 == #4 {
delete($m, uint8($i)&#99)
}
}
$n, $s := 0, 0
for $k, $v := range $m {
if _, $o := $m[$k]; $o && $v == $e {
$s += int($k@{&0x7f@|1@})
}
$n++
}
$v, $o := $m[uint8(len($m)*3)&0x7f]
show(len($m), $n, $s, $v == $e, $o)
if $n&1 == #2 {
clear($m)
}
$m[uint8(len($m))&#99] = $v
show(len($m))`,
	// sets, and values that take no memory
	`$m, $e := map[%I]struct{}{}, struct{}{}
for $i := range 20 + #200 {
@{$m[%I($i)*</%I>] = $e@$m[%I($i*7)] = struct{}{}@}
if _, $o := $m[%I($i)*</%I>]; $o && $i&3 == #4 {
delete($m, %I($i*7))
}
}
$n, $s := 0, 0
for $k, $v := range $m {
if _, $o := $m[$k]; $o && $v == $e {
$s += int($k@{&0x7f@|1@})
}
$n++
}
$v, $o := $m[%I(len($m))*</%I>]
show(len($m), $n, $s, $v == $e, $o)
if $n&1 == #2 {
clear($m)
}
$m[%I(len($m)*7)] = $v
show(len($m))`,
	`$e, $p, $u := struct{}{}, &struct{}{}, hempty{}
$l := []hshape{$u, &$u, hsquare{2}, hwith{n: <!int>}}
$t := 0.0
for $i := range 9 + #9 {
$t += $l[$i%len($l)].area()
$u.only($e, $i)
}
var $a any = $e
switch $x := $a.(type) {
case struct{}:
show("empty", $x == *$p, $x == struct{}(hempty{}))
default:
show("other")
}
_, $o := $l[#4].(hempty)
$w := hwith{n: #9}
$x, $y := $w.both($w, 3)
show($t, $o, $w == $x, $y, $w, $a == any(hempty{}), $l[0] == hshape(hempty{}))
$f := func() (struct{}, int) { return $w.none, <!int> }
$g, $k := $f()
$w.none = $g
show($g, $k, $w)
if lines > 0 {
guard("nil empty", func() { var $z *hempty; $l[1] = $z; show($l[1].area()) })
}`,
	`$l, $s, $v := make([]%I, 5+#20), []string{"a", <string>, "c"}, []hvec{{X: 1}, {N: 2, Tag: "t"}}
$n := 0
for $i := range 4 + #9 {
for $j := range $l {
$l[$j] += %I($i + $j)
}
clear($l[$i%len($l):@{@min(len($l), $i+3)@}])
$s[$i%3] += strconv.Itoa($i)
if $i&3 == #4 {
clear($s[:1+$i%3])
clear($v[#2:])
}
$v[$i&1].N += int32($i)
$n += len($s[0]) + int($l[0]&7)
}
clear($s[:0])
show($l, $s, $v, $n)
var $z []*int
clear($z)
$q := []*%I{&$l[0], nil, &$l[1]}
clear($q[1:])
show(len($z), $q[0] == &$l[0], $q[2] == nil)`,
	loopsOverMap(`%I`, `%I($i)*</%I>`, `%I($i/2)`),
	loopsOverMap(`string`, `strings.Repeat("k", $i%9)+strconv.Itoa($i*<!int>&0xff)`, `strconv.Itoa($i)`),
	loopsOverMap(`hkey`, `hkey{a: int32($i), c: $i&1 == 0}`, `hkey{a: int32($i), c: true}`),
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
}

// loopsOverMap is a pattern of loops over a map, and in one over it again, that change it: of what is added and deleted
// before.
func loopsOverMap(keys, added, deleted string) string {
	return `$m, $x, $y := map[` + keys + `]%J{}, 0, 0
for $i := range #60 {
$m[` + added + `] += %J($i)
if $i%7 == #7 {
delete($m, ` + deleted + `)
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
show(len($m), $y)`
}
