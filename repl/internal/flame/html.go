package flame

import (
	"fmt"
	"hash/fnv"
	"html"
	"strings"
)

// Sizes of the flame graph, in pixels, and how narrow a box may be, as a part of the width: narrower ones are left out.
const (
	boxHeight = 20
	leastBox  = 0.0005
)

// HTML is the tree as a flame graph: callers above what they call, as wide as their time. A box's tooltip has its
// numbers, and a click on it makes it as wide as the graph. It brings its own style and script and loads nothing. Where
// a front end drops scripts, it does not zoom.
func (t *Tree) HTML() string {
	if t.root.total == 0 {
		return "<pre>" + html.EscapeString(t.Text(100)) + "</pre>"
	}
	var b strings.Builder
	depth := t.boxes(&b, &t.root, 0, 0)
	return fmt.Sprintf(`<div class="gorocm-flame">%s<div class="gorocm-flame-boxes" style="height:%dpx">%s</div>`+
		`<div class="gorocm-flame-note">%s of processor time, %s; a click zooms</div>%s</div>`,
		flameStyle, (depth+1)*boxHeight, b.String(), seconds(t.root.total), plural(t.samples, "sample"), flameScript)
}

// boxes writes the boxes of a node and what it calls, and returns how deep they reach.
func (t *Tree) boxes(b *strings.Builder, n *node, left, depth int) (deepest int) {
	name, all := n.name, float64(t.root.total)
	if depth == 0 {
		name = "all"
	}
	percent := 100 * float64(n.total) / all
	title := fmt.Sprintf("%s\n%s, %.1f %%; itself %s", name, seconds(n.total), percent, seconds(n.self))
	if n.place != "" {
		title += "\n" + n.place
	}
	from, width := float64(left)/all, float64(n.total)/all
	fmt.Fprintf(b, `<div data-l="%.5f" data-w="%.5f" style="left:%.3f%%;width:%.3f%%;top:%dpx;background:%s" `+
		`title="%s">%s</div>`,
		from, width, 100*from, 100*width, depth*boxHeight, colour(n.name, n.place), html.EscapeString(title),
		html.EscapeString(name))
	deepest = depth
	for _, c := range n.children {
		if float64(c.total)/all >= leastBox {
			deepest = max(deepest, t.boxes(b, c, left, depth+1))
		}
		left += int(c.total)
	}
	return deepest
}

// colour is that of a function: warm for those of cells, cool for compiled ones. All are light, for dark text, so that
// they can be read in front of light and dark pages.
func colour(name, place string) string {
	h := fnv.New32a()
	h.Write([]byte(name)) // never fails
	n := int(h.Sum32() % 100)
	if place != "" || strings.HasPrefix(name, "cell[") {
		return fmt.Sprintf("hsl(%d,85%%,%d%%)", 25+n/4, 68+n%9)
	}
	return fmt.Sprintf("hsl(%d,45%%,%d%%)", 190+n/2, 74+n%9)
}

const flameStyle = `<style>.gorocm-flame-boxes{position:relative;width:100%;overflow:hidden}` +
	`.gorocm-flame-boxes div{position:absolute;height:19px;line-height:19px;box-sizing:border-box;padding:0 3px;` +
	`border-radius:2px;border-right:1px solid rgba(0,0,0,.25);color:#111;font:11px/19px monospace;overflow:hidden;` +
	`white-space:nowrap;text-overflow:ellipsis;cursor:pointer}` +
	`.gorocm-flame-note{font:11px sans-serif;opacity:.7;padding-top:4px}</style>`

// flameScript zooms: the box that is clicked, and what is above it, get the whole width.
const flameScript = `<script>(()=>{const s=document.currentScript,f=s&&s.parentElement;` +
	`const boxes=f&&f.querySelector('.gorocm-flame-boxes');if(!boxes)return;` +
	`boxes.addEventListener('click',e=>{const b=e.target;if(!b.dataset.w)return;const l=+b.dataset.l,w=+b.dataset.w;` +
	`for(const x of boxes.children){const a=(+x.dataset.l-l)/w,z=a+x.dataset.w/w,p=Math.max(0,a),q=Math.min(1,z);` +
	`x.style.left=100*p+'%';x.style.width=100*Math.max(0,q-p)+'%';x.style.display=q-p<0.0005?'none':''}})})()</script>`
