package frame

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gorocm/gorocm/internal/thorough"
)

// spellings are values of CSV files, and the types of columns that can hold them: an integer beyond int64 can be a
// float beside fractions, if that keeps its digits.
var spellings = []struct{ text, types string }{
	{"", "bool int64 float64 date timestamp zoned"},
	{"NA", "bool int64 float64 date timestamp zoned"},
	{`""`, "bool int64 float64 date timestamp zoned"},
	{`"NA"`, "bool int64 float64 date timestamp zoned"},
	{"true", "bool"},
	{"7", "int64 float64"},
	{"9007199254740993", "int64"},
	{"1234567890123456800", "int64 float64"},
	{"-9223372036854775808", "int64 float64"},
	{"9223372036854775807", "int64"},
	{"9223372036854775808", "float64"},
	{"100000000000000000000000", "float64"},
	{"18446744073709551615", ""},
	{"1.5", "float64"},
	{"9007199254740993.5", "float64"},
	{"1e3", "float64"},
	{"-0", "float64"},
	{"nan", "float64"},
	{"2024-02-29", "date timestamp"},
	{"9999-12-31", "date"},
	{"0000-02-28", "date"},
	{"1677-09-21", "date"},
	{"2024-02-29 08:15", "timestamp"},
	{"2024-02-29T08:15:30.5Z", "zoned"},
	{"9999-12-31 00:00", ""},
	{"007", ""},
	{"x", ""},
}

func missingSpelling(text string) bool {
	return slices.Contains([]string{"", "NA"}, strings.Trim(text, `"`))
}

// typeOf is the definition of a column's type: the first one that all values can have.
func typeOf(values []int) string {
	integers, missing := true, true
	for _, v := range values {
		text := spellings[v].text
		missing = missing && missingSpelling(text)
		integers = integers && (missingSpelling(text) || text != "-0" && strings.Trim(text, "-0123456789") == "")
	}
	for _, typ := range strings.Fields(spellings[0].types) {
		fits := !missing && !(typ == "float64" && integers)
		for _, v := range values {
			fits = fits && slices.Contains(strings.Fields(spellings[v].types), typ)
		}
		if fits {
			return strings.Replace(typ, "zoned", "timestamp", 1)
		}
	}
	return "string"
}

// valueOf is what a spelling is in a column of a type, by the standard library.
func valueOf(text, typ string, missing bool) (any, error) {
	switch bare := strings.Trim(text, `"`); {
	case typ == "string" && (bare == "" || missing):
		if text != bare {
			return bare, nil
		}
		return nil, nil
	case typ == "string":
		return bare, nil
	case missingSpelling(text):
		return nil, nil
	}
	switch typ {
	case "bool":
		return strconv.ParseBool(text)
	case "int64":
		return strconv.ParseInt(text, 10, 64)
	case "float64":
		return strconv.ParseFloat(text, 64)
	}
	for _, layout := range []string{time.DateOnly, "2006-01-02 15:04", time.RFC3339Nano} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, nil
		}
	}
	return nil, fmt.Errorf("%q is no time", text)
}

// TestKinds: columns of each two and three spellings, in every order, in one part or two and a part for each row, have the
// type of the definition, and the values of the standard library.
func TestKinds(t *testing.T) {
	thorough.Slow(t)
	check := func(values ...int) {
		want := typeOf(values)
		text := strings.Builder{}
		text.WriteString("a;b\n")
		missing := true
		for _, v := range values {
			fmt.Fprintf(&text, "%s;.\n", spellings[v].text)
			missing = missing && missingSpelling(spellings[v].text)
		}
		for _, chunk := range []int{1, 64} {
			s, err := newCSV(strings.NewReader(text.String()), nil, []CSVOptions{{Comma: ';'}}, "", chunk)
			if err != nil {
				t.Fatal(err)
			}
			f, err := s.frame()
			if err != nil {
				t.Fatal(err)
			}
			c := f.Col("a")
			if c.Type().String() != want {
				t.Errorf("%q in chunks of %d: %v, want %s", text.String(), chunk, c.Type(), want)
				continue
			}
			for i, v := range values {
				value, err := valueOf(spellings[v].text, want, missing)
				if err != nil {
					t.Fatal(err)
				}
				if got := c.At(i); fmt.Sprint(got) != fmt.Sprint(value) {
					t.Errorf("%q in chunks of %d: row %d is %v, want %v", text.String(), chunk, i, got, value)
				}
			}
		}
	}
	for i := range spellings {
		for j := range spellings {
			check(i, j)
			for k := range spellings {
				if thorough.On() || (i+j+k)%6 == 0 {
					check(i, j, k)
				}
			}
		}
	}
}
