package jupyter

// welcome is the content of iopub_welcome, which informs a subscriber that its subscription is active: a client that
// waits for it misses no output of its next request.
type welcome struct {
	Subscription string `json:"subscription"`
}

// subscribe handles a message of a SUB peer: 1 or 0, then a topic prefix.
func (p *iopub) subscribe(l *link, frames [][]byte) {
	if len(frames) != 1 || len(frames[0]) == 0 {
		return
	}
	topic := string(frames[0][1:])
	if len(topic) > maxTopic {
		p.log.Warn("closing a connection", "socket", p.socket.name, "error",
			refuse("a subscription of %d bytes, at most %d are accepted", len(topic), maxTopic))
		l.cut()
		return
	}
	switch frames[0][0] {
	case 0:
		l.mu.Lock()
		delete(l.topics, topic)
		l.mu.Unlock()
	case 1:
		p.mu.Lock() // nothing is sent between the subscription and its welcome
		defer p.mu.Unlock()
		if !l.addTopic(topic) {
			return
		}
		hello, err := p.codec.encode([][]byte{[]byte(topic)}, "iopub_welcome", nil, nil, welcome{topic})
		if err != nil {
			p.log.Error("cannot encode a message", "type", "iopub_welcome", "error", err)
			return
		}
		l.send(hello)
	}
}

// addTopic reports whether the topic is new to the link and within the limit.
func (l *link) addTopic(topic string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.topics[topic] || len(l.topics) >= maxTopics {
		return false
	}
	l.topics[topic] = true
	return true
}
