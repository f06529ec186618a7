// %get github.com/apache/arrow-go/v18@v18.8.0

package main

import (
	"bytes"
	"fmt"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

func main() {
	schema := arrow.NewSchema([]arrow.Field{{Name: "n", Type: arrow.PrimitiveTypes.Int64}}, nil)
	b := array.NewRecordBuilder(memory.NewGoAllocator(), schema)
	b.Field(0).(*array.Int64Builder).AppendValues([]int64{1, 2, 3}, []bool{true, false, true})
	var file bytes.Buffer
	w := ipc.NewWriter(&file, ipc.WithSchema(schema))
	fmt.Println(w.Write(b.NewRecordBatch()), w.Close())
	r, err := ipc.NewReader(&file)
	fmt.Println(err, r.Next(), r.RecordBatch().Column(0))
}

// Output:
// <nil> <nil>
// <nil> true [1 (null) 3]
