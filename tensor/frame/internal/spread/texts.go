package spread

// Texts are the strings of a page, one after the other, or those of a dictionary: b[ends[k]:ends[k+1]].
type Texts struct {
	b     []byte
	ends  []uint32
	sizes []byte     // of a dictionary: bytes of a string, long if they are more than slots have
	slots [][16]byte // of a dictionary: short strings, and their size in the last byte
}

const (
	slotText = 15
	long     = 255
)

// Page returns the strings of a page.
func Page(b []byte, ends []uint32) *Texts { return &Texts{b: b, ends: ends} }

// Dictionary returns the strings of a dictionary. What rows refer to in any order has slots, so that a row takes one
// access to memory.
func Dictionary(b []byte, ends []uint32) *Texts {
	l := &Texts{b: b, ends: ends, sizes: make([]byte, len(ends)-1), slots: make([][16]byte, len(ends)-1)}
	for k := range l.sizes {
		at, size := ends[k], ends[k+1]-ends[k]
		slot := &l.slots[k]
		switch {
		case size > slotText:
			size = long
		case int(at)+len(slot) <= len(b): // what follows the string is not read
			*slot = [16]byte(b[at:])
		default:
			copy(slot[:], b[at:at+size])
		}
		l.sizes[k], slot[slotText] = byte(size), byte(size)
	}
	return l
}

// Len returns the number of strings.
func (l *Texts) Len() int { return len(l.ends) - 1 }

// First returns how many bytes the first n strings have.
func (l *Texts) First(n int) int64 { return int64(l.ends[n] - l.ends[0]) }

// Size returns how many bytes the strings of a dictionary with these numbers have, or false if a number is none of its.
func (l *Texts) Size(numbers []int32) (size int64, ok bool) {
	sizes := l.sizes
	for _, k := range numbers {
		if uint(k) >= uint(len(sizes)) {
			return 0, false
		}
		n := int64(sizes[k])
		if n == long {
			n = int64(l.ends[k+1] - l.ends[k])
		}
		size += n
	}
	return size, true
}

// Put writes the strings of rows one after the other, and where that of each row ends, in a text of which to is what
// begins at base. It returns how many bytes it has written. The strings of a dictionary are those of numbers, which
// Size has checked.
func (l *Texts) Put(to []byte, base int64, ends []int64, numbers []int32, there []uint64) int {
	at, next := 0, 0
	for i := 0; i < len(ends); {
		lo, hi := Run(there, i, len(ends))
		for j := range ends[i:lo] {
			ends[i+j] = base + int64(at)
		}
		if l.slots != nil {
			at += l.look(to[at:], base+int64(at), ends[lo:hi], numbers[next:])
		} else {
			from := l.ends[next : next+hi-lo+1]
			for j, end := range from[1:] {
				ends[lo+j] = base + int64(at) + int64(end-from[0])
			}
			at += copy(to[at:], l.b[from[0]:from[hi-lo]])
		}
		next, i = next+hi-lo, hi
	}
	return at
}

// look is Put for rows that all have strings, of a dictionary.
func (l *Texts) look(to []byte, base int64, ends []int64, numbers []int32) (at int) {
	slots := l.slots
	numbers = numbers[:len(ends)]
	for i, k := range numbers {
		slot := &slots[k]
		if n := int(slot[slotText]); n != long && at+len(slot) <= len(to) { // what is too much is overwritten
			*(*[16]byte)(to[at:]) = *slot
			at += n
		} else {
			at += copy(to[at:], l.b[l.ends[k]:l.ends[k+1]])
		}
		ends[i] = base + int64(at)
	}
	return at
}
