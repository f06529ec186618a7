package golang

import "testing"

// TestNativeQuickCalls: compiled functions that machine code calls at once give what they give interpreted code, also where
// they refuse since arguments are long, or would panic.
func TestNativeQuickCalls(t *testing.T) {
	sameBothWays(t, "chars lists locks numbers panics read search sizes slicesOf texts words",
		"long := strings.Repeat(\"ab, \", 700)\nvar mu sync.Mutex\nvar rw sync.RWMutex",
		`func texts(list []string) (out []any) {
	for _, s := range list {
		out = append(out, strings.ToUpper(s), strings.ToLower(s), strings.TrimSpace(s), strconv.Quote(s), strings.Contains(s, "b"), strings.Index(s, "b"))
		out = append(out, strings.HasPrefix(s, "a"), strings.Count(s, "a"), strings.LastIndexByte(s, 'a'), strings.IndexRune(s, 'é'), errors.New(s).Error())
		out = append(out, strings.ReplaceAll(s, "a", "xyz"), strings.ReplaceAll(s, "", "-"), strings.Repeat(s, 3), strings.Repeat(s, 0), strings.Repeat("", 1<<20))
		before, after, ok := strings.Cut(s, ", ")
		rest, cut := strings.CutPrefix(s, "a")
		out = append(out, before, after, ok, rest, cut, strings.EqualFold(s, "AB"), strings.Trim(s, "a "), strings.TrimLeft(s, "a"), strings.TrimSuffix(s, " "))
		r, n := utf8.DecodeRuneInString(s)
		out = append(out, r, n, utf8.ValidString(s), utf8.RuneCountInString(s))
	}
	return out
}
func slicesOf(list []string) (out [][]string) {
	for _, s := range list { out = append(out, strings.Fields(s), strings.Split(s, ", "), strings.Split(s, "")) }
	return out
}
func words(list []string, sep string) string { return strings.Join(list, sep) + strings.Join(list[:1], sep) + strings.Join(nil, sep) }
func numbers(list []int64) (out []string) {
	for _, n := range list {
		for _, base := range []int{2, 7, 10, 16, 36} { out = append(out, strconv.FormatInt(n, base), strconv.FormatUint(uint64(n), base)) }
		out = append(out, strconv.Itoa(int(n)), strconv.FormatBool(n > 0), string(strconv.AppendInt([]byte("n"), n, 10)), string(strconv.AppendUint(nil, uint64(n), 16)))
		for _, form := range []byte("efgxb") { out = append(out, strconv.FormatFloat(float64(n)/3, form, -1, 64), strconv.FormatFloat(float64(n)/3, form, 3, 32), strconv.FormatFloat(float64(n)/3, 'f', 200, 64)) }
	}
	return out
}
func read(list []string) (out []any) {
	for _, s := range list {
		a, err := strconv.Atoi(s)
		b, err2 := strconv.ParseFloat(s, 64)
		c, err3 := strconv.ParseFloat(s, 32)
		d, err4 := strconv.ParseInt(s, 0, 16)
		e, err5 := strconv.ParseUint(s, 10, 64)
		f, err6 := strconv.ParseBool(s)
		_, err7 := strconv.ParseInt(s, 99, 64)
		out = append(out, a, err, b, err2, c, err3, d, err4, e, err5, f, err6, err7)
	}
	return out
}
func chars(list []rune) (out []any) {
	for _, r := range list { out = append(out, unicode.IsLetter(r), unicode.IsSpace(r), unicode.IsPunct(r), unicode.ToUpper(r), unicode.ToTitle(r), utf8.RuneLen(r), utf8.ValidRune(r), unicode.IsPrint(r)) }
	return out
}
func search(xs []int, ys []float64, zs []string) (out []int) {
	for i := range 12 { out = append(out, sort.SearchInts(xs, i), sort.SearchFloat64s(ys, float64(i)/2), sort.SearchStrings(zs, string(rune('a'+i)))) }
	return out
}
func sizes(a, b []byte) []any { return []any{bytes.Equal(a, b), bytes.Compare(a, b), bytes.Contains(a, b), bytes.Index(a, b), bytes.IndexByte(a, 'b'), bytes.HasPrefix(a, b), bytes.Count(a, b), bytes.EqualFold(a, b)} }
func lists(n int) (out []any) {
	l := list.New()
	var zero list.List
	for i := range n { e := l.PushFront(i); zero.PushBack(fmt.Sprint(i)); if i%3 == 0 { l.MoveToBack(e) }; if i%5 == 0 { l.MoveToFront(l.Back()) } }
	out = append(out, l.Remove(l.Front()), zero.Remove(l.Back()), zero.Len())
	for e := l.Front(); e != nil; e = e.Next() { out = append(out, e.Value) }
	for e := zero.Back(); e != nil; e = e.Prev() { out = append(out, e.Value) }
	return out
}
func locks(n int) (held int) {
	for range n { mu.Lock(); held++; if !mu.TryLock() { held++ }; mu.Unlock(); rw.RLock(); rw.RLock(); held++; rw.RUnlock(); rw.RUnlock(); rw.Lock(); rw.Unlock() }
	return held
}
func panics(which int) (s string) {
	defer func() { s = fmt.Sprint(recover()) }()
	var l *list.List
	switch which {
	case 0: return strings.Repeat("a", -1)
	case 1: return strconv.FormatInt(5, 1)
	case 2: return strconv.FormatInt(5, 37)
	case 3: l.PushFront(1)
	case 4: l = list.New(); l.Remove(nil)
	case 5: var m *sync.Mutex; m.Lock()
	case 6: l = list.New(); l.MoveToFront(nil)
	}
	return "none"
}`,
		`texts([]string{"", "ab", "é, ab ", "\xff\x00", "Ab", long})`,
		`slicesOf([]string{"", "ab", " a  b, c ", "é", long})`,
		`words(strings.Fields(long), "-") + words([]string{"a", "b"}, ", ") + words(strings.Fields(long)[:50], "")`,
		`numbers([]int64{0, 1, -1, 255, math.MaxInt64, math.MinInt64})`,
		`read([]string{"", "12", "-7", "0x1f", "1e400", "99999999999999999999", "1.5", "true", "NaN", long})`,
		"chars([]rune{'a', ' ', 'Ä', 'ß', '!', -1, 0x10ffff, 0x110000, 0xd800})",
		`search([]int{1, 3, 3, 9}, []float64{0.5, 2}, []string{"b", "d", long})`, "search(nil, nil, nil)",
		`sizes([]byte("abc"), []byte("b"))`, `sizes(nil, []byte{})`, `sizes([]byte(long), []byte(long))`,
		"lists(0)", "lists(40)", "locks(2000)",
		"for i := range 8 {\n\tfmt.Println(panics(i))\n}")
}
