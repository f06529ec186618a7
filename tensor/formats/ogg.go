package formats

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/pion/opus"
)

// oggPackets are the packets of the first stream in an Ogg file.
type oggPackets struct {
	list    [][]byte
	granule int64 // of the last page: how many samples there are
	ended   bool  // whether the last page says that it is the last
}

// readOgg splits a file into packets. Pages have checksums. Other streams beside the first one, or after it, are
// errors.
func readOgg(data []byte) (p oggPackets, err error) {
	const head = 27
	var serial, sequence uint32
	var open []byte // a packet that the next page goes on with
	going := false
	for at := 0; at < len(data); {
		b := data[at:]
		if len(b) < head || string(b[:4]) != "OggS" || len(b) < head+int(b[26]) {
			return p, fmt.Errorf("at byte %d: there is no whole page", at)
		}
		segments := b[head : head+int(b[26])]
		size := head + len(segments)
		for _, n := range segments {
			size += int(n)
		}
		if len(b) < size {
			return p, fmt.Errorf("at byte %d: a page has %d bytes, and %d are left: the file was cut off", at, size, len(b))
		}
		if got, want := oggSum(b[:size]), binary.LittleEndian.Uint32(b[22:]); got != want {
			return p, fmt.Errorf("at byte %d: the checksum of a page is %08x, not %08x", at, got, want)
		}
		id, number := binary.LittleEndian.Uint32(b[14:]), binary.LittleEndian.Uint32(b[18:])
		switch {
		case at == 0:
			serial, sequence = id, number
		case id != serial:
			return p, fmt.Errorf("at byte %d: a second stream is in the file", at)
		case number != sequence+1:
			return p, fmt.Errorf("at byte %d: page %d follows page %d", at, number, sequence)
		}
		sequence = number
		if b[5]&1 != 0 != going {
			return p, fmt.Errorf("at byte %d: a packet begins or goes on where it should not", at)
		}
		body := b[head+len(segments) : size]
		for _, n := range segments {
			open, body = append(open, body[:n]...), body[n:]
			if going = n == 255; !going {
				p.list, open = append(p.list, open), nil
			}
		}
		if granule := int64(binary.LittleEndian.Uint64(b[6:])); granule != -1 {
			p.granule = granule
		}
		p.ended = b[5]&4 != 0
		at += size
	}
	return p, nil
}

// oggTable is that of the CRC of Ogg: the polynomial 04c11db7, the highest bit first.
var oggTable = func() (table [256]uint32) {
	for i := range table {
		c := uint32(i) << 24
		for range 8 {
			if c>>31 != 0 {
				c = c<<1 ^ 0x04c11db7
			} else {
				c <<= 1
			}
		}
		table[i] = c
	}
	return table
}()

// oggSum is the checksum of a page, in which its own four bytes count as 0.
func oggSum(page []byte) (c uint32) {
	for i, b := range page {
		if i >= 22 && i < 26 {
			b = 0
		}
		c = c<<8 ^ oggTable[byte(c>>24)^b]
	}
	return c
}

// decodeOgg finds the codec by the first packet.
func decodeOgg(data []byte, s *sound) error {
	p, err := readOgg(data)
	if err != nil {
		return err
	}
	if len(p.list) == 0 {
		return errors.New("there are no packets")
	}
	switch first := p.list[0]; {
	case bytes.HasPrefix(first, []byte("OpusHead")):
		return decodeOpus(p, s)
	case bytes.HasPrefix(first, []byte("\x7fFLAC")) && len(first) > 9:
		return decodeFLAC(bytes.Join(append([][]byte{first[9:]}, p.list[1:]...), nil), s)
	case bytes.HasPrefix(first, []byte("\x01vorbis")):
		return errors.New("the sound is Vorbis, which is not read: WAV, FLAC, MP3 and Opus are")
	default:
		return fmt.Errorf("a stream that begins with %.8q is not read: Opus and FLAC are", first)
	}
}

// opusRate is the rate that Opus is decoded to: its granules count samples of it.
const opusRate = 48000

// decodeOpus appends the samples of Opus packets, without those that the head says to skip.
func decodeOpus(p oggPackets, s *sound) error {
	h := p.list[0]
	if len(h) < 19 || h[8]>>4 != 0 || h[18] != 0 || h[9] < 1 || h[9] > 2 {
		return errors.New("opus: only version 1 with one or two channels is read")
	}
	channels, skip := int(h[9]), int(binary.LittleEndian.Uint16(h[10:]))
	gain := math.Pow(10, float64(int16(binary.LittleEndian.Uint16(h[16:])))/(20*256))
	if err := s.begin(channels, opusRate); err != nil {
		return err
	}
	if len(p.list) < 2 || !bytes.HasPrefix(p.list[1], []byte("OpusTags")) {
		return errors.New("opus: the second packet has no tags")
	}
	d, err := opus.NewDecoderWithOutput(opusRate, channels)
	if err != nil {
		return fmt.Errorf("opus: %w", err)
	}
	const longest = opusRate * 120 / 1000
	out := make([]float32, longest*channels)
	for i, packet := range p.list[2:] {
		n, err := d.DecodeToFloat32(packet, out)
		if err != nil {
			return fmt.Errorf("opus: packet %d: %w", i+2, err)
		}
		if err := s.grow(n); err != nil {
			return err
		}
		for k := range n * channels {
			s.channels[k%channels] = append(s.channels[k%channels], float32(float64(out[k])*gain))
		}
	}
	if have := int64(len(s.channels[0])); p.granule > have || !p.ended {
		return fmt.Errorf("opus: the file was cut off after %d samples", have)
	}
	s.trim(skip, int(p.granule)-skip)
	return nil
}
