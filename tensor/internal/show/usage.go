package show

import (
	"fmt"
	"html"
	"strings"
)

// Usage is how the memory of a device is used, in bytes.
type Usage struct {
	InUse, Reserved, Peak int64 // by tensors, with what the pool keeps for the next ones, and the highest InUse
	Free, Total           int64 // of the device; a Total of 0 is unknown
	Pinned                int64 // of the host's memory
}

// Text returns the description of the device, and below it a bar and its numbers.
func (u Usage) Text(device string) string {
	bar := ""
	if u.Total > 0 {
		bar = u.textBar() + " "
	}
	return device + "\n" + bar + u.words()
}

// HTML is Text as HTML.
func (u Usage) HTML(device string) string {
	bar := ""
	if u.Total > 0 {
		bar = u.htmlBar()
	}
	return fmt.Sprintf(`<div style="font-family:monospace"><div>%s</div>%s<div style="opacity:.8">%s</div></div>`,
		html.EscapeString(device), bar, html.EscapeString(u.words()))
}

// parts returns the shares of the memory that tensors use, that the pool keeps for the next ones, and that other
// programs use.
func (u Usage) parts() (used, kept, others float64) {
	total := float64(u.Total)
	used, kept = float64(u.InUse)/total, float64(max(0, u.Reserved-u.InUse))/total
	if u.Free > 0 {
		others = max(0, 1-float64(u.Free)/total-used-kept)
	}
	return used, kept, others
}

func (u Usage) words() string {
	text := ByteText(int(u.InUse)) + " in use, " + ByteText(int(u.Reserved)) + " reserved"
	if u.Total > 0 {
		text += " of " + ByteText(int(u.Total))
	}
	if u.Peak > 0 {
		text += ", at most " + ByteText(int(u.Peak))
	}
	if u.Pinned > 0 {
		text += ", " + ByteText(int(u.Pinned)) + " of the host's pinned"
	}
	return text
}

// textBar has 32 columns: full for memory of tensors, shaded for the pool's and that of other programs.
func (u Usage) textBar() string {
	const columns = 32
	used, kept, others := u.parts()
	var b strings.Builder
	left := columns
	for _, part := range []struct {
		share float64
		mark  string
	}{{used, "█"}, {kept, "▓"}, {others, "▒"}} {
		n := int(part.share*columns + 0.5)
		if part.share > 0 && n == 0 && part.mark == "█" {
			n = 1 // a little is shown, too
		}
		n = min(n, left)
		left -= n
		b.WriteString(strings.Repeat(part.mark, n))
	}
	return "[" + b.String() + strings.Repeat("·", left) + "]"
}

// htmlBar has colours that differ on light and on dark backgrounds.
func (u Usage) htmlBar() string {
	used, kept, others := u.parts()
	var b strings.Builder
	b.WriteString(`<div style="display:flex;width:24em;max-width:100%;height:.8em;margin:3px 0;border:1px solid rgba(128,128,128,.6);border-radius:3px;overflow:hidden">`)
	for _, part := range []struct {
		share         float64
		colour, title string
	}{
		{used, "#1f77b4", ByteText(int(u.InUse)) + " in use"},
		{kept, "rgba(31,119,180,.45)", ByteText(int(max(0, u.Reserved-u.InUse))) + " kept for the next tensors"},
		{others, "rgba(128,128,128,.45)", "used by others"},
	} {
		if part.share > 0 {
			fmt.Fprintf(&b, `<div title="%s" style="width:%.2f%%;min-width:2px;background:%s"></div>`, part.title,
				100*min(1, part.share), part.colour)
		}
	}
	return b.String() + "</div>"
}
