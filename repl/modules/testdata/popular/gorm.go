// %get gorm.io/gorm@v1.31.2 github.com/glebarez/sqlite@v1.11.0

package main

import (
	"fmt"
	"github.com/glebarez/sqlite"
	"gorm.io/gorm"
)

type product struct {
	gorm.Model
	Code  string
	Price uint
}

func main() {
	db, err := gorm.Open(sqlite.Open(":memory:"), &gorm.Config{})
	fmt.Println(err)
	fmt.Println(db.AutoMigrate(&product{}), db.Create(&product{Code: "D42", Price: 100}).Error)
	var p product
	fmt.Println(db.First(&p, "code = ?", "D42").Error, p.Price)
}

// Output:
// <nil>
// <nil> <nil>
// <nil> 100
