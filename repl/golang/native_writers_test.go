package golang

import "testing"

// TestNativeWriters: what is written to a strings.Builder and a bytes.Buffer without Go code is what Go writes: short
// texts and long ones, constant and not, with room and without, to values that are nil, new, or copies.
func TestNativeWriters(t *testing.T) {
	bothWays(t, []step{
		{`func sizes(s string) (r string) {
	var b strings.Builder
	for i := range len(s) + 1 {
		n, err := b.WriteString(s[:i])
		if n != i || err != nil {
			return "wrong"
		}
		r += strconv.Itoa(b.Len()) + " "
	}
	return r + b.String()
}
sizes("abcdefghijklmnopqrst")`, "0 1 3 6 10 15 21 28 36 45 55 66 78 91 105 120 136 153 171 190 210 " +
			"aababcabcdabcdeabcdefabcdefgabcdefghabcdefghiabcdefghijabcdefghijkabcdefghijklabcdefghijklmabcdefghijklmn" +
			"abcdefghijklmnoabcdefghijklmnopabcdefghijklmnopqabcdefghijklmnopqrabcdefghijklmnopqrsabcdefghijklmnopqrst", "sizes"},
		{`func constants(n int) string {
	var b strings.Builder
	for range n {
		b.WriteString("")
		b.WriteString("1")
		b.WriteString("12")
		b.WriteString("123")
		b.WriteString("1234567")
		b.WriteString("123456789abcdef")
		b.WriteString("123456789abcdefg")
		b.WriteString("123456789abcdefgh")
	}
	return b.String()
}
constants(2) == strings.Repeat("1121231234567123456789abcdef123456789abcdefg123456789abcdefgh", 2)`, "true", "constants sizes"},
		{`func characters(list []rune) string {
	var b strings.Builder
	for i, r := range list {
		n, err := b.WriteRune(r)
		if err != nil || b.WriteByte(byte(n)+'0') != nil {
			return "wrong"
		}
		if i == 3 {
			b.Reset()
		}
	}
	return b.String()
}
characters([]rune{'a', 'é', '日', '😀', 'b', 127, 128, -1, 0x110000, 0xd800, 'c', 'é'})`,
			"b1\u007f1\u00802\ufffd3\ufffd3\ufffd3c1é2", "characters constants sizes"},
		{`func buffers(s string) string {
	var b bytes.Buffer
	for i := range s {
		b.WriteString(s[i:])
		b.WriteByte('|')
		b.WriteRune(rune(s[i]) + 200)
		if i%3 == 2 {
			c, _ := b.ReadByte()
			b.WriteByte(c)
			if b.UnreadByte() == nil {
				return "a write can be unread"
			}
		}
	}
	return strconv.Itoa(b.Len()) + b.String()
}
buffers("abcdefghijkl")`, "114efghijkl|ĩbcdefghijkl|Īcdefghijkl|īadefghijkl|Ĭefghijkl|ĭfghijkl|Įbghijkl|įhijkl|İijkl|ıcjkl|Ĳkl|ĳl|Ĵd", "buffers characters constants sizes"},
		{`func none(b *strings.Builder) int { b.WriteString("a"); return b.Len() }
none(nil)`, "RuntimeError: invalid memory address or nil pointer dereference | cell[5]:1:39 none | cell[5]:2:1 ", "-"},
		{`func noneByte(b *bytes.Buffer) int { b.WriteByte(1); return b.Len() }
noneByte(nil)`, "RuntimeError: invalid memory address or nil pointer dereference | cell[6]:1:40 noneByte | cell[6]:2:1 ", "-"},
		{`func copies(n int) string {
	var b strings.Builder
	b.WriteString("abc")
	c := b
	if n > 0 {
		c.WriteByte('d')
	}
	return c.String() + b.String()
}
copies(0)`, "abcabc", "-"},
		{"copies(1)", "Panic: strings: illegal use of non-zero Builder copied by value | cell[7]:6:5 copies | cell[8]:1:1 ", "-"},
		{`func grows(n int) (r int) {
	for i := range n {
		var b strings.Builder
		b.Grow(i)
		for j := range i {
			b.WriteByte(byte(j))
			b.WriteString("0123456789abcdef"[:j%17])
		}
		for _, c := range []byte(b.String()) {
			r = r*31 + int(c)
		}
		r += b.Len()
	}
	return r
}
grows(300)`, "-457327784154329181", "-"},
		{"func shared(b *strings.Builder, f func()) string { b.WriteString(\"x\"); f(); b.WriteString(\"y\"); return b.String() }\n" +
			"var b strings.Builder\nshared(&b, func() { b.WriteString(\"long enough to move the memory\") })", "xlong enough to move the memoryy", "-"},
	})
}
