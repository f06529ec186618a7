package native

import "math"

// The functions of this file use complex numbers: see TestFeatures.

type featWave struct {
	Z complex128
	C complex64
	N int
}

func featComplex(n int) (list []complex128) {
	x := float64(n)
	a, b := complex(x, 2), complex(0.5, -x)
	list = append(list, a+b, a-b, a*b, a/b, -a, a, 3*a, a+2i, 1/a, b/0)
	a *= b
	b -= a
	a++
	list = append(list, a, b, complex(imag(a), real(b)))
	if c := a; a == b || a != c {
		list = append(list, 0)
	}
	if a == complex(real(a), imag(a)) && b != 1 {
		list = append(list, 1)
	}
	return list
}

func featComplex64(n int) (list []complex64, ok bool) {
	x := float32(n) / 3
	a, b := complex(x, 2.1), complex(0.5, -x)
	list = append(list, a+b, a-b, a*b, a/b, -a, a*a*a, 3*a, complex64(complex128(a)*complex128(b)))
	a *= a
	return append(list, a, complex(real(a)*3, imag(b))), a == list[2] || complex128(a) == complex128(list[3])
}

func featMandelbrot(n int) int {
	total := 0
	for y := range 12 {
		for x := range 16 {
			c, z := complex(float64(x)/8-1.5, float64(y)/6-1), complex128(0)
			for i := 0; i < n && real(z)*real(z)+imag(z)*imag(z) < 4; i++ {
				z = z*z + c
				total++
			}
		}
	}
	return total
}

func featFFT(n int) []complex128 {
	a := make([]complex128, 1<<(n&3))
	for i := range a {
		a[i] = complex(float64(i*n%5), float64(i))
	}
	return featFourier(a)
}

func featFourier(a []complex128) []complex128 {
	n := len(a)
	if n == 1 {
		return a
	}
	e, o := make([]complex128, n/2), make([]complex128, n/2)
	for i := range e {
		e[i], o[i] = a[2*i], a[2*i+1]
	}
	e, o = featFourier(e), featFourier(o)
	r := make([]complex128, n)
	for k := range e {
		w := -2 * math.Pi * float64(k) / float64(n)
		t := complex(math.Cos(w), math.Sin(w)) * o[k]
		r[k], r[k+n/2] = e[k]+t, e[k]-t
	}
	return r
}

func featWaves(n int) (complex128, complex64, int) {
	w := &featWave{Z: complex(1, float64(n)), C: 2i}
	turn := func(z complex128, c complex64) (complex64, complex128) { return c * complex64(z), z * complex128(c) }
	for i := range n % 7 {
		w.C, w.Z = turn(w.Z, w.C)
		w.N += i
		v := [2]complex64{w.C, 1}
		w.C = v[n&1] / 2
	}
	f := turn
	if n > 3 {
		f = func(z complex128, c complex64) (complex64, complex128) { return complex64(z), complex128(c) }
	}
	w.C, w.Z = f(w.Z, w.C)
	p := &w.Z
	*p += 1
	return w.Z, w.C, w.N
}

func featTables(n int) (string, int, float64) {
	names := [...]string{"zero", "one", 3: "three", 9: "nine"}
	s := [...]string{"idle", "running", "done"}[n%3]
	k := 0
	for i := range n & 15 {
		if i < len(names) {
			s += names[i]
		}
		k += [...]int{5, 4, 3}[i%3] + int([4]uint8{255, 3}[i&3])
	}
	changed := [...]string{"a", "b"}
	if n > 4 {
		changed[0] = "c"
	}
	s += changed[n&1] + names[n%10]
	var later [3]string
	for i := range 3 {
		s += later[i]
		later[1] = "l"
	}
	if n == 40 {
		return [...]string{"x", "y"}[n], k, 0
	}
	return s, k, [...]float64{0.5, 1.25, 3}[k%3] + float64([2]float32{0.1, 0.2}[k&1])
}

type featLarge struct {
	Name, City string
	Tags       []int
	Age, N     int
	Sums       [12]float64
	Next       *featLarge
}

func featCopies(n int) (string, int, float64) {
	counts := [26]int{}
	for i := range n {
		counts[i*7%26]++
	}
	other := counts
	other[3] += 5
	list := make([]featLarge, 3)
	for i := range list {
		list[i] = featLarge{Name: "n" + "abc"[i:], Age: i, Tags: []int{i, n}}
		list[i].Sums[i*3] = float64(n) / 2
	}
	total, s := 0, 0.0
	for _, p := range list {
		p.Age++
		total += p.Age + len(p.Tags)
		s += p.Sums[p.Age*3-3]
	}
	for _, c := range counts {
		total += c * c
	}
	q := list[1]
	list[1] = list[2]
	p := &list[0]
	*p = q
	list[2].Next = p
	for i, c := range &other {
		total += i * c
	}
	if n == 13 {
		p = nil
		*p = q
	}
	return list[0].Name + list[1].Name + list[2].Next.City, total + list[0].Age*1000, s + list[1].Sums[6]
}

func init() {
	for name, f := range map[string]any{"featComplex": featComplex, "featComplex64": featComplex64,
		"featMandelbrot": featMandelbrot, "featFFT": featFFT, "featWaves": featWaves,
		"featTables": featTables, "featCopies": featCopies} {
		features[name] = f
	}
}
