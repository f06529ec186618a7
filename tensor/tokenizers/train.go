package tokenizers

import (
	"cmp"
	"container/heap"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// BPETraining says how TrainBPE makes a vocabulary.
type BPETraining struct {
	Size     int      // how many tokens there are at most, special ones and the 256 bytes among them
	Special  []string // tokens that no text is joined to, such as <|im_end|>; they have the first numbers
	Pattern  string   // cuts texts into words, as in tokenizer.json; "" is GPT-2's pattern
	MinCount int      // pairs that occur less often are not joined; 0 stands for 1
}

// TrainBPE makes a byte-level tokenizer for texts: the pair of tokens that lie side by side most often becomes a token,
// again and again, until there are Size of them or no pair is left; of equal pairs the one of lower numbers is first.
// The tokens are those that the BpeTrainer of Hugging Face's tokenizers makes, with the bytes as its initial alphabet.
// Special tokens that texts spell out are left out of the counts. Every text has tokens. The error is about a Size
// that is too small, special tokens that occur twice, or a Pattern that is not supported.
func TrainBPE(texts []string, o BPETraining) (*Tokenizer, error) {
	vocab := slices.Clone(o.Special)
	for _, r := range slices.Sorted(slices.Values(byteRunes[:])) {
		vocab = append(vocab, string(r))
	}
	if o.Size < len(vocab) {
		return nil, fmt.Errorf("tokenizers: a vocabulary of %d tokens has no room for %d special ones and 256 bytes: want a Size of %d "+
			"or more", o.Size, len(o.Special), len(vocab))
	}
	if o.Pattern == "" {
		o.Pattern = gpt2Pattern
	}
	cut := &Tokenizer{}
	if err := cut.addPattern(o.Pattern); err != nil {
		return nil, err
	}
	j, err := newJSON(vocab, o)
	if err != nil {
		return nil, err
	}
	b := newBPETrainer(vocab, len(o.Special))
	counts := map[string]int{}
	special := newFinder(addedOf(o.Special))
	for _, text := range texts {
		for _, part := range special.parts(text) {
			if part.token != nil {
				continue
			}
			words := []string{text[part.start:part.end]}
			for _, f := range cut.split {
				words = f(words)
			}
			for _, w := range words {
				counts[w]++
			}
		}
	}
	for _, w := range slices.Sorted(maps.Keys(counts)) {
		b.add(toByteRunes(w), counts[w])
	}
	j.Model.Vocab, j.Model.Merges = b.merged(o.Size, max(o.MinCount, 1))
	data, err := json.Marshal(j)
	if err != nil {
		return nil, err
	}
	return ParseJSON(data)
}

// addedOf are special tokens as a finder wants them.
func addedOf(special []string) (list []added) {
	for id, text := range special {
		list = append(list, added{text: text, id: id, special: true})
	}
	return list
}

// bpeWord is a word of the texts, in tokens.
type bpeWord struct {
	tokens []int
	count  int
}

// bpeTrainer joins pairs. counts has how often each occurs, and words the numbers of the words that it may occur in.
type bpeTrainer struct {
	vocab  []string
	ids    map[string]int
	all    []bpeWord
	counts map[pair]int
	words  map[pair]map[int]bool
	queue  pairQueue
}

func newBPETrainer(vocab []string, special int) *bpeTrainer {
	b := &bpeTrainer{vocab: vocab, ids: map[string]int{}, counts: map[pair]int{}, words: map[pair]map[int]bool{}}
	for id, piece := range vocab[special:] {
		b.ids[piece] = special + id
	}
	return b
}

// add takes a word in the letters of bytes.
func (b *bpeTrainer) add(word string, count int) {
	w := bpeWord{count: count}
	for _, r := range word {
		w.tokens = append(w.tokens, b.ids[string(r)])
	}
	b.all = append(b.all, w)
	b.note(len(b.all)-1, 1)
}

// note counts the pairs of a word, times sign.
func (b *bpeTrainer) note(word, sign int) {
	w := &b.all[word]
	for i := range len(w.tokens) - 1 {
		p := pair{w.tokens[i], w.tokens[i+1]}
		if b.counts[p] += sign * w.count; sign > 0 {
			if b.words[p] == nil {
				b.words[p] = map[int]bool{}
			}
			b.words[p][word] = true
		}
	}
}

// merged joins pairs until there are size tokens, and returns the vocabulary and the merges.
func (b *bpeTrainer) merged(size, least int) (vocab map[string]int, merges [][2]string) {
	for p, n := range b.counts {
		b.queue = append(b.queue, counted{p, n})
	}
	heap.Init(&b.queue)
	merges = [][2]string{}
	for len(b.vocab) < size && b.queue.Len() > 0 {
		c := heap.Pop(&b.queue).(counted)
		if now := b.counts[c.pair]; now != c.count {
			if now > 0 {
				heap.Push(&b.queue, counted{c.pair, now})
			}
			continue
		}
		if c.count < least {
			break
		}
		left, right := b.vocab[c.left], b.vocab[c.right]
		id, there := b.ids[left+right]
		if !there {
			id = len(b.vocab)
			b.vocab = append(b.vocab, left+right)
			b.ids[left+right] = id
		}
		merges = append(merges, [2]string{left, right})
		b.join(c.pair, id)
	}
	vocab = make(map[string]int, len(b.vocab))
	for id, piece := range b.vocab {
		vocab[piece] = id
	}
	return vocab, merges
}

// join makes id of a pair, in all words.
func (b *bpeTrainer) join(p pair, id int) {
	grown := map[pair]bool{}
	for word := range b.words[p] {
		b.note(word, -1)
		w := &b.all[word]
		joined := w.tokens[:0]
		for i := 0; i < len(w.tokens); i++ {
			if i+1 < len(w.tokens) && w.tokens[i] == p.left && w.tokens[i+1] == p.right {
				joined = append(joined, id)
				i++
			} else {
				joined = append(joined, w.tokens[i])
			}
		}
		w.tokens = joined
		b.note(word, 1)
		for i, t := range joined {
			if t == id && i > 0 {
				grown[pair{joined[i-1], id}] = true
			}
			if t == id && i+1 < len(joined) {
				grown[pair{id, joined[i+1]}] = true
			}
		}
	}
	delete(b.counts, p)
	delete(b.words, p)
	for g := range grown {
		if n := b.counts[g]; n > 0 {
			heap.Push(&b.queue, counted{g, n})
		}
	}
}

// counted is a pair as often as it occurred when it was put into a queue.
type counted struct {
	pair
	count int
}

// pairQueue has pairs, the most frequent first, of equals those of lower numbers.
type pairQueue []counted

func (q pairQueue) Len() int { return len(q) }
func (q pairQueue) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(q[j].count, q[i].count), cmp.Compare(q[i].left, q[j].left),
		cmp.Compare(q[i].right, q[j].right)) < 0
}
func (q pairQueue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *pairQueue) Push(x any)   { *q = append(*q, x.(counted)) }
func (q *pairQueue) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}
