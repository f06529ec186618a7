// %get github.com/sirupsen/logrus@v1.10.2

package main

import (
	"github.com/sirupsen/logrus"
	"os"
)

func main() {
	log := logrus.New()
	log.SetOutput(os.Stdout)
	log.SetFormatter(&logrus.TextFormatter{DisableTimestamp: true, DisableColors: true})
	log.WithFields(logrus.Fields{"name": "ada", "n": 1}).Warn("a warning")
	log.SetFormatter(&logrus.JSONFormatter{DisableTimestamp: true})
	log.WithError(os.ErrNotExist).Error("an error")
}

// Output:
// level=warning msg="a warning" n=1 name=ada
// {"error":"file does not exist","level":"error","msg":"an error"}
