// %get golang.org/x/text/cases@v0.43.0

package main

import (
	"fmt"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"
)

func main() {
	fmt.Println(cases.Title(language.English).String("hello, wonderful world of go's"))
	fmt.Println(cases.Title(language.English, cases.NoLower).String("the ROCm stack"))
	fmt.Println(cases.Upper(language.Turkish).String("istanbul"), cases.Lower(language.Turkish).String("ISTANBUL"))
	fmt.Println(cases.Title(language.Dutch).String("ijsland"), cases.Upper(language.German).String("straße"))
	fmt.Println(cases.Fold().String("Straße") == cases.Fold().String("STRASSE"))
	tag, err := language.Parse("zh-hant-tw")
	fmt.Println(tag, err)
	m := language.NewMatcher([]language.Tag{language.English, language.French, language.MustParse("pt-BR")})
	best, i, conf := m.Match(language.MustParse("pt-PT"), language.German)
	fmt.Println(best, i, conf)
	b := []byte("ὈΔΥΣΣΕΎΣ")
	fmt.Println(string(cases.Lower(language.Greek).Bytes(b)))
}

// Output:
// Hello, Wonderful World Of Go's
// The ROCm Stack
// İSTANBUL ıstanbul
// IJsland STRASSE
// true
// zh-Hant-TW <nil>
// pt-BR-u-rg-ptzzzz 2 High
// ὀδυσσεύς
