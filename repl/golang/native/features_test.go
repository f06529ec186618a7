package native

import "math"

// The functions of this file run as the compiler makes them and as generated code: see TestFeatures.

type featPoint struct {
	X, Y float64
	N    int32
}

type featItem struct {
	Name string
	List []int
	Next *featItem
}

func featAppend(n int) ([]int, bool) {
	var s []int
	enough := true
	for i := range n {
		s = append(s, i*i)
		enough = enough && cap(s) >= len(s)
	}
	return s, enough
}

func featAppendMany(n int) []byte {
	s := []byte{}
	for i := 0; i < n; i++ {
		s = append(s, "ab"...)
		s = append(s, byte(i), 'x', 'y')
		s = append(s, s[:i%5]...)
	}
	return s
}

func featCopy(n int) []int {
	a := make([]int, n, n+5)
	for i := range a {
		a[i] = i
	}
	copy(a[1:], a)
	b := make([]int, n/2)
	k := copy(b, a[n/3:])
	return append(a, b[:k]...)
}

func featLiterals(n int) []int {
	a := []int{1, 2, 3, n}
	b := [4]int{5, 6, n, 8}
	s := 0
	for i, x := range b {
		s += x * i
	}
	for i := range b {
		b[i] += a[(i+n)&3]
	}
	return []int{a[n&3], b[(n+1)&3], s, len(a), cap(a[1:2])}
}

func featStrings(n int) string {
	s := ""
	for i := 0; i < n; i++ {
		s += "abcdefg"[i%7 : i%7+1]
		if s > "abcd" && s != "abcde" {
			s = s + "-"
		}
	}
	return s
}

func featWords(n int) []string {
	var list []string
	text := "one two three four five"
	from := 0
	for i := 0; i <= len(text); i++ {
		if i == len(text) || text[i] == ' ' {
			list = append(list, text[from:i])
			from = i + 1
		}
	}
	for i, j := 0, len(list)-1; i < j; i, j = i+1, j-1 {
		list[i], list[j] = list[j], list[i]
	}
	return list[:n%len(list)]
}

func featStructs(n int) (featPoint, float64) {
	ps := make([]featPoint, n)
	for i := range ps {
		ps[i] = featPoint{float64(i), float64(i * i), int32(i)}
	}
	sum := featPoint{}
	for _, p := range ps {
		sum.X += p.X
		sum.Y -= p.Y
		sum.N += p.N
	}
	if n > 1 {
		ps[0], ps[n-1] = ps[n-1], ps[0]
		return sum, ps[0].Y
	}
	return sum, 0
}

func featMove(p featPoint, d float64) featPoint {
	p.X += d
	p.Y *= d
	return p
}

func featMoves(n int) featPoint {
	p := featPoint{1, 2, 3}
	for i := range n {
		p = featMove(p, float64(i))
	}
	return p
}

func featList(n int) int {
	var head *featItem
	for i := range n {
		head = &featItem{Next: head, List: []int{i, i + 1}, Name: "item"}
	}
	s := 0
	for p := head; p != nil; p = p.Next {
		s += p.List[1]*2 + len(p.Name)
		p.List = append(p.List, s)
	}
	return s
}

func featPointers(n int) (int, int) {
	a, b := 1, 2
	p := &a
	for i := range n {
		if i%2 == 0 {
			p = &b
		} else {
			p = &a
		}
		*p += i
	}
	return a, b
}

func featMinMax(n int) (int, uint8, float64) {
	return min(n, 5, n*n-20), max(uint8(n), 3), max(float64(n), 2.5, math.Inf(-1))
}

func featSwitch(n int) int {
	s := 0
	for i := range n {
		switch {
		case i%15 == 0:
			s += 100
			fallthrough
		case i%5 == 0:
			s += 10
		case i%3 == 0:
			continue
		default:
			s--
		}
		if s > 1000 {
			break
		}
	}
	return s
}

func featLabels(n int) int {
	s := 0
outer:
	for i := 0; i < n; i++ {
		for j := 0; j < n; j++ {
			if j > i {
				continue outer
			}
			if i*j > 50 {
				break outer
			}
			s += i ^ j
		}
	}
	i := 0
again:
	if i < n {
		i += 3
		s++
		goto again
	}
	return s
}

func featCollatz(n int) (longest, at int) {
	for i := 1; i < n*10; i++ {
		k, x := 0, i
		for x != 1 {
			if x%2 == 0 {
				x /= 2
			} else {
				x = 3*x + 1
			}
			k++
		}
		if k > longest {
			longest, at = k, i
		}
	}
	return
}

func featEven(n int) bool {
	if n == 0 {
		return true
	}
	return featOdd(n - 1)
}

func featOdd(n int) bool {
	if n == 0 {
		return false
	}
	return featEven(n - 1)
}

func featMatrix(n int) [][]float64 {
	a := make([][]float64, n)
	for i := range a {
		a[i] = make([]float64, n)
		for j := range a[i] {
			a[i][j] = float64(i*n+j) / 3
		}
	}
	c := make([][]float64, n)
	for i := range c {
		row := make([]float64, n)
		for j := range row {
			for k, x := range a[i] {
				row[j] += x * a[k][j]
			}
		}
		c[i] = row
	}
	return c
}

func featMany(a, b, c, d, e, f, g int) int { return a + 2*b + 3*c + 4*d + 5*e + 6*f + 7*g }

func featSpill(n int) int {
	a, b, c, d, e, f, g, h, i, j, k, l, m := n, n+1, n+2, n+3, n+4, n+5, n+6, n+7, n+8, n+9, n+10, n+11, n+12
	for x := range n {
		a, b, c, d, e, f, g, h, i, j, k, l, m = m+x, a, b^x, c, d, e-x, f, g, h*3, i, j, k, l
		a += featMany(a, b, c, d, e, f, g) / (1 + x)
	}
	return a ^ b ^ c ^ d ^ e ^ f ^ g ^ h ^ i ^ j ^ k ^ l ^ m
}

func featFloats(n int) float64 {
	a, b, c, d, e, f, g, h := 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0
	p, q, r, s, t, u, v, w := 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8
	for i := range n {
		x := float64(i)
		a, b, c, d, e, f, g, h = b+x, c, d*0.5, e, f, g-x, h, a
		p, q, r, s, t, u, v, w = q, r+a, s, t*0.9, u, v, w/1.5, p
	}
	return a + b*c - d/e + f*g - h + p*q + r - s*t + u/v + w
}

func featOrder(n int) int {
	a, b := make([]int, 5), make([]int, 7)
	a[n] += b[n+4]
	a[1] += 10 / (n - 2)
	p := &featItem{List: a}
	if n == 3 {
		p = nil
	}
	p.List[0] -= a[n*2]
	return a[0] + b[0]
}

// A block that ways into were cut off has a phi of one operand.
func featDead(n int) int {
	a, b, total := n, 127, 0
	if false {
		total = 7
	} else {
		for i := range n & 7 {
			total += i
		}
		a = 127
	}
	switch (a - b) & 7 {
	case 0:
		for i := range make([]bool, n) {
			total = i * 3
		}
	default:
		for i := range 9 {
			a = total | i
		}
	}
	return total + a
}

var features = map[string]any{
	"featAppend": featAppend, "featAppendMany": featAppendMany, "featCopy": featCopy, "featLiterals": featLiterals,
	"featStrings": featStrings, "featWords": featWords, "featStructs": featStructs, "featMoves": featMoves,
	"featList": featList, "featPointers": featPointers, "featMinMax": featMinMax, "featSwitch": featSwitch,
	"featLabels": featLabels, "featCollatz": featCollatz, "featEven": featEven, "featMatrix": featMatrix,
	"featSpill": featSpill, "featOrder": featOrder, "featFloats": featFloats, "featDead": featDead,
	"featTexts": featTexts, "featCharacters": featCharacters, "featUnsigned": featUnsigned,
	"featLiteralSum": featLiteralSum, "featLiteralResults": featLiteralResults,
	"featLiteralInLiteral": featLiteralInLiteral, "featLiteralPanics": featLiteralPanics,
	"featLiteralNoReturn": featLiteralNoReturn, "featLiteralLoops": featLiteralLoops,
	"featLiteralStructs": featLiteralStructs, "featLiteralNamed": featLiteralNamed,
}
