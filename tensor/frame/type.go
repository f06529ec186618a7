package frame

// Type is the type of the elements of a column.
type Type uint8

// The types of columns. Integers of files that are narrower than 64 bits become Int64.
const (
	Bool      Type = iota + 1
	Int64          // int64
	Float64        // float64
	Float32        // float32
	String         // UTF-8 text
	Date           // days, as time.Time at 00:00 UTC
	Timestamp      // nanoseconds, as time.Time in UTC: years 1677 to 2262
	Category       // a string out of few, held as a number
)

var typeNames = [...]string{Bool: "bool", Int64: "int64", Float64: "float64", Float32: "float32", String: "string",
	Date: "date", Timestamp: "timestamp", Category: "category"}

// String returns the name of the type, in lower case.
func (t Type) String() string {
	if int(t) < len(typeNames) && t > 0 {
		return typeNames[t]
	}
	return "no type"
}

// IsNumber reports whether the type is Int64, Float64 or Float32.
func (t Type) IsNumber() bool { return t == Int64 || t.isFloat() }

func (t Type) isFloat() bool { return t == Float64 || t == Float32 }

func (t Type) isText() bool { return t == String || t == Category }

func (t Type) isTime() bool { return t == Date || t == Timestamp }
