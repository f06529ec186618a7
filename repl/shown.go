package repl

import "regexp"

// numbered is a name that other notebooks have for the value of a cell.
var numbered = regexp.MustCompile(`undefined: (_\d+|_{2,3}|Out|In)$`)

// explainShown adds to the error of such a name what there is here instead. The values of all cells are not kept: tensors among them would never give their
// memory back.
func explainShown(e *Error) {
	if e != nil && numbered.MatchString(e.Message) {
		e.Notes = append(e.Notes, "_ is the last value that was shown; earlier ones live on in variables only, so that tensors give their memory back. %history 3 shows the text of cell 3")
	}
}
