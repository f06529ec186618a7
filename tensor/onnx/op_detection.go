package onnx

import (
	"cmp"
	"math"
	"slices"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
)

var detectionOps = []operator{
	{name: "GridSample", attrs: "align_corners mode padding_mode", in: [2]int{2, 2}, run: pairwise(gridSample)},
	{name: "NonMaxSuppression", attrs: "center_point_box", in: [2]int{2, 5}, run: nonMaxSuppression},
	{name: "RoiAlign", attrs: "coordinate_transformation_mode mode output_height output_width sampling_ratio spatial_scale", in: [2]int{3, 3}, unfolded: true, run: roiAlign},
}

func gridSample(c *call, x, grid *tensor.Tensor) *tensor.Tensor {
	o := nn.GridOptions{AlignCorners: c.int("align_corners", 0) != 0}
	switch kind := c.text("padding_mode", "zeros"); kind {
	case "zeros":
	case "border":
		o.Mode = tensor.Replicate
	case "reflection":
		o.Mode = tensor.Reflect
	default:
		c.fail("there is no padding_mode %q", kind)
	}
	by := nn.ByLinear
	switch kind := c.text("mode", "linear"); kind {
	case "linear", "bilinear":
	case "nearest":
		by = nn.ByNearest
	default:
		c.fail("the mode %q is not supported", kind)
	}
	return nn.GridSample(x, grid, by, o)
}

// box is y1, x1, y2, x2 with y1 ≤ y2 and x1 ≤ x2.
type box [4]float32

func (b box) area() float32 { return (b[2] - b[0]) * (b[3] - b[1]) }

// overlap is the area of two boxes together, as a part of that of either.
func (b box) overlap(o box) float32 {
	h, w := min(b[2], o[2])-max(b[0], o[0]), min(b[3], o[3])-max(b[1], o[1])
	if h <= 0 || w <= 0 {
		return 0
	}
	both := h * w
	return both / (b.area() + o.area() - both)
}

// nonMaxSuppression selects, of each batch and class, the boxes with the highest scores that do not overlap one that is
// selected already. It computes on the host.
func nonMaxSuppression(c *call) tensors {
	boxes, scores := c.host(0), c.host(1)
	if boxes.Rank() != 3 || scores.Rank() != 3 || boxes.Dim(2) != 4 || scores.Dim(0) != boxes.Dim(0) ||
		scores.Dim(2) != boxes.Dim(1) {
		c.fail("boxes and scores have the shapes %s and %s", shapeText(boxes.Dims()), shapeText(scores.Dims()))
	}
	most := c.integer(2, 0)
	if !c.has(2) {
		most = 0
	}
	limit, least := float32(c.number(3, 0)), float32(math.Inf(-1))
	if c.has(4) {
		least = float32(c.number(4, 0))
	}
	coordinates, points := tensor.ToVec1[float32](boxes.FlattenAll()), tensor.ToVec1[float32](scores.FlattenAll())
	n, classes := boxes.Dim(1), scores.Dim(1)
	var out []int64
	for b := range boxes.Dim(0) {
		list := make([]box, n)
		for i := range list {
			list[i] = c.corners(coordinates[(b*n+i)*4:])
		}
		for k := range classes {
			for _, i := range suppress(list, points[(b*classes+k)*n:][:n], most, limit, least) {
				out = append(out, int64(b), int64(k), int64(i))
			}
		}
	}
	return one(tensor.CPU().FromSlice(out, len(out)/3, 3))
}

// corners orders the corners of a box, which may be given by its centre and sizes.
func (c *call) corners(v []float32) box {
	if c.int("center_point_box", 0) != 0 {
		x, y, w, h := v[0], v[1], v[2]/2, v[3]/2
		return box{y - h, x - w, y + h, x + w}
	}
	return box{min(v[0], v[2]), min(v[1], v[3]), max(v[0], v[2]), max(v[1], v[3])}
}

// suppress returns at most so many boxes by falling scores, above the least score, that overlap less than the limit.
func suppress(list []box, scores []float32, most int, limit, least float32) (selected []int) {
	order := from(0, len(list))
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(scores[j], scores[i]) })
	for _, i := range order {
		if len(selected) >= most || !(scores[i] > least) {
			break
		}
		if !slices.ContainsFunc(selected, func(j int) bool { return list[i].overlap(list[j]) > limit }) {
			selected = append(selected, i)
		}
	}
	return selected
}

// maxBins bounds the rows and columns of bins that RoiAlign makes of a region.
const maxBins = 1 << 12

// maxSamples bounds the samples that RoiAlign takes of one region.
const maxSamples = 1 << 24

// roiAlign averages, or takes the maximum of, bilinear samples in the bins of regions. It computes on the host.
func roiAlign(c *call) tensors {
	x, rois, batch := c.host(0), c.host(1), c.ints(2)
	h, w := c.int("output_height", 1), c.int("output_width", 1)
	if x.Rank() != 4 || rois.Rank() != 2 || rois.Dim(1) != 4 || len(batch) != rois.Dim(0) ||
		min(h, w) < 1 || max(h, w) > maxBins {
		c.fail("regions of shape %s to %d x %d do not fit the input", shapeText(rois.Dims()), h, w)
	}
	dt := c.in[0].t.DType()
	r := aligner{c: c, x: x.FlattenAll().Float64s(), channels: x.Dim(1), height: x.Dim(2), width: x.Dim(3), h: h, w: w}
	if n := c.elements([]int{len(batch), r.channels, h, w}); n > maxMade {
		c.fail("%d bins of regions are not supported", n)
	}
	out := make([]float64, 0, len(batch)*r.channels*h*w)
	corners := rois.FlattenAll().Float64s()
	for i, b := range batch {
		if b < 0 || b >= x.Dim(0) {
			c.fail("region %d is of image %d, and there are %d", i, b, x.Dim(0))
		}
		out = r.region(out, b, corners[4*i:4*i+4])
	}
	return one(tensor.CPU().FromSlice(out, len(batch), r.channels, h, w).ToDType(dt))
}

type aligner struct {
	c                       *call
	x                       []float64
	channels, height, width int
	h, w                    int
}

// region appends the bins of a region, of all channels.
func (r aligner) region(out []float64, b int, corner []float64) []float64 {
	scale, offset := r.c.float("spatial_scale", 1), 0.0
	half := r.c.text("coordinate_transformation_mode", "half_pixel") == "half_pixel" && r.c.version >= 16
	if half {
		offset = 0.5
	}
	x0, y0 := corner[0]*scale-offset, corner[1]*scale-offset
	width, height := corner[2]*scale-offset-x0, corner[3]*scale-offset-y0
	if !half {
		width, height = max(width, 1), max(height, 1)
	}
	binH, binW := height/float64(r.h), width/float64(r.w)
	ny, nx := r.c.int("sampling_ratio", 0), r.c.int("sampling_ratio", 0)
	if ny <= 0 {
		ny, nx = int(min(math.Ceil(binH), maxSamples)), int(min(math.Ceil(binW), maxSamples))
	}
	if !(float64(ny)*float64(nx) <= maxSamples) {
		r.c.fail("a bin of %g x %g takes too many samples", binH, binW)
	}
	largest := r.c.text("mode", "avg") == "max"
	for ch := range r.channels {
		plane := r.x[(b*r.channels+ch)*r.height*r.width:][:r.height*r.width]
		for i := range r.h {
			for j := range r.w {
				sum, most := 0.0, math.Inf(-1)
				for a := range ny {
					y := y0 + float64(i)*binH + (float64(a)+0.5)*binH/float64(ny)
					for e := range nx {
						x := x0 + float64(j)*binW + (float64(e)+0.5)*binW/float64(nx)
						s, greatest := r.sample(plane, y, x)
						sum, most = sum+s, max(most, greatest)
					}
				}
				switch {
				case largest:
					sum = most
				case ny*nx > 0:
					sum /= float64(ny * nx)
				}
				out = append(out, sum)
			}
		}
	}
	return out
}

// sample interpolates, and also gives the greatest of the four weighted elements, which mode max is about.
func (r aligner) sample(plane []float64, y, x float64) (sum, greatest float64) {
	if y < -1 || x < -1 || y > float64(r.height) || x > float64(r.width) || y != y || x != x {
		return 0, 0
	}
	y, x = max(y, 0), max(x, 0)
	y0, x0 := min(int(y), r.height-1), min(int(x), r.width-1)
	y1, x1 := min(y0+1, r.height-1), min(x0+1, r.width-1)
	if y0 == r.height-1 {
		y = float64(y0)
	}
	if x0 == r.width-1 {
		x = float64(x0)
	}
	fy, fx := y-float64(y0), x-float64(x0)
	parts := [4]float64{plane[y0*r.width+x0] * (1 - fy) * (1 - fx), plane[y0*r.width+x1] * (1 - fy) * fx,
		plane[y1*r.width+x0] * fy * (1 - fx), plane[y1*r.width+x1] * fy * fx}
	return parts[0] + parts[1] + parts[2] + parts[3], slices.Max(parts[:])
}
