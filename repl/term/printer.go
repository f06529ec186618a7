package term

import (
	"fmt"
	"image"
	"io"
	"os"
	"strings"
	"time"

	"github.com/mattn/go-runewidth"
	"golang.org/x/term"

	"github.com/gorocm/gorocm/display"
	"github.com/gorocm/gorocm/internal/printing"
	"github.com/gorocm/gorocm/internal/visible"
	"github.com/gorocm/gorocm/repl"
)

// Printer draws the events and replies of cells as text. Its methods must not be called by two goroutines at once.
type Printer struct {
	Out, Err   io.Writer
	Colour     bool             // ANSI colours
	TrueColour bool             // pictures in 24-bit colours
	Graphics   display.Graphics // how the terminal shows pictures; "" when it cannot
	// Labels puts Out[n] before results, says how long slow cells took, and ends the last line of a cell.
	Labels bool
	// Size returns the terminal's columns and lines; nil or zeros mean that there is none, and nothing shown is taken
	// back.
	Size func() (columns, lines int)
	// Cell returns the size of a character in pixels; nil or zeros where the terminal does not tell.
	Cell func() image.Point
	// Slow is how long a cell takes before its time is told; less than 0 stands for never.
	Slow time.Duration

	bars    bars
	busyRow bool      // the cursor's line tells that the cell runs, until something else is shown
	told    time.Time // when the last output came
	number  int       // of the running cell
	open    bool      // the last line has no newline yet
	rows    int       // terminal rows since the cell began
	column  int       // of the cursor
	line    string    // what stands on the cursor's line
	clear   bool      // remove what the cell showed when the next output comes
	last    string    // ID of the display at the end of the output
	lastTop int       // rows before that display
}

// slow is how long a cell takes before its time is shown.
const slow = 500 * time.Millisecond

// NewPrinter returns a printer for standard output and error files. Colours are used when both are terminals, TERM is
// not dumb and NO_COLOR is not set; pictures have colours when COLORTERM says that the terminal has 24-bit ones.
func NewPrinter(stdout, stderr *os.File) *Printer {
	p := &Printer{Out: stdout, Err: stderr, Slow: slow}
	if !isTerminal(stdout) {
		return p
	}
	simple := dumb(stdout)
	p.Colour = isTerminal(stderr) && !simple && os.Getenv("NO_COLOR") == ""
	colours := os.Getenv("COLORTERM")
	p.TrueColour = p.Colour && (colours == "truecolor" || colours == "24bit")
	if p.Colour {
		p.Graphics = display.GraphicsOf(os.Getenv)
	}
	if !simple {
		p.Size = func() (int, int) {
			columns, lines, err := term.GetSize(int(stdout.Fd()))
			if err != nil {
				return 0, 0
			}
			return columns, lines
		}
		p.Cell = func() image.Point { return cellOf(stdout) }
	}
	return p
}

// Columns is the width of the printer's terminal, 0 where it has none.
func (p *Printer) Columns() int {
	n, _ := p.size()
	return max(0, n)
}

// look is what the printer's terminal can show.
func (p *Printer) look() look { return newLook(p.Colour) }

func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// dumb reports whether a terminal shows text alone.
func dumb(f *os.File) bool { return os.Getenv("TERM") == "dumb" || !understandsEscapes(f) }

// Begin starts the output of the cell with this number.
func (p *Printer) Begin(number int) {
	p.number, p.rows, p.clear, p.last, p.told = number, 0, false, "", time.Time{}
	p.bars = bars{}
	if p.Labels {
		p.column, p.open, p.line = 0, false, ""
	}
}

// Echo draws a cell as it would stand in a session, with its prompts.
func (p *Printer) Echo(code string) {
	prompt := p.prompt()
	for i, line := range strings.Split(strings.TrimRight(code, "\n"), "\n") {
		if i > 0 {
			prompt = p.continuation()
		}
		if p.Size != nil { // as wide as the editor draws them
			line = strings.ReplaceAll(line, "\t", "    ")
		}
		p.write(p.Out, prompt+line+"\n")
	}
}

// prompt is the prompt of the cell whose number Begin was given, continuation that of its further lines, equally wide.
func (p *Printer) prompt() string { return p.paint(green, fmt.Sprintf("[%d]:", p.number)) + " " }

func (p *Printer) continuation() string {
	return p.paint(dim, strings.Repeat(".", max(3, len(fmt.Sprint(p.number))+2))+":") + " "
}

// Event draws one event.
func (p *Printer) Event(e repl.Event) {
	if p.bar(e) {
		return
	}
	if p.clear && e.Kind != repl.Clear {
		p.erase(0)
		p.clear = false
	}
	switch e.Kind {
	case repl.Stream:
		w := p.Out
		if e.Name == "stderr" {
			w = p.Err
		}
		p.write(w, e.Text)
		p.last = ""
	case repl.Display:
		p.show(p.text(e.Data), e.ID)
	case repl.Update:
		if p.last != "" && p.last == e.ID {
			p.erase(p.lastTop)
		}
		p.show(p.text(e.Data), e.ID)
	case repl.Result:
		p.result(p.text(e.Data))
	case repl.Clear:
		if e.Wait {
			p.clear = true
			return
		}
		p.erase(0)
	case repl.Notice:
		p.Notice(e.Text)
	}
}

// Aside draws an event that comes while no cell runs: in whole lines, and nothing that was shown is taken back.
func (p *Printer) Aside(e repl.Event) {
	if e.Kind == repl.Clear {
		return
	}
	p.last, p.clear = "", false
	if e.Kind == repl.Stream && !strings.HasSuffix(e.Text, "\n") {
		e.Text += "\n"
	}
	p.Event(e)
}

// document draws documentation, with lines broken between words.
func (p *Printer) document(b display.Bundle) {
	columns, _ := p.size()
	p.write(p.Out, p.look().text(printing.Document(strings.TrimRight(b.Text(), "\n"), columns))+"\n")
}

func (p *Printer) show(text, id string) {
	p.endLine()
	p.last, p.lastTop = id, p.rows
	p.write(p.Out, text+"\n")
}

func (p *Printer) result(text string) {
	p.endLine()
	p.last = ""
	if p.Labels {
		label := p.paint(red, fmt.Sprintf("Out[%d]:", p.number))
		if strings.Contains(text, "\n") {
			label += "\n"
		} else {
			label += " "
		}
		text = label + text
	}
	p.write(p.Out, text+"\n")
}

// Notice says something that is not of the cell's making, on Err.
func (p *Printer) Notice(text string) {
	columns, _ := p.size()
	p.endLine()
	text = printing.Fold(visible.Text(strings.TrimRight(text, "\n")), columns)
	p.write(p.Err, p.paint(dim, p.look().text(text))+"\n")
}

// Reply ends the output of a cell: its error, and how long it took when that was long.
func (p *Printer) Reply(r repl.Reply) {
	p.endBars()
	if p.busyRow {
		p.busyRow = false
		_, _ = io.WriteString(p.Out, "\r\x1b[K")
	}
	if p.clear {
		p.erase(0)
		p.clear = false
	}
	if p.Labels || r.Err != nil && p.Size != nil { // the output of a script is its own, to the last byte
		p.endLine()
	}
	if r.Err != nil {
		columns, _ := p.size()
		p.write(p.Err, p.look().text(printing.Fold(r.Err.TextIn(p.Colour, columns), columns))+"\n")
	}
	if p.Labels && p.Slow >= 0 && r.Elapsed > p.Slow {
		p.write(p.Err, p.paint(dim, p.look().text("("+times(r)+")"))+"\n")
	}
}

// times tells how long a cell took, and how long the devices worked of that, or beside it.
func times(r repl.Reply) string {
	text := elapsed(r.Elapsed)
	for _, d := range r.Devices {
		name := d.Device
		if d.Emulated {
			name = "emulated " + name
		}
		text += " · " + name + " " + elapsed(d.Time)
	}
	return text
}

// interrupted is told of Ctrl-C, which the terminal does not show.
func (p *Printer) interrupted() { p.write(p.Out, "^C\n") }

// quiet is how long nothing must have been shown before it is told that a cell runs.
const quiet = 500 * time.Millisecond

// busy tells on a line of its own that the cell runs, and what it waits for. The line goes when anything else is shown.
func (p *Printer) busy(turn int, since time.Duration, what string) {
	columns, _ := p.size()
	if columns <= 0 || p.open || p.bars.shown() || !p.told.IsZero() && time.Since(p.told) < quiet {
		return
	}
	l := p.look()
	wheel := []rune("|/-\\")
	if l.unicode {
		wheel = []rune("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏")
	}
	text := fmt.Sprintf("%c %s", wheel[turn%len(wheel)], elapsed(since))
	if what != "" {
		text += "  " + what
	}
	p.busyRow = true
	fmt.Fprint(p.Out, "\r\x1b[K"+l.style(dim, l.cut(text, columns-1)))
}

func elapsed(d time.Duration) string {
	if d < time.Minute {
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return d.Round(time.Second).String()
}

// text is what a terminal shows of a bundle: a picture where it can show one, coloured blocks where it has the colours,
// else the text.
func (p *Printer) text(b display.Bundle) string {
	columns, lines := p.size()
	plain := strings.TrimRight(b.Text(), "\n")
	t := display.Terminal{Columns: columns, Lines: lines, TrueColour: p.TrueColour, Graphics: p.Graphics}
	if p.Cell != nil {
		t.Cell = p.Cell()
	}
	if drawn := t.Draw(b); drawn != plain {
		return drawn
	}
	if l := p.look(); !l.unicode {
		return l.text(drawing(plain))
	}
	return plain
}

func (p *Printer) size() (columns, lines int) {
	if p.Size == nil {
		return 0, 0
	}
	return p.Size()
}

// maxLine is how much of the cursor's line becomes the prompt of a question: the end of a longer one.
const maxLine = 4 << 10

func (p *Printer) write(w io.Writer, s string) {
	if s == "" {
		return
	}
	if p.busyRow {
		p.busyRow = false
		_, _ = io.WriteString(p.Out, "\r\x1b[K")
	}
	if p.Size != nil {
		p.told = time.Now()
	}
	_, _ = io.WriteString(w, s) // a terminal that has gone away ends the session by other means
	p.open = !strings.HasSuffix(s, "\n")
	if i := strings.LastIndexAny(s, "\n\r"); i >= 0 {
		p.line = s[i+1:]
	} else if p.line += s; len(p.line) > maxLine {
		p.line = strings.ToValidUTF8(p.line[len(p.line)-maxLine:], "")
	}
	p.advance(s)
}

// ask takes back the cursor's line, which becomes the prompt of a question, and goes to the next.
func (p *Printer) ask(text string) (prompt string) {
	prompt = p.line + text
	p.line, p.open, p.column, p.last = "", false, 0, ""
	p.rows++
	return prompt
}

// endLine starts a new line unless the cursor is at the start of one.
func (p *Printer) endLine() {
	if p.open {
		p.write(p.Out, "\n")
	}
}

// advance keeps count of the terminal rows that the cell's output takes.
func (p *Printer) advance(s string) {
	columns, _ := p.size()
	if columns <= 0 {
		return
	}
	for i, line := range strings.Split(s, "\n") {
		if i > 0 {
			p.rows++
			p.column = 0
		}
		if cr := strings.LastIndexByte(line, '\r'); cr >= 0 {
			line, p.column = line[cr+1:], 0
		}
		p.column += runewidth.StringWidth(printing.Plain(line))
		if p.column > columns {
			p.rows += (p.column - 1) / columns
			p.column = (p.column-1)%columns + 1
		}
	}
}

// erase takes back the cell's output down to a number of rows, as far as it is still on the screen.
func (p *Printer) erase(top int) {
	columns, lines := p.size()
	if columns <= 0 || p.rows == top && p.column == 0 {
		return
	}
	if up := min(p.rows-top, lines-1); up > 0 {
		fmt.Fprintf(p.Out, "\x1b[%dA", up)
	}
	_, _ = io.WriteString(p.Out, "\r\x1b[J")
	p.rows, p.column, p.open, p.last, p.line = top, 0, false, "", ""
}
