package native

// More functions for TestFeatures: with function literals.

func featLiteralSum(n int) (int, string) {
	total, text := 0, ""
	add := func(x int) {
		total += x
		if x%3 == 0 {
			text += "x"
		}
	}
	for i := range n {
		add(i)
	}
	add(100)
	return total, text
}

func featLiteralResults(n int) (a, b int) {
	both := func(x int) (int, int) {
		if x%2 == 0 {
			return x, -x
		}
		for i := 0; ; i++ {
			if i*i > x {
				return i, x - i
			}
		}
	}
	for i := range n {
		x, y := both(i)
		a, b = a+x, b+y
	}
	return
}

func featLiteralInLiteral(n int) []int {
	var list []int
	put := func(x int) {
		twice := func() int { x *= 2; return x }
		a, b := twice(), twice()
		list = append(list, a, b)
		if len(list) > 20 {
			list = list[10:]
		}
	}
	for i := 0; i < n; i++ {
		put(i)
		func() { list[0]++ }()
	}
	return list
}

func featLiteralPanics(n int) int {
	list := make([]int, 7)
	at := func(i int) int { return list[i] }
	s := 0
	for i := range n {
		list[i%7] = i
		s += at(i / 2)
	}
	return s
}

func featLiteralNoReturn(n int) int {
	stop := func() { panic("stopped") }
	if n > 5 {
		stop()
		n++
	}
	return n
}

func featLiteralLoops(n int) (s int) {
	for i := range n {
		k := i
		step := func() { k += i; s += k }
		for range 3 {
			step()
		}
		if s > 500 {
			continue
		}
		s++
	}
	return s
}

func featLiteralStructs(n int) (featPoint, string) {
	p, names := featPoint{1, 2, 3}, [2]string{"a", "b"}
	move := func(d float64) featPoint {
		p.X += d
		p.N++
		names[0] = names[1]
		names[1] += "z"
		return p
	}
	var q featPoint
	for i := range n % 20 {
		q = move(float64(i))
	}
	q.Y = p.X
	return q, names[0] + names[1]
}

func featLiteralNamed(n int) (total int) {
	f := func(x int) (y int, ok bool) {
		defer2 := x * 2
		if y = defer2 + total; y > 50 {
			return
		}
		ok = true
		return y, ok
	}
	for i := range n {
		if y, ok := f(i); ok {
			total += y
		} else {
			total--
		}
	}
	return
}

func featTexts(n int) (string, []rune, []byte, int) {
	s := "aé世\xff界\U0001F600z"[n%9:]
	k := 0
	for i, r := range s {
		if r == 'z' {
			break
		}
		k += i*n + int(r)
	}
	for range s {
		k++
	}
	t := ""
	list := []rune(s)
	for i := range list {
		t = string(list[i]) + t + string(rune(n+'a'))
	}
	b := []byte(t)
	for i := range b {
		b[i] ^= 1
	}
	return t + string(b[:len(b)/2]) + string([]rune{-1, 0x110000, 0xd800}), []rune(t), b, k
}

func featUnsigned(n int) (uint8, uint16, uint32, uint64, uint) {
	x := float64(n) * 3.7
	return uint8(x), uint16(float32(x) * 100), uint32(x * 1e6), uint64(x * 1e16), uint(x)
}

func featCharacters(n int) (list []string) {
	for i := range n {
		list = append(list, string(rune('a'+i)), string(rune(0x4e00+i*n)), string(rune(-i)))
	}
	return list
}
