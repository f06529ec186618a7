// %get github.com/Masterminds/semver/v3@v3.5.0

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"sort"

	"github.com/Masterminds/semver/v3"
)

func main() {
	v := semver.MustParse("v1.2.3-beta.1+b345")
	fmt.Println(v, v.Major(), v.Minor(), v.Patch(), v.Prerelease(), v.Metadata(), v.Original())
	_, err := semver.NewVersion("1.2.beta")
	fmt.Println(err, errors.Is(err, semver.ErrInvalidSemVer))
	c, err := semver.NewConstraint(">= 1.2, < 3.0.0 || ~4.1")
	fmt.Println(c, err)
	for _, s := range []string{"1.1.9", "1.2.0", "2.9.1", "3.0.0", "4.1.7", "4.2.0"} {
		fmt.Print("; ", s, " ", c.Check(semver.MustParse(s)))
	}
	fmt.Println()
	valid, msgs := c.Validate(semver.MustParse("0.9.0"))
	fmt.Println(valid, len(msgs), msgs[0])
	list := semver.Collection{}
	for _, s := range []string{"1.10.0", "1.2.0", "1.2.0-alpha", "0.9"} {
		list = append(list, semver.MustParse(s))
	}
	sort.Sort(list)
	fmt.Println(list)
	sort.Sort(sort.Reverse(list))
	fmt.Println(list[0], v.IncMinor(), v.Compare(list[0]), v.LessThan(list[0]), v.Equal(v))
	text, err := json.Marshal(map[string]*semver.Version{"v": v})
	fmt.Println(string(text), err)
	var back semver.Version
	err = json.Unmarshal([]byte(`"2.0.1"`), &back)
	fmt.Println(err, back.String())
	w, err := v.SetPrerelease("rc.1")
	fmt.Println(w.String(), err)
}

// Output:
// 1.2.3-beta.1+b345 1 2 3 beta.1 b345 v1.2.3-beta.1+b345
// invalid semantic version true
// >=1.2 <3.0.0 || ~4.1 <nil>
// ; 1.1.9 false; 1.2.0 true; 2.9.1 true; 3.0.0 false; 4.1.7 true; 4.2.0 false
// false 2 "0.9.0" is less than "1.2"
// [0.9.0 1.2.0-alpha 1.2.0 1.10.0]
// 1.10.0 1.3.0 -1 true true
// {"v":"1.2.3-beta.1+b345"} <nil>
// <nil> 2.0.1
// 1.2.3-rc.1+b345 <nil>
