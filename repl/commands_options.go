package repl

import (
	"fmt"
	"strconv"
	"strings"
)

// options reads the options at the start of arguments: letters says which there are, and a colon after a letter that
// the option takes a value. What follows them is rest.
func (c *Call) options(letters string) (set map[byte]string, rest string, err *Error) {
	set, rest = map[byte]string{}, c.Args
	for {
		word, more := firstWord(rest)
		if word == "--" {
			return set, more, nil
		}
		if len(word) < 2 || word[0] != '-' {
			return set, rest, nil
		}
		for i := 1; i < len(word); i++ {
			at := strings.IndexByte(letters, word[i])
			if at < 0 || word[i] == ':' {
				return nil, "", c.wrong("there is no option -%s", word[i:i+1])
			}
			if at+1 == len(letters) || letters[at+1] != ':' {
				set[word[i]] = ""
				continue
			}
			value := word[i+1:]
			if value == "" {
				value, more = firstWord(more)
			}
			if value == "" {
				return nil, "", c.wrong("-%c needs a value", word[i])
			}
			set[word[i]] = value
			break
		}
		rest = more
	}
}

// positive reads an option's number.
func (c *Call) positive(set map[byte]string, letter byte, otherwise int) (int, *Error) {
	text, ok := set[letter]
	if !ok {
		return otherwise, nil
	}
	n, err := strconv.Atoi(strings.ReplaceAll(text, "_", ""))
	if err != nil || n < 1 {
		return 0, c.wrong("-%c needs a whole number from 1, not %s", letter, text)
	}
	return n, nil
}

// span is a range of numbers, both ends in it.
type span struct{ from, to int }

// spans reads numbers and ranges: 3 5-7,9. An open range reaches up to the largest number.
func spans(text string) ([]span, error) {
	var r []span
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ',' || r == '\t' }) {
		a, b, isRange := strings.Cut(word, "-")
		if !isRange {
			a, b, isRange = strings.Cut(word, ":")
		}
		from, err := strconv.Atoi(a)
		to := from
		if err == nil && isRange {
			if to = int(^uint(0) >> 1); b != "" {
				to, err = strconv.Atoi(b)
			}
		}
		if err != nil || from < 1 || to < from {
			return nil, fmt.Errorf("%s is neither a number nor a range such as 3-5", word)
		}
		r = append(r, span{from, to})
	}
	return r, nil
}

func within(list []span, n int) bool {
	for _, s := range list {
		if n >= s.from && n <= s.to {
			return true
		}
	}
	return false
}
