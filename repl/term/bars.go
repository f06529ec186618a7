package term

import (
	"slices"
	"strings"

	"github.com/gorocm/gorocm/display"
	"github.com/gorocm/gorocm/internal/printing"
	"github.com/gorocm/gorocm/repl"
)

// bars are the progress bars at the end of a cell's output. They stay there: what the cell prints appears above them.
type bars struct {
	list  []bar
	drawn []string // their lines as they were written, each of which had room in a row
	top   int      // rows of the cell's output above them
	part  string   // output without its newline, which waits for the rest
}

type bar struct{ id, text string }

func (b *bars) shown() bool { return len(b.list) > 0 }

// bar acts on the events of progress bars, and on output while there are some. It reports whether the event is dealt
// with.
func (p *Printer) bar(e repl.Event) bool {
	state, _ := e.Meta[display.MetaProgress].(string)
	if state == "" {
		return p.bars.shown() && p.aboveBars(e)
	}
	text := p.text(e.Data)
	columns, _ := p.size()
	if columns <= 0 { // a file gets what has become of it
		if state == display.ProgressDone && text != "" {
			p.write(p.Err, text+"\n")
		}
		return true
	}
	at := slices.IndexFunc(p.bars.list, func(b bar) bool { return b.id == e.ID })
	p.eraseBars()
	switch {
	case state == display.ProgressDone:
		if at >= 0 {
			p.bars.list = slices.Delete(p.bars.list, at, at+1)
		}
		if text != "" {
			p.write(p.Out, strings.Join(p.fitting(text), "\n")+"\n")
		}
	case at >= 0:
		p.bars.list[at].text = text
	default:
		p.bars.list = append(p.bars.list, bar{e.ID, text})
	}
	p.drawBars()
	return true
}

// aboveBars shows other output above the bars, in whole lines.
func (p *Printer) aboveBars(e repl.Event) bool {
	switch e.Kind {
	case repl.Stream:
		p.bars.part += e.Text
		end := strings.LastIndexByte(p.bars.part, '\n') + 1
		if end == 0 {
			return true
		}
		w := p.Out
		if e.Name == "stderr" {
			w = p.Err
		}
		p.eraseBars()
		p.write(w, p.bars.part[:end])
		p.bars.part = p.bars.part[end:]
	case repl.Display, repl.Update, repl.Notice:
		list := p.bars.list
		p.eraseBars()
		p.bars.list = nil
		p.Event(e)
		p.endLine()
		p.bars.list = list
	default:
		p.endBars()
		return false
	}
	p.drawBars()
	return true
}

// drawBars draws the bars at the end of the output.
func (p *Printer) drawBars() {
	if len(p.bars.list) == 0 {
		p.write(p.Out, p.bars.part)
		p.bars.part = ""
		return
	}
	p.endLine()
	p.bars.top, p.bars.drawn = p.rows, nil
	for _, b := range p.bars.list {
		p.bars.drawn = append(p.bars.drawn, p.fitting(b.text)...)
	}
	p.write(p.Out, strings.Join(p.bars.drawn, "\n")+"\n")
}

// fitting are the lines of a bar, as long as a row has room now. A monitor's last text has charts below the bar.
func (p *Printer) fitting(text string) []string {
	columns, _ := p.size()
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = p.look().cut(line, columns-1)
	}
	return lines
}

func (p *Printer) eraseBars() {
	if p.bars.shown() {
		if columns, _ := p.size(); columns > 0 {
			for _, line := range p.bars.drawn { // a terminal that has become narrower breaks them
				p.rows += max(0, printing.Width(line)-1) / columns
			}
		}
		p.erase(p.bars.top)
	}
}

// endBars leaves the bars where they are: the cell is over.
func (p *Printer) endBars() {
	part := p.bars.part
	p.bars = bars{}
	p.write(p.Out, part)
}
