package repl

// autoreload shows or sets whether local packages that have changed are loaded again before each cell.
func (c *Call) autoreload() *Error {
	switch c.Args {
	case "on", "off":
		c.session.reloads = c.Args == "on"
	case "":
		c.session.print("%s\n", map[bool]string{true: "on", false: "off"}[c.session.reloads])
	default:
		return c.wrong("%s is neither on nor off", c.Args)
	}
	return nil
}
