package selftest

import (
	"strings"

	"github.com/gorocm/gorocm/rocm"
)

// Card is what its maker says of a GPU. Rates are those of one device that the driver lists: of an Instinct MI250, half
// a card.
type Card struct {
	Name    string  `json:"name"`    // as drivers have it, without the maker's name
	Arch    string  `json:"arch"`    // without features
	Units   int     `json:"units"`   // compute units, or streaming multiprocessors
	Memory  float64 `json:"memory"`  // GB/s of its memory
	Single  float64 `json:"single"`  // TFLOP/s of products of f32, in full precision
	Half    float64 `json:"half"`    // TFLOP/s of products of f16, dense, added in f32
	Sources string  `json:"sources"` // of the rates
}

// Where the rates of cards are from.
const (
	radeonPages   = "amd.com/en/products/graphics/desktops/radeon.html, the card's page"
	proPages      = "amd.com/en/products/graphics/workstations.html, the card's page"
	instinctPages = "amd.com/en/products/accelerators/instinct.html, the card's data sheet"
	nvidiaPages   = "nvidia.com/en-us/data-center, the card's data sheet"
)

// cards are the data sheets. Radeon cards from RDNA3 on count f32 with two instructions at a time.
var cards = []Card{
	{"Radeon RX 6800", "gfx1030", 60, 512, 16.2, 32.3, radeonPages},
	{"Radeon RX 6800 XT", "gfx1030", 72, 512, 20.7, 41.5, radeonPages},
	{"Radeon RX 6900 XT", "gfx1030", 80, 512, 23.0, 46.1, radeonPages},
	{"Radeon RX 6950 XT", "gfx1030", 80, 576, 23.7, 47.3, radeonPages},
	{"Radeon PRO W6800", "gfx1030", 60, 512, 17.8, 35.7, proPages},
	{"Radeon RX 6700 XT", "gfx1031", 40, 384, 13.2, 26.4, radeonPages},
	{"Radeon RX 7900 XTX", "gfx1100", 96, 960, 61.4, 122.8, radeonPages},
	{"Radeon RX 7900 XT", "gfx1100", 84, 800, 51.5, 103.0, radeonPages},
	{"Radeon RX 7900 GRE", "gfx1100", 80, 576, 46.0, 92.0, radeonPages},
	{"Radeon PRO W7900", "gfx1100", 96, 864, 61.3, 122.6, proPages},
	{"Radeon PRO W7800", "gfx1100", 70, 576, 45.2, 90.5, proPages},
	{"Radeon RX 7800 XT", "gfx1101", 60, 624, 37.3, 74.6, radeonPages},
	{"Radeon RX 7700 XT", "gfx1101", 54, 432, 35.2, 70.3, radeonPages},
	{"Radeon RX 7600 XT", "gfx1102", 32, 288, 22.6, 45.1, radeonPages},
	{"Radeon RX 7600", "gfx1102", 32, 288, 21.7, 43.5, radeonPages},
	{"Radeon RX 9060 XT", "gfx1200", 32, 320, 25.6, 103, radeonPages},
	{"Radeon RX 9070", "gfx1201", 56, 640, 36.1, 145, radeonPages},
	{"Radeon RX 9070 XT", "gfx1201", 64, 640, 48.7, 195, radeonPages},
	{"Radeon AI PRO R9700", "gfx1201", 64, 640, 47.8, 191, proPages},
	{"Instinct MI50", "gfx906", 60, 1024, 13.3, 26.5, instinctPages},
	{"Instinct MI60", "gfx906", 64, 1024, 14.7, 29.5, instinctPages},
	{"Instinct MI100", "gfx908", 120, 1229, 46.1, 184.6, instinctPages},
	{"Instinct MI210", "gfx90a", 104, 1638, 45.3, 181.0, instinctPages},
	{"Instinct MI250", "gfx90a", 104, 1638, 45.3, 181.0, instinctPages},
	{"Instinct MI250X", "gfx90a", 110, 1638, 47.9, 191.5, instinctPages},
	{"Instinct MI300A", "gfx942", 228, 5300, 122.6, 980.6, instinctPages},
	{"Instinct MI300X", "gfx942", 304, 5300, 163.4, 1307.4, instinctPages},
	{"Instinct MI325X", "gfx942", 304, 6000, 163.4, 1307.4, instinctPages},
	{"Instinct MI350X", "gfx950", 256, 8000, 144.2, 2307, instinctPages},
	{"Instinct MI355X", "gfx950", 256, 8000, 157.3, 2517, instinctPages},
	{"H100 80GB HBM3", "sm_90", 132, 3350, 66.9, 989.4, nvidiaPages},
	{"H200", "sm_90", 132, 4800, 66.9, 989.4, nvidiaPages},
}

// cardOf finds the data sheet of a GPU: by its name, or else by its architecture and its compute units, if only one has
// these. Partitions of a card have fewer units, and no data sheet.
func cardOf(i rocm.Info) *Card {
	if i.Platform == rocm.Emulated {
		return nil
	}
	arch, _, _ := strings.Cut(i.Arch, ":")
	var found *Card
	many := false
	for k := range cards {
		c := &cards[k]
		if c.Units != i.ComputeUnits || c.Arch != arch {
			continue
		}
		if named(i.Name, c.Name) {
			return c
		}
		many = many || found != nil
		found = c
	}
	if many || namesOther(i.Name) {
		return nil
	}
	return found
}

// named reports whether a driver's name of a GPU has the whole words of a card's.
func named(name, card string) bool {
	return strings.Contains(" "+strings.Join(strings.Fields(name), " ")+" ", " "+card+" ")
}

// namesOther reports whether a driver's name says which card it is, so that another one's data sheet is not its own.
// Drivers without a table of names have "AMD Radeon Graphics", or the architecture.
func namesOther(name string) bool {
	return strings.ContainsAny(strings.ReplaceAll(name, "gfx", ""), "0123456789") && !strings.HasPrefix(name, "gfx")
}

// The shares of a data sheet's rate that are expected. Nobody has measured gorocm on AMD's cards: they are from what
// others reach with copies and rocBLAS on such cards, widely, and from an H200. A share outside is a question to ask:
// about clocks, a partition, a display that shares the card, or gorocm.
var expected = map[string][2]float64{
	ofMemory: {0.60, 1.00},
	ofSingle: {0.30, 1.00}, // RDNA3 and 4 reach half with products, which rarely come in pairs
	ofHalf:   {0.35, 0.95},
}

// What a speed is a share of.
const (
	ofMemory = "memory"
	ofSingle = "f32"
	ofHalf   = "f16"
)

// rate is the rate of a data sheet in the unit of speeds.
func (c *Card) rate(of string) float64 {
	switch of {
	case ofMemory:
		return c.Memory
	case ofSingle:
		return c.Single * 1e3
	case ofHalf:
		return c.Half * 1e3
	}
	return 0
}

// shareOf says what share of the data sheet's rate each speed is, and whether that is what is expected.
func (d *Device) shareOf() {
	d.Card = cardOf(d.Info)
	if d.Card == nil {
		return
	}
	for i := range d.Speeds {
		s := &d.Speeds[i]
		band, ok := expected[s.Of]
		if !ok {
			continue
		}
		s.Peak = d.Card.rate(s.Of)
		s.Low, s.High = band[0], band[1]
	}
}

// Share is the share of the data sheet's rate that a speed is, 0 where there is none, and what is to be said of it: as
// expected, less or more.
func (s Speed) Share() (share float64, words string) {
	if s.Peak == 0 {
		return 0, ""
	}
	switch share = s.Value / s.Peak; {
	case share < s.Low:
		return share, "LESS than expected"
	case share > s.High:
		return share, "MORE than expected"
	}
	return share, "as expected"
}
