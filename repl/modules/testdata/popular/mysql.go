// %get github.com/go-sql-driver/mysql@v1.10.1

package main

import (
	"fmt"
	"github.com/go-sql-driver/mysql"
)

func main() {
	c, err := mysql.ParseDSN("ada:secret@tcp(db:3307)/shop?parseTime=true&timeout=3s")
	fmt.Println(c.Addr, c.DBName, c.ParseTime, c.Timeout, err)
}

// Output:
// db:3307 shop true 3s <nil>
