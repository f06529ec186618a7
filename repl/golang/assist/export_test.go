package assist

func init() { propagatePanics = true }

// CursorMark is what the name at the cursor is called while a cell is checked.
const CursorMark = cursorMark

// Repair is the text of half-written code made whole, and where an offset of the code is in it.
func Repair(code string) (text string, at func(off int) int) {
	r := repair(code)
	return r.text, r.at
}
