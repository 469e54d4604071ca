package jsondoc

import (
	"slices"

	"sotto/formats/transcript"
	"sotto/schemas"
)

var amazonItem = wordForm{texts: []string{"alternatives.0.content"}, ends: []string{"end_time"}}

// readAmazon reads a transcript of Amazon Transcribe. The items are the words. Which speaker an item
// has is said in the item, or in speaker_labels by its time.
func readAmazon(d *document) {
	results := d.root.get("results")
	labels := amazonSpeakers(results)
	form := amazonItem
	form.merged = func(entries []*node) { d.mergedAmazonItems(results, entries) }
	if channels := results.get("channel_labels.channels").items(); len(channels) > 0 {
		for _, c := range channels {
			d.amazonTurns(c.get("items").items(), &form, func(*node) schemas.Speaker { return channelSpeaker(c.get("channel_label")) })
		}
		slices.SortStableFunc(d.call.Turns, func(a, b *transcript.Turn) int { return compareStarts(a, b) })
		d.repeatItems(results, &form)
	} else {
		d.amazonTurns(results.get("items").items(), &form, func(item *node) schemas.Speaker {
			label := item.get("speaker_label")
			if label == nil {
				label = labels[item.get("start_time").string()]
			}
			return d.speaker(label)
		})
	}
	d.repeat(nil, all(results.get("transcripts"), "transcript")...)
	d.repeat(nil, all(results.get("audio_segments"), "transcript")...)
	d.amazonHypotheses(results)
}

// amazonSpeakers returns the speaker label of each item by when the item starts.
func amazonSpeakers(results *node) map[string]*node {
	labels := map[string]*node{}
	for _, s := range results.get("speaker_labels.segments").items() {
		for _, i := range s.get("items").items() {
			labels[i.get("start_time").string()] = i.get("speaker_label")
		}
	}
	return labels
}

// amazonTurns adds the turns of a list of items: a turn ends where the speaker changes.
func (d *document) amazonTurns(items []*node, form *wordForm, speaker func(*node) schemas.Speaker) {
	var turn *transcript.Turn
	begin := 0
	flush := func(end int) {
		if turn != nil && end > begin {
			d.turnOfWords(turn, items[begin:end], form)
		}
	}
	for i, item := range items {
		// Of a word, only the first hypothesis stays: another one may be the name that it is.
		d.only(item.get("alternatives"))
		s := speaker(item)
		if turn != nil && (s.ID == turn.Speaker.ID || item.get("start_time") == nil) {
			continue
		}
		flush(i)
		turn, begin = &transcript.Turn{Speaker: s}, i
		times(turn, item.get("start_time"), item.get("end_time"), 1000)
	}
	flush(len(items))
}

func compareStarts(a, b *transcript.Turn) int {
	switch {
	case a.StartMS == nil || b.StartMS == nil || *a.StartMS == *b.StartMS:
		return 0
	case *a.StartMS < *b.StartMS:
		return -1
	}
	return 1
}

// repeatItems makes the list of all items a repeat, if the turns are those of the channels.
func (d *document) repeatItems(results *node, form *wordForm) {
	items := results.get("items").items()
	for _, i := range items {
		d.only(i.get("alternatives"))
	}
	if _, r := d.words(items, form); len(r.Pieces) > 0 {
		d.call.Repeats = append(d.call.Repeats, r)
	}
}

// amazonHypotheses adds the further hypotheses of segments, which have items of their own.
func (d *document) amazonHypotheses(results *node) {
	for _, s := range results.get("segments").items() {
		for _, a := range s.get("alternatives").items() {
			t := d.other(a.get("transcript"))
			items := a.get("items").items()
			form := &wordForm{texts: []string{"content", "alternatives.0.content"}, ends: []string{"end_time"}}
			for _, i := range items {
				d.only(i.get("alternatives"))
			}
			d.repeatWords(t, items, form)
		}
	}
}

// mergedAmazonItems removes, where items become one, the other references to them: by time in
// speaker_labels, and by ID in audio_segments.
func (d *document) mergedAmazonItems(results *node, entries []*node) {
	starts, ids := map[string]bool{}, map[string]bool{}
	for _, e := range entries[1:] {
		if s := e.get("start_time").string(); s != "" {
			starts[s] = true
		}
		if id := e.get("id").string(); id != "" {
			ids[id] = true
		}
	}
	first, last := entries[0], entries[len(entries)-1]
	for _, s := range results.get("speaker_labels.segments").items() {
		items := s.get("items").items()
		for _, i := range items {
			if i.get("start_time").string() == first.get("start_time").string() {
				if from, to := last.get("end_time"), i.get("end_time"); from != nil && to != nil {
					d.source.Replace(to.start, to.end, quote(from.str))
				}
			}
		}
		d.removeElements(items, func(i *node) bool { return starts[i.get("start_time").string()] })
	}
	for _, s := range results.get("audio_segments").items() {
		d.removeElements(s.get("items").items(), func(i *node) bool { return ids[i.string()] })
	}
}

// removeElements removes elements of a list, but never the first one.
func (d *document) removeElements(items []*node, remove func(*node) bool) {
	for i := 1; i < len(items); i++ {
		if remove(items[i]) {
			d.source.Replace(items[i-1].end, items[i].end, "")
		}
	}
}

var analyticsItem = &wordForm{texts: []string{"Content"}, ends: []string{"EndOffsetMillis"}}

// readAmazonAnalytics reads a transcript of Amazon Transcribe Call Analytics.
func readAmazonAnalytics(d *document) {
	for _, s := range d.root.get("Transcript").items() {
		speaker := d.speaker(s.first("ParticipantRole", "ParticipantId"))
		t := d.turn(s.get("Content"), speaker)
		times(t, s.get("BeginOffsetMillis"), s.get("EndOffsetMillis"), 1)
		for _, i := range s.get("Items").items() {
			d.only(i.get("Alternatives"))
		}
		d.repeatWords(t, s.get("Items").items(), analyticsItem)
		d.characterOffsets(t, s)
	}
}

// characterOffsets moves the offsets of detected items from the raw to the clean text of a turn.
func (d *document) characterOffsets(t *transcript.Turn, segment *node) {
	var positions []*node
	for _, list := range []string{"IssuesDetected", "OutcomesDetected", "ActionItemsDetected"} {
		for _, o := range all(segment.get(list), "CharacterOffsets") {
			for _, name := range []string{"Begin", "End"} {
				if n := o.get(name); n != nil && n.kind == number {
					positions = append(positions, n)
				}
			}
		}
	}
	if len(positions) > 0 {
		t.Moved = func(at func(int) int) {
			for _, n := range positions {
				d.movePosition(n, at)
			}
		}
	}
}
