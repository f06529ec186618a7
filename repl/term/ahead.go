package term

import "strings"

// keepAhead sets aside what has been typed ahead when a cell is interrupted: nobody who stops a cell wants others to
// run after it unseen, and nobody wants to type them again. It must not be called while keys are read.
func (e *editor) keepAhead() {
	e.kept = edited(e.kept, append(e.ahead, e.keys.typedAhead()...), e.keys.paste)
	e.ahead = nil
}

// begun is how the next cell begins: as it was to begin, and with what was set aside.
func (e *editor) begun(initial string) string {
	if e.kept != "" {
		e.keepAhead() // it was still being typed
	}
	kept := strings.TrimRight(e.kept, "\n")
	e.kept = ""
	if initial != "" && kept != "" {
		initial = strings.TrimRight(initial, "\n") + "\n"
	}
	return initial + kept
}

// edited is a text after keys were typed at its end; Enter is a new line. Keys that move or search find nothing to do
// it in.
func edited(text string, keys []rune, paste func() string) string {
	b := []rune(text)
	line := func() int {
		at := len(b)
		for at > 0 && b[at-1] != '\n' {
			at--
		}
		return at
	}
	for _, key := range keys {
		switch {
		case key == enter || key == ctrlJ || key == ctrlO || key == keyNewline || key == keyRun:
			b = append(b, '\n')
		case key == keyPaste:
			b = append(b, []rune(paste())...)
		case key == backspace || key == ctrlH:
			b = b[:max(len(b)-1, 0)]
		case key == ctrlU:
			b = b[:line()]
		case key == ctrlW || key == keyDeleteWordLeft:
			rest := strings.TrimRight(string(b[line():]), " \t")
			b = append(b[:line()], []rune(rest[:strings.LastIndexAny(rest, " \t")+1])...)
		case isCharacter(key):
			b = append(b, key)
		}
	}
	return string(b)
}
