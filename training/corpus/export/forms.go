package export

import (
	"slices"
	"strings"

	"sotto/schemas"
	"sotto/training/corpus/transcripts"
	"sotto/training/corpus/words"
)

// The forms of the data.
const (
	Rows = "rows" // Row
	Chat = "chat" // ChatRow
)

// ChatRow is a call in the form in which chat models are fine-tuned. The agent is the assistant. The first
// message is one of the user, as the templates of most models want it: Opening, if the agent speaks first.
type ChatRow struct {
	CallID   string    `json:"call_id" parquet:"call_id"`
	Messages []Message `json:"messages" parquet:"messages,list"`
}

// Opening stands for the beginning of a call that the agent answers.
const Opening = "(The call begins.)"

// Message is what one side says until the other one speaks.
type Message struct {
	Role    string `json:"role" parquet:"role"`
	Content string `json:"content" parquet:"content"`
}

// messages joins the turns of a call. This form has no place for masks, so indirect
// identifiers are replaced by words.Mask.
func (b *builder) messages(c *transcripts.Transcript) (out []Message) {
	for _, e := range c.Events {
		if strings.TrimSpace(e.Text) == "" {
			continue
		}
		role := "user"
		if e.Speaker != nil && e.Speaker.Role == schemas.RoleAgent {
			role = "assistant"
		}
		text := b.hideIndirect(e)
		if n := len(out); n > 0 && out[n-1].Role == role {
			out[n-1].Content += "\n" + text
			continue
		}
		out = append(out, Message{role, text})
	}
	return out
}

func (b *builder) hideIndirect(e *schemas.CleanEvent) string {
	spans := b.indirect(e)
	if len(spans) == 0 {
		return e.Text
	}
	runes := []rune(e.Text)
	var out strings.Builder
	at := int32(0)
	for _, s := range spans {
		out.WriteString(string(runes[at:s.Start]))
		out.WriteString(words.Mask)
		at = s.End
	}
	out.WriteString(string(runes[at:]))
	return out.String()
}

func (b *builder) chat(c *transcripts.Transcript) []ChatRow {
	m := b.messages(c)
	if len(m) == 0 {
		return nil
	}
	if m[0].Role == "assistant" {
		m = slices.Insert(m, 0, Message{"user", Opening})
	}
	return []ChatRow{{CallID: c.ID, Messages: m}}
}
