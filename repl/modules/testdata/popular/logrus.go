// %get github.com/sirupsen/logrus@v1.10.2

package main

import (
	"bytes"
	"fmt"
	"github.com/sirupsen/logrus"
	"os"
)

func main() {
	var out bytes.Buffer
	log := logrus.New()
	log.SetOutput(&out)
	log.SetFormatter(&logrus.TextFormatter{DisableTimestamp: true, DisableColors: true})
	log.WithFields(logrus.Fields{"name": "ada", "n": 1}).Warn("a warning")
	log.SetFormatter(&logrus.JSONFormatter{DisableTimestamp: true})
	log.WithError(os.ErrNotExist).Error("an error")
	fmt.Print(out.String())
}

// Output:
// level=warning msg="a warning" n=1 name=ada
// {"error":"file does not exist","level":"error","msg":"an error"}
