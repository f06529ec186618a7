// %get github.com/xuri/excelize/v2@v2.9.1

package main

import (
	"bytes"
	"fmt"
	"github.com/xuri/excelize/v2"
)

func main() {
	f := excelize.NewFile()
	fmt.Println(f.SetCellValue("Sheet1", "A1", 20), f.SetCellValue("Sheet1", "A2", 22), f.SetCellFormula("Sheet1", "A3", "SUM(A1:A2)"))
	fmt.Println(f.CalcCellValue("Sheet1", "A3"))
	var b bytes.Buffer
	fmt.Println(f.Write(&b))
	g, err := excelize.OpenReader(&b)
	fmt.Println(err)
	fmt.Println(g.GetCellValue("Sheet1", "A2"))
}

// Output:
// <nil> <nil> <nil>
// 42 <nil>
// <nil>
// <nil>
// 22 <nil>
