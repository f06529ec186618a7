package display

import (
	"errors"
	"fmt"
	"image"
	"image/color"
	"math"
	"reflect"
	"slices"
	"strings"
)

// array holds numbers in row-major order, read from a tensor or from nested slices.
type array struct {
	dims []int
	data []float64
	// the sampling step of each dim of a tensor that is too large to fetch; nil if all elements were fetched
	steps []int
}

// maxFetched is the largest number of elements of a tensor that are copied to the host for a picture: a screen has
// fewer.
const maxFetched = 1 << 22

// sampler is implemented by tensors, so that only the drawn elements leave the device.
type sampler interface {
	Dims() []int
	Sample(steps ...int) (dims []int, values []float64)
}

// stepsOf are equal steps in the two longest dims that leave at most limit elements; nil when there are no more.
func stepsOf(dims []int, limit int) []int {
	steps := make([]int, len(dims))
	left := slices.Clone(dims)
	for i := range steps {
		steps[i] = 1
	}
	for (&array{dims: left}).size() > limit {
		longest := 0
		for i, n := range left {
			if n > left[longest] {
				longest = i
			}
		}
		steps[longest]++
		left[longest] = (dims[longest] + steps[longest] - 1) / steps[longest]
	}
	if slices.Equal(left, dims) {
		return nil
	}
	return steps
}

// step is the sampling step of a dim.
func (a *array) step(dim int) float64 {
	if a.steps == nil {
		return 1
	}
	return float64(a.steps[dim])
}

// errNoNumbers is the error for a value that is not an array.
var errNoNumbers = errors.New("cannot read numbers from a value of type")

// arrayOf reads v's numbers. The error names the accepted types.
func arrayOf(v any) (array, error) {
	if t, ok := v.(sampler); ok && !isNil(v) {
		if steps := stepsOf(t.Dims(), maxFetched); steps != nil {
			dims, data := t.Sample(steps...)
			return array{dims, data, steps}, nil
		}
	}
	if t, ok := v.(interface {
		Dims() []int
		Float64s() []float64
	}); ok && !isNil(v) {
		a := array{dims: t.Dims(), data: t.Float64s()}
		if n := a.size(); n != len(a.data) {
			return a, fmt.Errorf("%T has dims %v, so %d elements, but gives %d", v, a.dims, n, len(a.data))
		}
		return a, nil
	}
	r := reflect.ValueOf(v)
	var a array
	for r.IsValid() && (r.Kind() == reflect.Slice || r.Kind() == reflect.Array) && len(a.dims) <= maxLevels {
		a.dims = append(a.dims, r.Len())
		if r.Len() == 0 {
			break
		}
		r = r.Index(0)
	}
	if !r.IsValid() || len(a.dims) == 0 || len(a.dims) > maxLevels ||
		a.size() > 0 && !r.CanInt() && !r.CanUint() && !r.CanFloat() {
		return a, fmt.Errorf("%w %T: want a tensor, or nested slices of numbers", errNoNumbers, v)
	}
	a.data = make([]float64, 0, a.size())
	if err := a.read(reflect.ValueOf(v), 0); err != nil {
		return a, err
	}
	return a, nil
}

func (a *array) size() int {
	n := 1
	for _, d := range a.dims {
		n *= d
	}
	return n
}

func (a *array) read(v reflect.Value, depth int) error {
	if depth < len(a.dims) {
		if v.Len() != a.dims[depth] {
			return fmt.Errorf("rows of different lengths: %d and %d", a.dims[depth], v.Len())
		}
		for i := range v.Len() {
			if err := a.read(v.Index(i), depth+1); err != nil {
				return err
			}
		}
		return nil
	}
	switch {
	case v.CanInt():
		a.data = append(a.data, float64(v.Int()))
	case v.CanUint():
		a.data = append(a.data, float64(v.Uint()))
	default:
		a.data = append(a.data, v.Float())
	}
	return nil
}

// bounds returns the minimum and the maximum, ignoring NaN and infinities.
func (a *array) bounds() (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, x := range a.data {
		if !math.IsNaN(x) && !math.IsInf(x, 0) {
			lo, hi = min(lo, x), max(hi, x)
		}
	}
	if lo > hi {
		return 0, 0
	}
	return lo, hi
}

// matrix drops dims of size 1 until two are left, as in [1 height width].
func (a *array) matrix() (height, width int, err error) {
	var dims []int
	for i, d := range a.dims {
		if d != 1 || len(a.dims)-i+len(dims) <= 2 {
			dims = append(dims, d)
		}
	}
	switch len(dims) {
	case 1:
		dims = []int{1, dims[0]}
	case 2:
	default:
		return 0, 0, fmt.Errorf("dims %v are not a matrix: want [height width]; choose one with an index, a mean, …",
			a.dims)
	}
	if dims[0] == 0 || dims[1] == 0 {
		return 0, 0, fmt.Errorf("dims %v: there is nothing to draw", a.dims)
	}
	return dims[0], dims[1], nil
}

// imageForms lists the dims that image and images accept.
const imageForms = "[height width], [height width channels] or [channels height width] with 1, 3 or 4 channels, or a batch of these"

func isChannels(n int) bool { return n == 1 || n == 3 || n == 4 }

// image draws the array in its own colours, black and white at the limits, or as levels finds where they are nil.
func (a *array) image(limits *[2]float64) (image.Image, error) {
	d := a.dims
	var height, width, channels, pixel, plane int // plane is the step between channels, pixel between pixels
	switch {
	case len(d) == 2:
		height, width, channels, pixel, plane = d[0], d[1], 1, 1, 1
	case len(d) == 3 && isChannels(d[2]):
		height, width, channels, pixel, plane = d[0], d[1], d[2], d[2], 1
	case len(d) == 3 && isChannels(d[0]):
		height, width, channels, pixel, plane = d[1], d[2], d[0], 1, d[1]*d[2]
	default:
		return nil, fmt.Errorf("dims %v are not an image: want %s", d, imageForms)
	}
	if height == 0 || width == 0 {
		return nil, fmt.Errorf("dims %v: there is nothing to draw", d)
	}
	level := a.levels(limits)
	out := image.NewNRGBA(image.Rect(0, 0, width, height))
	for i := range height * width {
		c := color.NRGBA{A: 255}
		c.R = level(a.data[i*pixel])
		c.G, c.B = c.R, c.R
		if channels >= 3 {
			c.G, c.B = level(a.data[i*pixel+plane]), level(a.data[i*pixel+2*plane])
		}
		if channels == 4 {
			c.A = level(a.data[i*pixel+3*plane])
		}
		out.SetNRGBA(i%width, i/width, c)
	}
	return out, nil
}

// isBatch reports whether the array is several pictures: of rank 4, or of rank 3 without channels.
func (a *array) isBatch() bool {
	d := a.dims
	return len(d) == 4 || len(d) == 3 && !isChannels(d[2]) && !isChannels(d[0])
}

// images draws each picture of a batch, all with the same levels. The first dim counts them.
func (a *array) images(limits *[2]float64) (list []image.Image, err error) {
	if len(a.dims) != 3 && len(a.dims) != 4 {
		return nil, fmt.Errorf("dims %v are not images: want a batch of %s", a.dims, imageForms)
	}
	if limits == nil {
		limits = a.span()
	}
	one := array{dims: a.dims[1:]}
	size := one.size()
	for i := range a.dims[0] {
		one.data = a.data[i*size : (i+1)*size]
		img, err := one.image(limits)
		if err != nil {
			return nil, err
		}
		list = append(list, img)
	}
	return list, nil
}

// levels returns the map from a number to a brightness, black and white at the limits; span finds them where they are
// nil.
func (a *array) levels(limits *[2]float64) func(float64) uint8 {
	if limits == nil {
		limits = a.span()
	}
	return func(x float64) uint8 { return uint8(math.Round(255 * fraction(x, limits[0], limits[1]))) }
}

// span is what is black and what is white, as Image's doc tells.
func (a *array) span() *[2]float64 {
	lo, hi := a.bounds()
	whole := true
	for _, x := range a.data {
		if x != math.Trunc(x) {
			whole = false
			break
		}
	}
	switch {
	case whole && lo >= 0 && hi <= 255 && hi > 1:
		return &[2]float64{0, 255}
	case lo >= 0 && hi <= 1 && hi-lo > 0.5:
		return &[2]float64{0, 1}
	}
	return &[2]float64{lo, hi}
}

// fraction is where x lies between lo and hi, from 0 to 1. NaN is at 0.
func fraction(x, lo, hi float64) float64 {
	switch {
	case math.IsNaN(x) || x <= lo:
		return 0
	case x >= hi:
		return 1
	}
	return (x/2 - lo/2) / (hi/2 - lo/2) // halves, so that the range of float64 cannot overflow
}

// left says which elements were brought to the host, when not all were.
func (a *array) left() string {
	if a.steps == nil {
		return ""
	}
	return fmt.Sprintf(", every %s of its elements",
		strings.ReplaceAll(strings.Trim(fmt.Sprint(a.steps), "[]"), " ", " × "))
}

func (a *array) caption() string {
	lo, hi := a.bounds()
	size := strings.ReplaceAll(strings.Trim(fmt.Sprint(a.dims), "[]"), " ", " × ")
	return fmt.Sprintf("picture, %s, values from %.4g to %.4g%s", size, lo, hi, a.left())
}
