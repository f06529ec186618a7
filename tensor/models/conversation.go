package models

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/gorocm/gorocm/internal/interrupt"
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
)

// Conversation is a chat with a model. Messages may be changed between the calls of its methods; the next prompt is
// made of them anew. The part of a prompt that the model has read already, as a rule all but the last message, is not
// read again. Several conversations of one model share its weights. One goroutine uses a Conversation.
type Conversation struct {
	System    string // the first message, unless it is empty
	Messages  []Message
	Tools     []Tool         // functions that the model may call
	Sampling  nn.Sampling    // how tokens are chosen
	MaxTokens int            // the most tokens of a reply; 0 is as many as there is room for
	Stop      []string       // texts that end a reply and are not part of it
	Grammar   *Grammar       // what replies are; nil is any text. It is not for replies with Tools or Stop
	Options   map[string]any // further variables of the chat template, such as enable_thinking
	Output    io.Writer      // where Chat writes; nil is os.Stdout

	model *Model
	// of the decoder that has read the conversation so far; with other Sampling it is made anew
	generator *Generator
	sampling  nn.Sampling
	replying  atomic.Bool // a reply is being generated
	stopped   atomic.Bool // and is to end
	reason    string      // why the last reply has ended
}

// NewConversation begins another conversation with the model.
func (m *Model) NewConversation() *Conversation {
	return &Conversation{model: m, Sampling: m.Defaults}
}

// Chat adds a message of the user, and writes the reply as it is generated. A vision-language model reads images before
// the text; they are U8 of shape [channels height width], as formats.ReadImage gives them:
//
//	m.Chat("What is in this picture?", image)
//
// The error wraps ErrConversation when the chat template refuses the conversation; then, as after any other error, the
// message is not part of it.
func (c *Conversation) Chat(text string, images ...*tensor.Tensor) error {
	out := c.Output
	if out == nil {
		out = os.Stdout
	}
	var wrong error
	_, err := c.after(text, images, func(part string) bool {
		_, wrong = io.WriteString(out, part)
		return wrong == nil
	})
	if err == nil && wrong == nil {
		_, wrong = io.WriteString(out, "\n")
	}
	return errors.Join(err, wrong)
}

// Ask is Chat that returns the reply and writes nothing.
func (c *Conversation) Ask(text string, images ...*tensor.Tensor) (string, error) {
	reply, err := c.after(text, images, nil)
	return reply.Content, err
}

// after is the reply to a further message of the user, which does not stay when there is an error or a panic.
func (c *Conversation) after(text string, images []*tensor.Tensor, show func(string) bool) (reply Message, err error) {
	if c.replying.Load() {
		return reply, errReplying
	}
	before := len(c.Messages)
	message := Message{Role: "user", Content: text}
	if len(images) > 0 {
		for _, image := range images {
			message.Parts = append(message.Parts, Part{Image: image})
		}
		message.Content, message.Parts = "", append(message.Parts, Part{Text: text})
	}
	c.Messages = append(c.Messages, message)
	defer func() {
		if reply.Role == "" {
			c.Messages = c.Messages[:before]
		}
	}()
	return c.Reply(show)
}

// Reply generates the assistant's next message and adds it. show is called with each part of its text, and ends the
// message by returning false; it may be nil. What the model calls, if there are Tools, is in ToolCalls of the message:
// add a message of the role tool for each with its answer, and call Reply again.
func (c *Conversation) Reply(show func(part string) bool) (Message, error) {
	if !c.replying.CompareAndSwap(false, true) {
		return Message{}, errReplying
	}
	defer c.replying.Store(false)
	c.stopped.Store(false)
	c.reason = ""
	defer interrupt.Watch(c.Interrupt)() // by the session, if a cell's goroutine is in this call
	var reply Message
	err := tensor.Catch(func() error {
		ids, images, err := c.prompt()
		if err != nil {
			return err
		}
		text, err := c.generate(ids, images, show)
		if err != nil {
			return err
		}
		reply = Message{Role: "assistant", Content: text}
		if len(c.Tools) > 0 {
			reply.Content, reply.ToolCalls = ParseToolCalls(text, c.Tools)
		}
		return nil
	})
	if err != nil {
		return Message{}, err
	}
	c.Messages = append(c.Messages, reply)
	return reply, nil
}

var errReplying = errors.New("models: a reply is being generated still: Interrupt ends it")

// Interrupt ends the reply that is being generated before its next token: the reply is as long as it is then. It may be
// called by any goroutine. Interrupting a cell does so, too, where the cell itself has called Chat, Ask or Reply. What
// other goroutines generate goes on, but on an emulated GPU, where every interruption aborts the kernel that runs.
func (c *Conversation) Interrupt() { c.stopped.Store(true) }

// Prompt returns the text that the model reads for its next reply. Images have a token of their own in it.
func (c *Conversation) Prompt() (string, error) {
	if err := c.model.canChat(); err != nil {
		return "", err
	}
	return c.model.Template.Prompt(c.all(), c.Tools, c.Options)
}

// all are System and Messages.
func (c *Conversation) all() []Message {
	if c.System == "" {
		return c.Messages
	}
	return append([]Message{{Role: "system", Content: c.System}}, c.Messages...)
}

// prompt returns the tokens of Prompt, and the images among them.
func (c *Conversation) prompt() ([]int, []*ImageTokens, error) {
	ids, images, err := c.model.EncodeMessages(c.all(), c.Tools, c.Options)
	if err != nil {
		return nil, nil, err
	}
	most := c.model.Config.Context
	if len(ids) > most {
		return nil, nil, fmt.Errorf("models: the conversation has %d tokens, of at most %d: shorten Messages, or set them to nil for a new one",
			len(ids), most)
	}
	if len(ids) == 0 {
		return nil, nil, fmt.Errorf("models: the chat template makes no prompt of the conversation")
	}
	return ids, images, nil
}

// generatorOf returns the generator for a prompt.
func (c *Conversation) generatorOf(ids []int, images []*ImageTokens) (*Generator, error) {
	if c.generator == nil || c.sampling != c.Sampling {
		var d Decoder = c.model.Decoder()
		if c.generator != nil {
			d = c.generator.decoder
		}
		c.generator = newGenerator(d, c.model.Tokenizer, c.Sampling)
		c.sampling = c.Sampling
	}
	g := c.generator
	var grammar *constraint
	if c.Grammar != nil {
		var err error
		if len(c.Tools) > 0 || len(c.Stop) > 0 {
			return nil, errors.New("models: a conversation with a Grammar can have neither Tools nor Stop, " +
				"by which its text would not end")
		}
		if grammar, err = c.model.words.constrain(c.Grammar, c.model.Tokenizer, c.model.Config.EOS); err != nil {
			return nil, err
		}
	}
	if d, ok := g.decoder.(*LlamaDecoder); ok {
		d.UseImages(images...)
	}
	g.ContinueTokens(ids)
	g.grammar = grammar
	return g, nil
}

// generate reads a prompt and returns the text that follows.
func (c *Conversation) generate(ids []int, images []*ImageTokens, show func(string) bool) (string, error) {
	g, err := c.generatorOf(ids, images)
	if err != nil {
		return "", err
	}
	defer g.grammar.free()
	held := stopper{stops: c.Stop}
	var text strings.Builder
	put := func(part string) bool {
		text.WriteString(part)
		return show == nil || part == "" || show(part)
	}
	n := 0
	for ; (c.MaxTokens == 0 || n < c.MaxTokens) && c.next(g); n++ {
		part, stops := held.add(g.Text())
		if shown := put(part); stops || !shown {
			if stops {
				c.reason = FinishStop
			}
			return text.String(), nil
		}
	}
	switch {
	case g.ended:
		c.reason = FinishStop
	case !c.stopped.Load():
		c.reason = FinishLength
	}
	part, _ := held.add(g.stream.Flush())
	put(part + held.text)
	return text.String(), nil
}

// FinishReason returns why the last reply has ended, as OpenAI names it: FinishStop when it is complete; FinishLength
// when MaxTokens, or the room that the model has, cut it off, so that it may be no text of the Grammar; and the empty
// text after Interrupt, when show has ended it, and after an error.
func (c *Conversation) FinishReason() string { return c.reason }

// next makes a token, and reports whether there is one: not when the reply is to end. A kernel of an emulated device
// that was interrupted has left the cache unfinished: the next reply begins with an empty one.
func (c *Conversation) next(g *Generator) (ok bool) {
	err := tensor.Catch(func() error {
		ok = !c.stopped.Load() && g.Next()
		return nil
	})
	if err == nil {
		return ok
	}
	if c.generator = nil; !c.stopped.Load() || !errors.Is(err, rocm.ErrInterrupted) {
		panic(err)
	}
	return false
}

// Generator returns the generator of the last reply, which knows its tokens and how fast they came. It is nil before
// the first one, and after an error.
func (c *Conversation) Generator() *Generator { return c.generator }

// Forget begins the conversation anew: without messages, but for System.
func (c *Conversation) Forget() { c.Messages = slices.Delete(c.Messages, 0, len(c.Messages)) }
