package jinja

// An expr is an expression, with its line for errors.
type expr struct {
	line int
	node
}

// node is one of the types below.
type node any

type (
	literal  struct{ value any }
	variable struct{ name string }
	// listOf makes a list or a tuple.
	listOf struct {
		items []*expr
		kind  listKind
	}
	dictOf    struct{ keys, values []*expr }
	attribute struct {
		of   *expr
		name string
	}
	item  struct{ of, at *expr }
	slice struct{ of, start, stop, step *expr } // nil for what is not given
	call  struct {
		of   *expr
		args arguments
	}
	// filter is of | name(args). Without of it is applied to the text of a block.
	filter struct {
		of   *expr
		name string
		args arguments
	}
	test struct {
		of   *expr
		name string
		args arguments
		not  bool
	}
	unary  struct{ op, of any } // op is a string, of an *expr
	binary struct {
		op          string
		left, right *expr
	}
	// comparison is a < b < c.
	comparison struct {
		first *expr
		ops   []string
		rest  []*expr
	}
	conditional struct{ then, when, otherwise *expr } // otherwise may be nil
)

// arguments are those of a call.
type arguments struct {
	items []*expr
	names []string // of the last ones of items
}

// A stmt is text, an output or a tag.
type stmt struct {
	line int
	node
}

type (
	textStmt   struct{ text string }
	outputStmt struct{ of *expr }
	ifStmt     struct {
		when      []*expr
		then      [][]stmt
		otherwise []stmt
	}
	forStmt struct {
		target    target
		in, when  *expr // when may be nil
		recursive bool
		body      []stmt
		otherwise []stmt
	}
	// setStmt sets targets to a value, or to the text of a body.
	setStmt struct {
		target  target
		value   *expr
		body    []stmt
		filters []filter
	}
	macroStmt struct{ *macroCode }
	// callStmt calls a macro, which may call caller for the body.
	callStmt struct {
		caller *macroCode
		call   *expr
	}
	filterStmt struct {
		filters []filter
		body    []stmt
	}
	withStmt struct {
		targets []target
		values  []*expr
		body    []stmt
	}
	bodyStmt  struct{ body []stmt } // generation, which marks what the model wrote
	doneStmt  struct{ next bool }   // continue, or break
	macroCode struct {
		name     string
		params   []string
		defaults []*expr // of the last ones
		body     []stmt
	}
)

// target is what for and set assign to: names, or the attribute of a namespace.
type target struct {
	names     []string
	several   bool
	attribute string
}
