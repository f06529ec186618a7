package tokenizers

// deepSeek2 cuts words as DeepSeek V2 and its first models do, before digits.
func (t *Tokenizer) deepSeek2() error {
	return t.addPatterns(`[\r\n]`, `\s?[`+deepSeekLetters+`]+`, `\s?[!-/:-~！-／：-～‘-‟　-。]+`, `\s+$`,
		`[一-龥ࠀ-一가-퟿]+`)
}

func (t *Tokenizer) deepSeek3() error { return t.addPatterns(`\p{N}{1,3}`, `[一-龥぀-ゟ゠-ヿ]+`) }

func punctuation(t *Tokenizer) error { return t.addSpans(charSpans(isPunctuation), "Contiguous") }

// threeDigits cuts numbers of Falcon.
func (t *Tokenizer) threeDigits() error {
	if err := t.addSpans(byteNumbers, "Contiguous"); err != nil {
		return err
	}
	return t.addPattern(`[0-9][0-9][0-9]`)
}

func (t *Tokenizer) addPatterns(patterns ...string) error {
	for _, pattern := range patterns {
		if err := t.addPattern(pattern); err != nil {
			return err
		}
	}
	return nil
}

// byteNumbers are the bytes whose letters in a byte-level model are numbers: digits, and ½ and others, which stand for
// bytes of many characters.
func byteNumbers(text string) (all []span) {
	start := 0
	for i := range len(text) {
		if !isNumber(rune(text[i])) { // bytes that have other letters are no numbers either
			continue
		}
		if i > start {
			all = append(all, span{text[start:i], false})
		}
		all = append(all, span{text[i : i+1], true})
		start = i + 1
	}
	if start < len(text) {
		all = append(all, span{text[start:], false})
	}
	return all
}
