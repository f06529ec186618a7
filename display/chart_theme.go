package display

import (
	"bytes"
	"fmt"
	"html"
	"image/color"
	"regexp"
	"strconv"
	"strings"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg/vgsvg"
)

// tint is a colour for a light and for a dark background.
type tint struct{ light, dark color.NRGBA }

func tints(light, dark string) tint { return tint{nrgba(light), nrgba(dark)} }

func nrgba(code string) color.NRGBA {
	var c color.NRGBA
	if _, err := fmt.Sscanf(code, "#%02x%02x%02x", &c.R, &c.G, &c.B); err != nil {
		panic(err) // the literals below
	}
	c.A = 255
	return c
}

// The colours of charts. No two light ones are equal, because their codes in an SVG document identify the dark ones.
// Series use matplotlib's tab10, brightened for dark backgrounds.
var (
	background = tints("#fffffe", "#16191d")
	ink        = tints("#24292f", "#d7dce2")
	gridColour = tints("#e4e7eb", "#343a42")
	palette    = []tint{
		tints("#1f77b4", "#5aa9e6"), tints("#ff7f0e", "#ff9d4d"), tints("#2ca02c", "#5ccf5c"),
		tints("#d62728", "#f2706f"),
		tints("#9467bd", "#b795dc"), tints("#8c564b", "#c39589"), tints("#e377c2", "#ee9fd6"),
		tints("#7f7f7f", "#a8a8a8"),
		tints("#bcbd22", "#d6d74e"), tints("#17becf", "#4fdbe8"),
	}
)

// themed adds the colours of a dark theme to an SVG document, and an alternative text. The chart has its own
// background, so it is readable on a page of either theme even if the browser does not report one.
func themed(canvas *vgsvg.Canvas, name string) string {
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return "" // a buffer takes everything
	}
	svg := texts.ReplaceAllStringFunc(groups.Replace(b.String()), measured)
	var style strings.Builder
	style.WriteString("<style>text{font-family:'Liberation Sans',Arial,Helvetica,sans-serif !important}@media (prefers-color-scheme:dark){")
	for _, t := range append([]tint{background, ink, gridColour}, palette...) {
		light, dark := code(t.light), code(t.dark)
		fills := []string{light}
		for _, opacity := range []uint8{barOpacity, boxOpacity, legendOpacity} {
			fills = append(fills, code(translucent(t.light, opacity)))
		}
		for _, fill := range fills {
			if strings.Contains(svg, "fill:"+fill) && !strings.Contains(style.String(), `"fill:`+fill) {
				fmt.Fprintf(&style, `[style*="fill:%s"]{fill:%s !important}`, fill, dark)
			}
		}
		if strings.Contains(svg, "stroke:"+light) {
			fmt.Fprintf(&style, `[style*="stroke:%s"]{stroke:%s !important}`, light, dark)
		}
	}
	style.WriteString("}</style>")
	head, body, ok := strings.Cut(svg, `xmlns:xlink="http://www.w3.org/1999/xlink">`)
	if !ok {
		return svg
	}
	_, head, _ = strings.Cut(head, "<svg ")
	// Pictures fill their axes whatever their shape, and their elements have sharp edges.
	body = strings.ReplaceAll(body, "<image ", `<image preserveAspectRatio="none" style="image-rendering:pixelated" `)
	return fmt.Sprintf(`<svg role="img" aria-label="%s" %sxmlns:xlink="http://www.w3.org/1999/xlink">%s%s`,
		html.EscapeString(name), head, style.String(), body)
}

// groups names the groups of a document: draw marks them by transformations that change nothing.
var groups = strings.NewReplacer(`<g transform="translate(0, 0)">`, `<g class="axes">`,
	`<g transform="scale(1,1)">`, `<g class="series">`)

var texts = regexp.MustCompile(`transform="scale\(1, -1\)"\s+style="[^"]*font-weight:(\w+)[^"]*` +
	`font-size:([\d.]+)px[^"]*">([^<]+)<`)

// measured says how wide a text is, so that it has that width in fonts other than the one that it was arranged in.
func measured(element string) string {
	m := texts.FindStringSubmatch(element)
	size, err := strconv.ParseFloat(m[2], 64)
	if err != nil {
		return element
	}
	weight := xfont.WeightNormal
	if m[1] == "bold" {
		weight = xfont.WeightBold
	}
	width := textStyle(font.Length(size), weight, 0).Width(html.UnescapeString(m[3]))
	return fmt.Sprintf(`textLength="%.1f" lengthAdjust="spacingAndGlyphs" `, width.Points()) + element
}

// barOpacity is the opacity, of 255, of the bars of several histograms.
const barOpacity = 150

// translucent is a colour drawn with an opacity, of 255, as it appears in the document: vgsvg divides premultiplied
// colours by the opacity, which rounds them down.
func translucent(c color.NRGBA, opacity uint8) color.NRGBA {
	c.A = opacity
	r, g, b, a := c.RGBA()
	scale := 255 / float64(a)
	return color.NRGBA{uint8(float64(r) * scale), uint8(float64(g) * scale), uint8(float64(b) * scale), 255}
}

func code(c color.NRGBA) string { return fmt.Sprintf("#%02X%02X%02X", c.R, c.G, c.B) }
