// %get google.golang.org/protobuf/proto@v1.36.10

package main

import (
	"fmt"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

func main() {
	b, err := proto.Marshal(wrapperspb.String("text"))
	fmt.Printf("%x %v\n", b, err)
	var back wrapperspb.StringValue
	fmt.Println(proto.Unmarshal(b, &back), back.GetValue())
	fmt.Println(proto.Unmarshal([]byte{0xff}, &back) != nil)
}

// Output:
// 0a0474657874 <nil>
// <nil> text
// true
