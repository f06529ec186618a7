package openai

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"strings"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/formats"
	"github.com/gorocm/gorocm/tensor/models"
)

// The limits of requests with images.
const (
	maxImageBody   = 64 << 20 // bytes
	maxImages      = 32
	maxImagePixels = 1 << 26 // of all images
)

// imageLimit is what images a request may have still.
type imageLimit struct{ images, pixels int }

// contentPart is a part of the content of a message: a text or an image.
type contentPart struct {
	Type  string
	Text  string
	Image *struct {
		URL    string
		Detail string
	} `json:"image_url"`
}

// part checks a part. Images are only for models that read some.
func (p *contentPart) part(images bool, left *imageLimit) (models.Part, error) {
	switch {
	case p.Type == "text":
		return models.Part{Text: p.Text}, nil
	case p.Type != "image_url":
		return models.Part{}, fmt.Errorf("parts of type %q are not supported: want text or image_url", p.Type)
	case !images:
		return models.Part{}, errors.New("the model reads no images, which parts of type image_url are: want parts of type text")
	case p.Image == nil:
		return models.Part{}, errors.New("a part of type image_url wants an image_url with a url")
	case p.Image.Detail != "" && p.Image.Detail != "auto" && p.Image.Detail != "high":
		return models.Part{}, fmt.Errorf("detail %q is not supported: want auto or high, with which images are read as the model was trained to",
			p.Image.Detail)
	}
	if left.images--; left.images < 0 {
		return models.Part{}, fmt.Errorf("there are more than %d images", maxImages)
	}
	data, err := dataURL(p.Image.URL)
	if err != nil {
		return models.Part{}, err
	}
	config, _, err := image.DecodeConfig(bytes.NewReader(data))
	if err == nil && config.Width > 0 && config.Height > left.pixels/config.Width {
		return models.Part{}, fmt.Errorf("an image of %d × %d pixels: want at most %d of all images", config.Width, config.Height,
			maxImagePixels)
	}
	left.pixels -= config.Width * config.Height
	picture, err := formats.DecodePhoto(data, tensor.CPU())
	if err != nil {
		return models.Part{}, err
	}
	if picture.DType() != tensor.U8 {
		return models.Part{}, errors.New("the image has 16 bits for each colour: want 8")
	}
	return models.Part{Image: picture}, nil
}

// dataURL returns the bytes of a data: URL in base64 (RFC 2397). Nothing is fetched: other URLs are errors.
func dataURL(url string) ([]byte, error) {
	scheme, rest, _ := strings.Cut(url, ":")
	if !strings.EqualFold(scheme, "data") {
		return nil, errors.New("this server fetches nothing from the network: want a URL with the image in it, " +
			"data:image/png;base64,…")
	}
	kind, data, ok := strings.Cut(rest, ",")
	if !ok || !strings.HasSuffix(strings.ToLower(kind), ";base64") {
		return nil, errors.New("want a data: URL in base64, such as data:image/png;base64,…")
	}
	encoding := base64.StdEncoding
	if len(data)%4 != 0 { // some leave out what fills up the end
		encoding = base64.RawStdEncoding
	}
	b, err := encoding.DecodeString(data)
	if err != nil {
		return nil, fmt.Errorf("the data: URL is not base64: %w", err)
	}
	return b, nil
}

// content sets the content of a message: a text, or a list of parts. Parts without an image are one text.
func (m *message) content(to *models.Message, images bool, left *imageLimit) error {
	var list []contentPart
	if json.Unmarshal(m.Content, &to.Content) == nil && string(m.Content) != "null" {
		return nil
	}
	if json.Unmarshal(m.Content, &list) != nil || len(list) == 0 {
		return errors.New("want a text, or a list of parts")
	}
	pictures, text := false, ""
	for i := range list {
		p, err := list[i].part(images, left)
		if err != nil {
			return err
		}
		to.Parts = append(to.Parts, p)
		pictures, text = pictures || p.Image != nil, text+p.Text
	}
	if !pictures {
		to.Content, to.Parts = text, nil
	}
	return nil
}
