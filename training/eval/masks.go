package eval

import (
	"errors"
	"fmt"

	"sotto/internal/gold"
)

// Masks returns an Anonymizer that repeats the masks of another tool. They are the entities of conversations
// with the same IDs and texts as those that are measured. Entities with equal infoType and number
// have one tag. It fails if two conversations have one ID.
func Masks(conversations []gold.Conversation) (Anonymizer, error) {
	masks := recorded{}
	for i := range conversations {
		c := &conversations[i]
		if masks[c.ID] != nil {
			return nil, fmt.Errorf("line %d: an earlier conversation has the same id", c.Line)
		}
		masks[c.ID] = c
	}
	return masks, nil
}

type recorded map[string]*gold.Conversation

func (r recorded) Anonymize(c *gold.Conversation) ([][]Mask, error) {
	masked := r[c.ID]
	if masked == nil {
		return nil, errors.New("there are no masks for the conversation of this id")
	}
	if err := sameTexts(c, masked); err != nil {
		return nil, fmt.Errorf("the masks of line %d: %w", masked.Line, err)
	}
	masks := make([][]Mask, len(c.Utterances))
	for i := range masks {
		for _, s := range masked.Utterances[i].Entities {
			masks[i] = append(masks[i], Mask{Start: s.Start, End: s.End, Type: s.Type, ID: s.Number})
		}
	}
	return masks, nil
}
