package term

import "strings"

// asciiDrawings has what the session draws with, besides braille, and what stands for it where there is ASCII only.
var asciiDrawings = map[rune]byte{
	'│': '|', '┤': '+', '├': '+', '└': '+', '┘': '+', '┌': '+', '┐': '+', '┬': '+', '┴': '+', '┼': '+', '─': '-',
	'█': '#', '▉': '#', '▊': '#', '▋': '#', '▌': '#', '▍': '|', '▎': '|', '▏': '|', '▀': '"', '▄': '_', '▐': '#',
	'░': '.', '▒': ':', '▓': '%', '⋮': ':', '⋯': '-',
}

// The dots of a braille character's upper and lower half, as bits.
const (
	brailleFirst, brailleLast = '\u2800', '\u28ff'
	upperDots                 = 0x01 | 0x02 | 0x08 | 0x10
)

// drawing replaces the characters of drawings by ASCII ones. A braille character becomes one for the halves in which it
// has dots. All others stay: they are what a cell has to show.
func drawing(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return r >= 0x80 }) < 0 {
		return s
	}
	return strings.Map(func(r rune) rune {
		if c, ok := asciiDrawings[r]; ok {
			return rune(c)
		}
		if r < brailleFirst || r > brailleLast {
			return r
		}
		switch dots := r - brailleFirst; {
		case dots == 0:
			return ' '
		case dots&^upperDots == 0:
			return '\''
		case dots&upperDots == 0:
			return '.'
		}
		return ':'
	}, s)
}
