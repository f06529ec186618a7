package repl

import "strings"

// edit puts earlier cells, or the source of a name, into the next cell, by way of the user's own editor where the front
// end has one.
func (c *Call) edit() *Error {
	s := c.session
	earlier := s.earlierCells()
	switch cells, err := spans(c.Args); {
	case c.Args == "":
		for i := len(earlier) - 1; i >= 0; i-- { // the last one that is not a %edit
			if name, _ := firstWord(strings.TrimLeft(earlier[i].Code, "% ")); name != c.command.Name {
				c.reply.Next = strings.TrimSpace(earlier[i].Code)
				break
			}
		}
	case err == nil:
		var texts []string
		for _, x := range earlier {
			if within(cells, x.Number) {
				texts = append(texts, strings.TrimSpace(x.Code))
			}
		}
		if len(texts) == 0 {
			return c.wrong("there is no cell %s", c.Args)
		}
		c.reply.Next = strings.Join(texts, "\n")
	default:
		text, _, ok := s.current().Source(c.Args)
		if !ok {
			return c.wrong("%s is neither the number of a cell nor a function, type or constant that a cell has declared", c.Args)
		}
		c.reply.Next = strings.TrimSpace(text)
	}
	c.reply.Edit = true
	return nil
}
