package models

import "strings"

// stopper holds text back that may be the beginning of one that ends a reply.
type stopper struct {
	stops []string
	text  string
}

// add returns what may be shown after more text, and whether that ends with a stop.
func (s *stopper) add(text string) (shown string, stops bool) {
	s.text += text
	first := -1
	for _, stop := range s.stops {
		if at := strings.Index(s.text, stop); at >= 0 && stop != "" && (first < 0 || at < first) {
			first = at
		}
	}
	if first >= 0 {
		shown, s.text = s.text[:first], ""
		return shown, true
	}
	at := len(s.text)
	for _, stop := range s.stops {
		at = min(at, len(s.text)-overlap(s.text, stop))
	}
	shown, s.text = s.text[:at], s.text[at:]
	return shown, false
}

// overlap is the length of the longest end of text that a stop begins with.
func overlap(text, stop string) int {
	for n := min(len(text), len(stop)-1); n > 0; n-- {
		if strings.HasSuffix(text, stop[:n]) {
			return n
		}
	}
	return 0
}
