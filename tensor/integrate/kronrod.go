package integrate

import (
	"math"
	"slices"
)

// The points of the rule of Kronrod with 21 points on [-1, 1], from the outermost to the middle, their weights, and the
// weights of the rule of Gauss with 10 points, which are every second one.
var (
	kronrodPoints = [11]float64{0.995657163025808080735527280689003, 0.973906528517171720077964012084452,
		0.930157491355708226001207180059508, 0.865063366688984510732096688423493, 0.780817726586416897063717578345042,
		0.679409568299024406234327365114874, 0.562757134668604683339000099272694, 0.433395394129247190799265943165784,
		0.294392862701460198131126603103866, 0.148874338981631210884826001129720, 0}
	kronrodWeights = [11]float64{0.011694638867371874278064396062192, 0.032558162307964727478818972459390,
		0.054755896574351996031381300244580, 0.075039674810919952767043140916190, 0.093125454583697605535065465083366,
		0.109387158802297641899210590325805, 0.123491976262065851077958109585166, 0.134709217311473325928054001771707,
		0.142775938577060080797094273138717, 0.147739104901338491374841515972068, 0.149445554002916905664936468389821}
	gaussWeights = [5]float64{0.066671344308688137593568809893332, 0.149451349150580593145863396957698,
		0.219086362515982043995534934228163, 0.269266719309996355091226921569469, 0.295524224714752870173815619188769}
)

// part is an interval with its integral and the estimate of its error.
type part struct {
	a, b, value, err float64
	size             float64 // the integral of the absolute value
	gap              float64 // by how much the two rules differ
}

// quadrature is a run of Quad.
type quadrature struct {
	f              func(x float64) float64
	absTol, relTol float64
	limit          int
	parts          []part
	calls          int
	value, err     float64
	bad            error
}

// rule integrates over an interval by both rules. Their difference is the error of the worse one.
func (q *quadrature) rule(a, b float64) part {
	middle, half := (a+b)/2, (b-a)/2
	var kronrod, gauss, size float64
	var values [21]float64
	at := func(x float64) float64 {
		q.calls++
		y := q.f(x)
		if (math.IsNaN(y) || math.IsInf(y, 0)) && q.bad == nil {
			q.bad = failed(ErrNotFinite, "the function is %v at one of its points, %.6g within the interval %.6g to %.6g: "+
				"name singularities in QuadOptions.Points", y, x, a, b)
		}
		return y
	}
	for i, p := range kronrodPoints[:10] {
		low, high := at(middle-half*p), at(middle+half*p)
		values[i], values[20-i] = low, high
		kronrod += kronrodWeights[i] * (low + high)
		size += kronrodWeights[i] * (math.Abs(low) + math.Abs(high))
		if i%2 == 1 {
			gauss += gaussWeights[i/2] * (low + high)
		}
	}
	values[10] = at(middle)
	kronrod += kronrodWeights[10] * values[10]
	size += kronrodWeights[10] * math.Abs(values[10])
	var spread float64 // from the mean
	for i, v := range values {
		spread += kronrodWeights[min(i, 20-i)] * math.Abs(v-kronrod/2)
	}
	gap := math.Abs((kronrod - gauss) * half)
	err := gap
	if spread *= math.Abs(half); spread != 0 && err != 0 {
		err = spread * min(1, math.Pow(200*err/spread, 1.5))
	}
	if size *= math.Abs(half); size > math.SmallestNonzeroFloat64/epsilon {
		err = max(err, 50*epsilon*size)
	}
	return part{a, b, kronrod * half, err, size, gap}
}

// sum adds up all parts.
func (q *quadrature) sum() {
	q.value, q.err = 0, 0
	for _, p := range q.parts {
		q.value, q.err = q.value+p.value, q.err+p.err
	}
}

func (q *quadrature) tolerance(value float64) float64 { return max(q.absTol, q.relTol*math.Abs(value)) }

// run divides intervals until the error is small. Where it stays at ever smaller intervals, beside a singularity, the
// sums with larger intervals are a sequence, whose limit is extrapolated.
func (q *quadrature) run(ends []float64) error {
	var widest float64
	for i, a := range ends[:len(ends)-1] {
		q.parts = append(q.parts, q.rule(a, ends[i+1]))
		widest = max(widest, ends[i+1]-a)
	}
	q.sum()
	small := widest * 0.375 // parts that are smaller wait while larger ones have errors
	table := &extrapolation{}
	table.add(q.value)
	limit, limitErr := 0.0, math.Inf(1)
	var beside []float64
	for q.bad == nil && q.err > q.tolerance(q.value) {
		if len(q.parts) >= q.limit {
			break
		}
		i, large := q.worst(small)
		if i < 0 || large <= q.tolerance(q.value)/2 && q.parts[q.first()].b-q.parts[q.first()].a < small {
			value, err, ok := table.add(q.value)
			beside = append(beside, q.parts[q.first()].gap)
			if ok && err < limitErr && vanishes(beside) && q.plausible(value) {
				limit, limitErr = value, err
				if limitErr <= q.tolerance(limit)/10 {
					break
				}
			}
			small /= 2
			i = q.first()
		}
		if !q.divide(i) {
			break
		}
	}
	switch {
	case q.bad != nil:
		return q.bad
	case q.err <= q.tolerance(q.value):
		return nil
	case limitErr < q.err && q.plausible(limit):
		q.value, q.err = limit, limitErr
	}
	if q.err > q.tolerance(q.value) {
		p := q.parts[q.first()]
		return failed(ErrNotConverged, "the integral is %.10g with an estimated error of %.3g, more than the tolerance %.3g, "+
			"with %d intervals; the largest part of it is from %.6g to %.6g. Name singularities and jumps in "+
			"QuadOptions.Points, raise Limit or AbsTol; it may diverge", q.value, q.err, q.tolerance(q.value), len(q.parts),
			p.a, p.b)
	}
	return nil
}

// plausible reports whether a limit can be the integral. The sums of a divergent integral of a function of one sign
// have a limit, too, which has the other sign, or is far away.
func (q *quadrature) plausible(limit float64) bool {
	var size float64
	for _, p := range q.parts {
		size += p.size
	}
	ratio := limit / q.value
	return math.Abs(q.value) < (1-50*epsilon)*size || ratio > 0.01 && ratio < 100
}

// vanishes reports whether the differences of the rules beside a singularity become smaller with the intervals, as they
// do where the integral exists. Those of 1/x stay, with fluctuations, and those of 1/x² grow, though the sums on both
// sides of the pole may have a limit.
func vanishes(gaps []float64) bool {
	n := len(gaps) / 2
	return n > 0 && slices.Max(gaps[len(gaps)-n:]) < 0.999*slices.Max(gaps[:len(gaps)-n])
}

// first returns the part with the largest error.
func (q *quadrature) first() int {
	i := 0
	for k, p := range q.parts {
		if p.err > q.parts[i].err {
			i = k
		}
	}
	return i
}

// worst returns the part with the largest error among those that are not small, -1 if all are, and the sum of their
// errors.
func (q *quadrature) worst(small float64) (i int, sum float64) {
	i = -1
	for k, p := range q.parts {
		if p.b-p.a >= small {
			sum += p.err
			if i < 0 || p.err > q.parts[i].err {
				i = k
			}
		}
	}
	return i, sum
}

// divide halves a part. It reports false for one that is too short.
func (q *quadrature) divide(i int) bool {
	p := q.parts[i]
	middle := (p.a + p.b) / 2
	if !(p.b-p.a > 100*epsilon*max(math.Abs(p.a), math.Abs(p.b))) || !(middle > p.a && middle < p.b) {
		return false
	}
	q.parts[i] = q.rule(p.a, middle)
	q.parts = append(q.parts, q.rule(middle, p.b))
	q.sum()
	return true
}

// extrapolation is Wynn's epsilon algorithm: the limit of a sequence.
type extrapolation struct {
	sequence []float64
	limits   []float64
}

// add adds a number to the sequence, and returns the limit with an estimate of its error, once there is one.
func (e *extrapolation) add(v float64) (limit, err float64, ok bool) {
	e.sequence = append(e.sequence, v)
	n := len(e.sequence)
	if n < 3 {
		return v, math.Inf(1), false
	}
	before, now := make([]float64, n+1), append([]float64{}, e.sequence...)
	limit = v
	best := math.Inf(1)
	for column := 1; len(now) > 1; column++ {
		next := make([]float64, len(now)-1)
		for i := range next {
			d := now[i+1] - now[i]
			if math.Abs(d) <= epsilon*math.Abs(now[i]) && column%2 == 1 { // it has converged
				return e.known(now[i+1], math.Abs(d)+5*epsilon*math.Abs(now[i+1]))
			}
			next[i] = before[i+1] + 1/d
		}
		before, now = now, next
		if column%2 == 0 && len(now) > 0 {
			last := now[len(now)-1]
			difference := math.Abs(last - e.latest())
			if !math.IsNaN(last) && !math.IsInf(last, 0) && difference < best {
				limit, best = last, difference
			}
		}
	}
	return e.known(limit, 0)
}

// latest is the limit that was found last, or the last element of the sequence.
func (e *extrapolation) latest() float64 {
	if n := len(e.limits); n > 0 {
		return e.limits[n-1]
	}
	return e.sequence[len(e.sequence)-1]
}

// known keeps a limit; the error is by how much the last three differ.
func (e *extrapolation) known(limit, least float64) (float64, float64, bool) {
	e.limits = append(e.limits, limit)
	n := len(e.limits)
	if n < 4 {
		return limit, math.Inf(1), false
	}
	err := least
	for _, l := range e.limits[n-4 : n-1] {
		err += math.Abs(limit - l)
	}
	return limit, max(err, 5*epsilon*math.Abs(limit)), true
}
