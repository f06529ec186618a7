package formats

import (
	"fmt"
	"io"
	"os"
	"runtime"
)

// mapping is a file in memory: pages are read when they are accessed. It is unmapped when nothing refers to it any
// more, not when the file is closed: tensors of packed blocks refer to it. A file must not be truncated while it is
// mapped.
type mapping struct{ data []byte }

// mapFile maps a file, or reads it where the system cannot map it.
func mapFile(f *os.File) (*mapping, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a file but %v", f.Name(), info.Mode().Type())
	}
	size := info.Size()
	if size == 0 {
		return &mapping{}, nil
	}
	if size != int64(int(size)) {
		return nil, fmt.Errorf("%d bytes are more than this system can address", size)
	}
	data, unmap := mapped(f, int(size))
	if data == nil {
		if data, err = readExactly(io.NewSectionReader(f, 0, size), int(size)); err != nil {
			return nil, err
		}
		return &mapping{data}, nil
	}
	m := &mapping{data}
	runtime.AddCleanup(m, func(data []byte) { unmap(data) }, data)
	return m, nil
}

// part returns length bytes from offset on. The error says so when they are not there.
func (m *mapping) part(offset, length int64) ([]byte, error) {
	if size := int64(len(m.data)); offset < 0 || length < 0 || offset > size || length > size-offset {
		return nil, fmt.Errorf("at byte %d: %d bytes are wanted, and the file has %d: %w", offset, length, size,
			io.ErrUnexpectedEOF)
	}
	return m.data[offset : offset+length : offset+length], nil
}
