package vision

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/models/internal/parts"
)

// Processor makes of an image what a model reads, as preprocessor_config.json says. Its steps come in the order of
// its fields. The numbers are those of transformers' image processors on Pillow, bit for bit.
type Processor struct {
	Resize        bool
	Height, Width int     // of the image after Resize, or
	ShortestEdge  int     // its shorter side; the other keeps the shape of the image
	CropPercent   float64 // of ConvNeXt: with a ShortestEdge below 384, the part of the resized image that is kept
	Filter        Filter

	Crop                  bool // to the middle; what is beyond the image is 0
	CropHeight, CropWidth int

	Rescale   bool
	Factor    float64 // by which bytes are multiplied
	Normalize bool
	Mean, Std []float64 // of red, green and blue
}

var (
	halves       = []float64{0.5, 0.5, 0.5}
	clipMean     = []float64{0.48145466, 0.4578275, 0.40821073}
	clipStd      = []float64{0.26862954, 0.26130258, 0.27577711}
	imagenetMean = []float64{0.485, 0.456, 0.406}
	imagenetStd  = []float64{0.229, 0.224, 0.225}
)

// processors are those of transformers, with what their files may leave out. The names end in ImageProcessor, or in
// FeatureExtractor in older files.
var processors = map[string]Processor{
	"ViT":  {Resize: true, Height: 224, Width: 224, Filter: Bilinear, Rescale: true, Normalize: true, Mean: halves, Std: halves},
	"DeiT": {Resize: true, Height: 256, Width: 256, Filter: Bicubic, Crop: true, CropHeight: 224, CropWidth: 224, Rescale: true, Normalize: true, Mean: imagenetMean, Std: imagenetStd},
	"CLIP": {Resize: true, ShortestEdge: 224, Filter: Bicubic, Crop: true, CropHeight: 224, CropWidth: 224, Rescale: true, Normalize: true, Mean: clipMean, Std: clipStd},
	"Bit":  {Resize: true, ShortestEdge: 224, Filter: Bicubic, Crop: true, CropHeight: 224, CropWidth: 224, Rescale: true, Normalize: true, Mean: clipMean, Std: clipStd},
	"Gemma3": {Resize: true, Height: 224, Width: 224, Filter: Bilinear, Rescale: true, Normalize: true, Mean: halves,
		Std: halves},
	"Siglip": {Resize: true, Height: 224, Width: 224, Filter: Bicubic, Rescale: true, Normalize: true, Mean: halves,
		Std: halves},
	"ConvNext": {Resize: true, ShortestEdge: 384, CropPercent: 224.0 / 256, Filter: Bicubic, Rescale: true, Normalize: true,
		Mean: halves, Std: halves},
}

// jsonSize is a size in preprocessor_config.json: {"height", "width"}, {"shortest_edge"}, or a number in older files.
type jsonSize struct {
	Height, Width     int
	Shortest, Longest int // shortest_edge, longest_edge
	number            bool
}

func (s *jsonSize) UnmarshalJSON(data []byte) error {
	var n int
	if json.Unmarshal(data, &n) == nil {
		*s = jsonSize{Height: n, Width: n, Shortest: n, number: true}
		return nil
	}
	var fields map[string]int
	if err := json.Unmarshal(data, &fields); err != nil {
		return fmt.Errorf("a size is %s: want a number, or an object with numbers", data)
	}
	s.Height, s.Width, s.Shortest = fields["height"], fields["width"], fields["shortest_edge"]
	s.Longest = fields["longest_edge"]
	edge := s.Shortest != 0 || s.Longest != 0
	if !edge && (s.Height == 0 || s.Width == 0) || len(fields) > 2 || edge && s.Height+s.Width != 0 {
		return fmt.Errorf("the size %s is not supported: want height and width, or shortest_edge and longest_edge", data)
	}
	return nil
}

// jsonProcessor is preprocessor_config.json.
type jsonProcessor struct {
	Type        string    `json:"image_processor_type"`
	Old         string    `json:"feature_extractor_type"`
	Resize      *bool     `json:"do_resize"`
	Size        *jsonSize `json:"size"`
	CropPercent *float64  `json:"crop_pct"`
	Filter      *Filter   `json:"resample"`
	Crop        *bool     `json:"do_center_crop"`
	CropSize    *jsonSize `json:"crop_size"`
	Rescale     *bool     `json:"do_rescale"`
	Factor      *float64  `json:"rescale_factor"`
	Normalize   *bool     `json:"do_normalize"`
	Mean        []float64 `json:"image_mean"`
	Std         []float64 `json:"image_std"`
	Pad         *bool     `json:"do_pad"`
	Split       *bool     `json:"do_image_splitting"` // of tiles
	TileSize    *jsonSize `json:"max_image_size"`
	PanAndScan  *bool     `json:"do_pan_and_scan"` // of Gemma 3
	Least       *int      `json:"min_pixels"`      // of a range
	Most        *int      `json:"max_pixels"`
	Patch       *int      `json:"patch_size"`
	Merge       *int      `json:"merge_size"`
}

func set[T any](to *T, from *T) {
	if from != nil {
		*to = *from
	}
}

// readProcessor reads preprocessor_config.json of a folder, and processor_config.json, which newer files have for
// models of images and texts.
func readProcessor(folder string) (*Processor, error) {
	j, name, err := readJSONProcessor(folder)
	if err != nil {
		return nil, err
	}
	p, err := j.processor()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return p, nil
}

func readJSONProcessor(folder string) (j *jsonProcessor, name string, err error) {
	name, j = "preprocessor_config.json", &jsonProcessor{}
	there, err := parts.OptionalJSON(filepath.Join(folder, name), j)
	if err != nil || there {
		return j, name, err
	}
	var all struct {
		Image *jsonProcessor `json:"image_processor"`
	}
	found, err := parts.OptionalJSON(filepath.Join(folder, "processor_config.json"), &all)
	if err == nil && (!found || all.Image == nil) {
		err = fmt.Errorf("vision: there is no %s, which says how images are prepared", name)
	}
	return all.Image, "processor_config.json", err
}

// kind is the name of the processor, and what it has in common with its older and faster forms.
func (j *jsonProcessor) kind() (full, short string) {
	full = parts.FirstOf(j.Type, j.Old)
	short = strings.TrimSuffix(strings.TrimSuffix(full, "Fast"), "Pil")
	return full, strings.TrimSuffix(strings.TrimSuffix(short, "ImageProcessor"), "FeatureExtractor")
}

func (j *jsonProcessor) processor() (*Processor, error) {
	kind, short := j.kind()
	p, ok := processors[short]
	if !ok {
		return nil, fmt.Errorf("vision: the image processor %q is not supported: want one of %s", kind, names(processors))
	}
	for _, s := range []*jsonSize{j.Size, j.CropSize} {
		if s != nil && s.Longest != 0 {
			return nil, fmt.Errorf("vision: longest_edge is not supported for %s: want height and width, or shortest_edge", kind)
		}
	}
	p.Factor = 1.0 / 255
	if s := j.Size; s != nil {
		square := p.ShortestEdge == 0
		if p.Height, p.Width, p.ShortestEdge = s.Height, s.Width, s.Shortest; s.number && square {
			p.ShortestEdge = 0
		}
	}
	if s := j.CropSize; s != nil {
		if p.CropHeight, p.CropWidth = s.Height, s.Width; s.Height == 0 {
			p.CropHeight, p.CropWidth = s.Shortest, s.Shortest
		}
	}
	set(&p.Resize, j.Resize)
	set(&p.Crop, j.Crop)
	j.numbers(&p)
	if part := j.CropPercent; p.CropPercent != 0 && part != nil {
		if p.CropPercent = *part; !(*part > 0.01 && *part <= 1) {
			return nil, fmt.Errorf("vision: crop_pct is %v: want a part of 1", *part)
		}
	}
	if j.Pad != nil && *j.Pad {
		return nil, fmt.Errorf("vision: do_pad is not supported")
	}
	return &p, p.check()
}

// numbers sets what is said of resampling, and of the numbers that bytes become.
func (j *jsonProcessor) numbers(p *Processor) {
	set(&p.Filter, j.Filter)
	set(&p.Rescale, j.Rescale)
	set(&p.Factor, j.Factor)
	set(&p.Normalize, j.Normalize)
	if j.Mean != nil {
		p.Mean = j.Mean
	}
	if j.Std != nil {
		p.Std = j.Std
	}
}

// maxSide bounds the sides that a file may ask for.
const maxSide = 1 << 13

func (p *Processor) check() error {
	inside := func(sides ...int) bool {
		for _, n := range sides {
			if n < 1 || n > maxSide {
				return false
			}
		}
		return true
	}
	switch {
	case p.Resize && p.ShortestEdge == 0 && !inside(p.Height, p.Width) || p.ShortestEdge != 0 &&
		!inside(p.ShortestEdge):
		return fmt.Errorf("vision: a size of %d × %d, or a shortest edge of %d, is not possible: want 1 to %d", p.Height,
			p.Width, p.ShortestEdge, maxSide)
	case p.CropPercent != 0 && p.Resize && p.ShortestEdge == 0:
		return fmt.Errorf("vision: ConvNext's image processor wants a shortest_edge, not height and width")
	case p.Crop && !inside(p.CropHeight, p.CropWidth):
		return fmt.Errorf("vision: a crop_size of %d × %d is not possible: want 1 to %d", p.CropHeight, p.CropWidth, maxSide)
	case p.Filter < 0 || p.Filter > Hamming:
		return fmt.Errorf("vision: resample is %d: want 0 to 5, the numbers of Pillow's filters", int(p.Filter))
	case p.Normalize && (len(p.Mean) != 3 || len(p.Std) != 3):
		return fmt.Errorf("vision: image_mean has %d numbers and image_std %d: want three, of red, green and blue",
			len(p.Mean), len(p.Std))
	}
	for _, s := range p.Std {
		if p.Normalize && !(s > 0) {
			return fmt.Errorf("vision: image_std is %v: want numbers above 0", p.Std)
		}
	}
	return nil
}

// Pixels returns what a model reads of an image, U8 of shape [channels height width] with 1, 3 or 4 channels: F32 [3
// height' width'] on the device of the image. Grey becomes red, green and blue, and opacity is left out. It panics with
// ErrDType for elements of another type, with ErrShape for other shapes, and with ErrValue for fields that are not
// possible.
func (p *Processor) Pixels(image *tensor.Tensor) *tensor.Tensor {
	if err := p.check(); err != nil {
		panic(&tensor.Error{Op: "image processor", Kind: tensor.ErrValue, Message: err.Error()})
	}
	q := p.cut(pictureOf("image processor", image).rgb())
	return image.Device().FromSlice(p.numbers(q), 3, q.h, q.w)
}

// cut is the picture after Resize and Crop.
func (p *Processor) cut(q picture) picture {
	if q = p.sized(q); p.Crop {
		q = q.cropped(p.CropHeight, p.CropWidth)
	}
	return q
}

// numbers are those that the bytes of a picture in red, green and blue become.
func (p *Processor) numbers(q picture) []float32 {
	pixels := make([]float32, len(q.pix))
	for c := range 3 {
		table := p.table(c)
		for i := c * q.h * q.w; i < (c+1)*q.h*q.w; i++ {
			pixels[i] = table[q.pix[i]]
		}
	}
	return pixels
}

// table is what each byte of a channel becomes.
func (p *Processor) table(channel int) (table [256]float32) {
	for b := range table {
		x := float32(b)
		if p.Rescale {
			x = float32(float64(b) * p.Factor)
		}
		if p.Normalize {
			x = (x - float32(p.Mean[channel])) / float32(p.Std[channel])
		}
		table[b] = x
	}
	return table
}

// warped is from which ShortestEdge on ConvNeXt's images are not cropped.
const warped = 384

// sized is the picture after Resize.
func (p *Processor) sized(q picture) picture {
	if !p.Resize {
		return q
	}
	h, w, edge := p.Height, p.Width, p.ShortestEdge
	crops := p.CropPercent != 0 && edge < warped
	switch {
	case edge == 0:
	case p.CropPercent != 0 && !crops:
		h, w = edge, edge
	default:
		if crops {
			edge = int(float64(edge) / p.CropPercent)
		}
		// Of the same proportion, rounded down as Python's int(edge·long/short).
		if h, w = edge, int(float64(edge*q.w)/float64(q.h)); q.w <= q.h {
			h, w = int(float64(edge*q.h)/float64(q.w)), edge
		}
	}
	checkPixels("image processor", h, w)
	if h != q.h || w != q.w {
		q = q.resized(h, w, p.Filter)
	}
	if crops {
		q = q.cropped(p.ShortestEdge, p.ShortestEdge)
	}
	return q
}
