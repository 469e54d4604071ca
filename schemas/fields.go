package schemas

// The methods of this file name the fields of each record in the order of its .avsc file. All
// encodings are read and written by them. Tests compare them with the schemas, with the JSON names of
// the Go types, and with what goavro and encoding/json write.

// rawRecord is a raw event with room for what most events point to, so that one allocation makes it all.
type rawRecord struct {
	RawEvent
	speaker    Speaker
	final      bool
	start, end int64
}

func (e *RawEvent) fields(c *coder) {
	var speaker *Speaker
	var final *bool
	var start, end *int64
	if r := c.room; r != nil {
		speaker, final, start, end = &r.speaker, &r.final, &r.start, &r.end
	}
	c.field("call_id", always, &e.CallID)
	c.given.seq = c.long("seq", always, &e.Seq) || c.given.seq
	c.field("type", always, (*string)(&e.Type))
	c.field("context", optional, &e.Context)
	c.field("tenant", optional, &e.Tenant)
	recordPointer(c, "speaker", &e.Speaker, speaker, (*Speaker).fields)
	if c.begin("text", optional, e.Text != "" || e.Type == Utterance) {
		c.given.text = true
		c.text(&e.Text)
		c.done()
	}
	pointer(c, "lexical", &e.Lexical, nil, (*coder).text)
	pointer(c, "final", &e.Final, final, (*coder).boolean)
	c.field("language", optional, &e.Language)
	pointer(c, "start_ms", &e.StartMS, start, (*coder).whole)
	pointer(c, "end_ms", &e.EndMS, end, (*coder).whole)
	c.long("timestamp_ms", optional, &e.TimestampMS)
	records(c, "participants", omitted, &e.Participants, (*Participant).fields)
}

func (x *Speaker) fields(c *coder) {
	c.field("id", always, &x.ID)
	c.field("label", optional, &x.Label)
	c.field("role", optional, (*string)(&x.Role))
	if c.reading() {
		x.Role = roleOf(x.Role)
	}
}

func (x *Participant) fields(c *coder) {
	c.field("speaker_id", optional, &x.SpeakerID)
	list(c, "names", omitted, &x.Names, (*coder).text)
	c.field("organization", optional, &x.Organization)
	list(c, "emails", omitted, &x.Emails, (*coder).text)
	list(c, "phones", omitted, &x.Phones, (*coder).text)
	list(c, "other", omitted, &x.Other, (*coder).text)
}

func (e *CleanEvent) fields(c *coder) {
	c.field("call_id", always, &e.CallID)
	c.long("seq", always, &e.Seq)
	c.field("type", always, (*string)(&e.Type))
	c.field("context", optional, &e.Context)
	c.field("tenant", optional, &e.Tenant)
	recordPointer(c, "speaker", &e.Speaker, nil, (*Speaker).fields)
	c.field("text", always, &e.Text)
	records(c, "entities", always, &e.Entities, (*Entity).fields)
	records(c, "indirect", omitted, &e.Indirect, (*Span).fields)
	c.field("policy", always, &e.Policy)
	c.field("strategy", always, &e.Strategy)
	c.field("language", optional, &e.Language)
	list(c, "tiers", omitted, &e.Tiers, (*coder).text)
	flag(c, "late", omitted, &e.Late)
	pointer(c, "start_ms", &e.StartMS, nil, (*coder).whole)
	pointer(c, "end_ms", &e.EndMS, nil, (*coder).whole)
	c.long("timestamp_ms", optional, &e.TimestampMS)
	recordPointer(c, "call", &e.Call, nil, (*CallSummary).fields)
}

func (x *Entity) fields(c *coder) {
	number(c, "start", always, &x.Start)
	number(c, "end", always, &x.End)
	c.field("type", always, &x.Type)
	number(c, "id", optional, &x.ID)
	pointer(c, "raw_start", &x.RawStart, nil, (*coder).int)
	pointer(c, "raw_end", &x.RawEnd, nil, (*coder).int)
	c.field("detector", optional, &x.Detector)
	double(c, "score", &x.Score)
}

func (x *Span) fields(c *coder) {
	number(c, "start", always, &x.Start)
	number(c, "end", always, &x.End)
}

func (x *CallSummary) fields(c *coder) {
	c.long("utterances", always, &x.Utterances)
	mapping(c, "entities", always, &x.Entities, (*coder).whole)
	pointer(c, "estimated_risk", &x.EstimatedRisk, nil, (*coder).double)
	flag(c, "release", always, &x.Release)
	c.field("reason", optional, &x.Reason)
	c.field("closed_by", optional, (*string)(&x.ClosedBy))
	recordPointer(c, "indirect", &x.Indirect, nil, (*IndirectSummary).fields)
	mapping(c, "renumbered", omitted, &x.Renumbered, func(c *coder, m *map[string]int64) { entries(c, m, (*coder).whole) })
}

func (x *IndirectSummary) fields(c *coder) {
	c.long("calls", always, &x.Calls)
	flag(c, "judged", always, &x.Judged)
	c.long("count", always, &x.Count)
	records(c, "words", omitted, &x.Words, (*MarkedWord).fields)
}

func (x *MarkedWord) fields(c *coder) {
	c.long("seq", always, &x.Seq)
	number(c, "start", always, &x.Start)
	number(c, "end", always, &x.End)
}

func (e *AuditEvent) fields(c *coder) {
	e.CleanEvent.fields(c)
	if c.begin("sampling", always, true) {
		record(c, &e.Sampling, (*Sampling).fields)
		c.done()
	}
}

func (x *Sampling) fields(c *coder) {
	double(c, "rate", &x.Rate)
	c.field("reason", always, &x.Reason)
	pointer(c, "estimated_risk", &x.EstimatedRisk, nil, (*coder).double)
	c.long("missing", omitted, &x.Missing)
}

func (e *DeadLetter) fields(c *coder) {
	c.field("topic", always, &e.Topic)
	number(c, "partition", always, &e.Partition)
	c.long("offset", always, &e.Offset)
	c.field("call_id", optional, &e.CallID)
	c.field("reason", always, &e.Reason)
	c.field("detail", optional, &e.Detail)
	c.long("timestamp_ms", always, &e.TimestampMS)
}
