package schemas

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"math"
	"reflect"
	"runtime"
	"strings"
	"testing"
)

// wantReason fails the test unless err is a DecodeError with the reason, explained in words that
// are the same for every record, but for the name of the field.
func wantReason(t testing.TB, what string, err error, reason string) {
	t.Helper()
	var bad *DecodeError
	if !errors.As(err, &bad) {
		t.Errorf("%s: error %v, want reason %s", what, err, reason)
		return
	}
	if bad.Reason != reason {
		t.Errorf("%s: reason %s, want %s", what, bad.Reason, reason)
	}
	if bad.Error() == "" || bad.Error() != ExplainField(bad.Reason, bad.Field) {
		t.Errorf("%s: %q is not the explanation of %s", what, bad.Error(), bad.Reason)
	}
}

func TestDecodeRawJSON(t *testing.T) {
	c := newTestCodec(t, FormatAvro)
	const design = `{"call_id": "c-42", "seq": 3, "type": "UTTERANCE", "context": "customer_support", "tenant": "acme",
	 "speaker": {"id": "s1", "label": "Pam", "role": "AGENT"},
	 "text": "This is Pam calling from Dunder Mifflin, may I speak to Jim?",
	 "lexical": null, "final": true, "language": "en-US", "start_ms": 1200, "end_ms": 4100, "timestamp_ms": 1763683200000}`
	for name, test := range map[string]struct {
		json string
		want *RawEvent
	}{
		"the example of DESIGN 1.2": {design, sampleRaw()},
		"with white space around":   {" \r\n\t" + design + "\n\n", sampleRaw()},
		"the least of an utterance": {`{"call_id":"c","seq":0,"type":"UTTERANCE","text":""}`, &RawEvent{CallID: "c", Type: Utterance}},
		"the least of an end":       {`{"type":"END","seq":-1,"call_id":"c"}`, &RawEvent{CallID: "c", Type: End, Seq: -1}},
		"participants": {`{"call_id":"c","seq":1,"type":"START","participants":[{"speaker_id":"s1","names":["Pam","P."],"organization":"Dunder Mifflin","emails":["pam@example.com"],"phones":["555 0134"],"other":["X-1"]},{}, null]}`,
			&RawEvent{CallID: "c", Seq: 1, Type: Start, Participants: []Participant{
				{SpeakerID: "s1", Names: []string{"Pam", "P."}, Organization: "Dunder Mifflin", Emails: []string{"pam@example.com"}, Phones: []string{"555 0134"}, Other: []string{"X-1"}}, {}, {}}}},
		"unknown fields are ignored": {`{"x":{"call_id":"no","y":[1,-2.5e+10,true,false,null,"]}"]},"call_id":"c","seq":1,"type":"END","Text":5,"SEQ":"x"}`, &RawEvent{CallID: "c", Seq: 1, Type: End}},
		"null is absent":             {`{"call_id":"c","seq":1,"type":"END","context":null,"tenant":null,"speaker":null,"text":null,"lexical":null,"final":null,"language":null,"start_ms":null,"end_ms":null,"timestamp_ms":null,"participants":null}`, &RawEvent{CallID: "c", Seq: 1, Type: End}},
		"null in a speaker":          {`{"call_id":"c","seq":1,"type":"END","speaker":{"id":null,"label":null,"role":null,"x":1}}`, &RawEvent{CallID: "c", Seq: 1, Type: End, Speaker: &Speaker{}}},
		"another role is unknown":    {`{"call_id":"c","seq":1,"type":"END","speaker":{"role":"agent Pam"}}`, &RawEvent{CallID: "c", Seq: 1, Type: End, Speaker: &Speaker{Role: RoleUnknown}}},
		"a role in small letters":    {`{"call_id":"c","seq":1,"type":"END","speaker":{"role":"agent"}}`, &RawEvent{CallID: "c", Seq: 1, Type: End, Speaker: &Speaker{Role: RoleAgent}}},
		"interim":                    {`{"call_id":"c","seq":1,"type":"UTTERANCE","text":"Thi","final":false}`, &RawEvent{CallID: "c", Seq: 1, Type: Utterance, Text: "Thi", Final: ptr(false)}},
		"lexical":                    {`{"call_id":"c","seq":1,"type":"UTTERANCE","text":"This.","lexical":"this"}`, &RawEvent{CallID: "c", Seq: 1, Type: Utterance, Text: "This.", Lexical: ptr("this")}},
		"escapes":                    {`{"call_id":"c","seq":1,"type":"UTTERANCE","t\u0065xt":"\"\\\/\b\f\n\r\t\u00e9\u00E9\ud83d\ude00\u0000é😀"}`, &RawEvent{CallID: "c", Seq: 1, Type: Utterance, Text: "\"\\/\b\f\n\r\téé😀\x00é😀"}},
		"the largest numbers":        {`{"call_id":"c","seq":9223372036854775807,"type":"END","start_ms":-9223372036854775808}`, &RawEvent{CallID: "c", Seq: math.MaxInt64, Type: End, StartMS: ptr(int64(math.MinInt64))}},
		"deep, but not too deep":     {`{"call_id":"c","seq":1,"type":"END","x":` + strings.Repeat("[", 60) + strings.Repeat("]", 60) + `}`, &RawEvent{CallID: "c", Seq: 1, Type: End}},
	} {
		got, err := c.DecodeRaw([]byte(test.json))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s:\ngot  %+v\nwant %+v", name, got, test.want)
		}
	}
}

// The error names the field, and nothing that stands in it.
func TestDecodeErrorsNameTheField(t *testing.T) {
	c := newTestCodec(t, FormatJSON)
	for field, text := range map[string]string{
		"seq":          `{"call_id":"c","x":{"y":1},"seq":"1","type":"END"}`,
		"text":         `{"call_id":"c","seq":1,"type":"UTTERANCE","text":{"Pam":1}}`,
		"role":         `{"call_id":"c","seq":1,"type":"END","speaker":{"id":"s","role":7}}`,
		"participants": `{"call_id":"c","seq":1,"type":"START","participants":["Pam"]}`,
		"context":      `{"call_id":"c","seq":1,"type":"END","context":"a","context":"a"}`,
		"":             `{"call_id":"c","seq":1,"type":"END","text":"Pam`,
	} {
		_, err := c.DecodeRaw([]byte(text))
		bad, ok := errors.AsType[*DecodeError](err)
		if !ok || bad.Field != field || strings.Contains(err.Error(), "Pam") || field != "" && !strings.HasSuffix(err.Error(), " ("+field+")") {
			t.Errorf("%s: %v", field, err)
		}
	}
}

func TestDecodeRawJSONReasons(t *testing.T) {
	c := newTestCodec(t, FormatJSON)
	event := func(fields string) string { return `{"call_id":"c","seq":1,"type":"UTTERANCE",` + fields + `}` }
	for name, test := range map[string]struct{ json, reason string }{
		"no value":                    {``, ReasonEmpty},
		"plain text":                  {`This is Pam.`, ReasonUnknownFormat},
		"a JSON list":                 {`[{"call_id":"c"}]`, ReasonUnknownFormat},
		"only white space":            {"  \n", ReasonUnknownFormat},
		"white space, then a string":  {` "x"`, ReasonUnknownFormat},
		"byte order mark":             {"\ufeff" + event(`"text":"x"`), ReasonUnknownFormat},
		"cut off":                     {`{"call_id":"c","seq":1,"type":"UTTERANCE","text":"This is P`, ReasonInvalidJSON},
		"cut off in an escape":        {`{"call_id":"\`, ReasonInvalidJSON},
		"cut off in a code":           {`{"call_id":"\u00`, ReasonInvalidJSON},
		"cut off after a name":        {`{"call_id"`, ReasonInvalidJSON},
		"only a brace":                {`{`, ReasonInvalidJSON},
		"no quotes":                   {`{call_id:"c"}`, ReasonInvalidJSON},
		"single quotes":               {`{'call_id':"c"}`, ReasonInvalidJSON},
		"trailing comma":              {event(`"text":"x",`), ReasonInvalidJSON},
		"comma in a list":             {event(`"text":"x","x":[1,]`), ReasonInvalidJSON},
		"no comma":                    {event(`"text":"x" "final":true`), ReasonInvalidJSON},
		"line break in a string":      {event("\"text\":\"x\ny\""), ReasonInvalidJSON},
		"control after an escape":     {event("\"text\":\"\\\\\x01\""), ReasonInvalidJSON},
		"unknown escape":              {event(`"text":"\x41"`), ReasonInvalidJSON},
		"bad code":                    {event(`"text":"\u00g0"`), ReasonInvalidJSON},
		"leading zero":                {event(`"text":"x","start_ms":01`), ReasonInvalidJSON},
		"plus sign":                   {event(`"text":"x","start_ms":+1`), ReasonInvalidJSON},
		"no digits":                   {event(`"text":"x","x":-`), ReasonInvalidJSON},
		"no fraction":                 {event(`"text":"x","x":1.`), ReasonInvalidJSON},
		"no exponent":                 {event(`"text":"x","x":1e+`), ReasonInvalidJSON},
		"NaN":                         {event(`"text":"x","x":NaN`), ReasonInvalidJSON},
		"half a word":                 {event(`"text":"x","x":tru`), ReasonInvalidJSON},
		"comment":                     {event(`"text":"x"/**/`), ReasonInvalidJSON},
		"a second event":              {event(`"text":"x"`) + event(`"text":"y"`), ReasonTrailingData},
		"a stray brace":               {event(`"text":"x"`) + `}`, ReasonTrailingData},
		"a zero byte":                 {event(`"text":"x"`) + "\x00", ReasonTrailingData},
		"text twice":                  {event(`"text":"x","text":"y"`), ReasonDuplicateField},
		"text twice, once escaped":    {event(`"text":"x","\u0074ext":"y"`), ReasonDuplicateField},
		"label twice":                 {event(`"text":"x","speaker":{"label":"a","label":"b"}`), ReasonDuplicateField},
		"names twice":                 {event(`"text":"x","participants":[{"names":[],"names":[]}]`), ReasonDuplicateField},
		"text is a number":            {event(`"text":5`), ReasonWrongType},
		"text is an object":           {event(`"text":{"x":1}`), ReasonWrongType},
		"text is a broken object":     {event(`"text":{"x":}`), ReasonInvalidJSON},
		"text is nothing":             {event(`"text":`), ReasonInvalidJSON},
		"seq is a string":             {`{"call_id":"c","seq":"1"}`, ReasonWrongType},
		"seq is a fraction":           {`{"call_id":"c","seq":1.0}`, ReasonWrongType},
		"seq has an exponent":         {`{"call_id":"c","seq":1e2}`, ReasonWrongType},
		"seq is too large":            {`{"call_id":"c","seq":9223372036854775808}`, ReasonWrongType},
		"final is a string":           {event(`"text":"x","final":"true"`), ReasonWrongType},
		"speaker is a string":         {event(`"text":"x","speaker":"Pam"`), ReasonWrongType},
		"participants is an object":   {event(`"text":"x","participants":{}`), ReasonWrongType},
		"a participant is a string":   {event(`"text":"x","participants":["Pam"]`), ReasonWrongType},
		"a name is a number":          {event(`"text":"x","participants":[{"names":[1]}]`), ReasonWrongType},
		"names is a string":           {event(`"text":"x","participants":[{"names":"Pam"}]`), ReasonWrongType},
		"bytes that are not UTF-8":    {event("\"text\":\"Pam \xff\""), ReasonInvalidUTF8},
		"bytes in an unknown field":   {event("\"text\":\"x\",\"x\":\"\xc3\x28\""), ReasonInvalidUTF8},
		"a surrogate in UTF-8":        {event("\"text\":\"\xed\xa0\x80\""), ReasonInvalidUTF8},
		"first half of a pair":        {event(`"text":"\ud83d"`), ReasonInvalidUTF8},
		"second half of a pair":       {event(`"text":"\ude00"`), ReasonInvalidUTF8},
		"first half twice":            {event(`"text":"\ud83d\ud83d\ude00"`), ReasonInvalidUTF8},
		"first half, then a letter":   {event(`"text":"\ud83d\u0041"`), ReasonInvalidUTF8},
		"half a pair, then bad hex":   {event(`"text":"\ud83d\uzzzz"`), ReasonInvalidJSON},
		"half a pair, unknown field":  {event(`"text":"x","x":"\ud83d"`), ReasonInvalidUTF8},
		"nested too deeply":           {event(`"text":"x","x":` + strings.Repeat("[", 1e6)), ReasonTooDeep},
		"objects nested too deeply":   {event(`"text":"x","x":` + strings.Repeat(`{"x":`, 1e5)), ReasonTooDeep},
		"text nested too deeply":      {event(`"text":` + strings.Repeat("[", 1e6)), ReasonTooDeep},
		"nothing in it":               {`{}`, ReasonMissingCallID},
		"no call ID":                  {`{"seq":1,"type":"END"}`, ReasonMissingCallID},
		"empty call ID":               {`{"call_id":"","seq":1,"type":"END"}`, ReasonMissingCallID},
		"null call ID":                {`{"call_id":null,"seq":1,"type":"END"}`, ReasonMissingCallID},
		"call ID in other spelling":   {`{"Call_ID":"c","seq":1,"type":"END"}`, ReasonMissingCallID},
		"no type":                     {`{"call_id":"c","seq":1}`, ReasonMissingType},
		"unknown type":                {`{"call_id":"c","seq":1,"type":"utterance","text":"x"}`, ReasonUnknownType},
		"no seq":                      {`{"call_id":"c","type":"END"}`, ReasonMissingSeq},
		"null seq":                    {`{"call_id":"c","seq":null,"type":"END"}`, ReasonMissingSeq},
		"an utterance without text":   {`{"call_id":"c","seq":1,"type":"UTTERANCE"}`, ReasonMissingText},
		"an utterance with null text": {`{"call_id":"c","seq":1,"type":"UTTERANCE","text":null}`, ReasonMissingText},
	} {
		e, err := c.DecodeRaw([]byte(test.json))
		if e != nil {
			t.Errorf("%s: an event beside the error", name)
		}
		wantReason(t, name, err, test.reason)
	}
}

func TestDecodeAvroReasons(t *testing.T) {
	c := newTestCodec(t, FormatAvro)
	good, err := c.AppendRaw(nil, sampleRaw())
	if err != nil {
		t.Fatal(err)
	}
	header, body := good[:singleObjectHeader], good[singleObjectHeader:]
	with := func(body []byte) []byte { return append(append([]byte{}, header...), body...) }
	bare := func(e RawEvent) []byte { return with(rawBody(&e)) }
	unknown := append([]byte{}, good...)
	unknown[5] ^= 1
	clean, err := c.AppendClean(nil, sampleClean())
	if err != nil {
		t.Fatal(err)
	}
	invalid := append([]byte{}, good...)
	invalid[len(good)-1-strings.Index(reverse(string(good)), "maP")] = 0xff
	for name, test := range map[string]struct {
		data   []byte
		reason string
	}{
		"another version of the encoding": {append([]byte{0xC3, 0x02}, good[2:]...), ReasonUnknownFormat},
		"only the magic byte":             {[]byte{0xC3}, ReasonInvalidAvro},
		"only half a header":              {good[:7], ReasonInvalidAvro},
		"only the header":                 {header, ReasonInvalidAvro},
		"unknown fingerprint":             {unknown, ReasonUnknownSchema},
		"a clean event":                   {clean, ReasonUnknownSchema},
		"a schema ID, no registry":        {append([]byte{0, 0, 0, 0, 1}, body...), ReasonNoRegistry},
		"half a schema ID":                {[]byte{0, 0, 0}, ReasonInvalidAvro},
		"cut off":                         {good[:len(good)-1], ReasonInvalidAvro},
		"something follows":               {append(append([]byte{}, good...), 0), ReasonTrailingData},
		"bytes that are not UTF-8":        {invalid, ReasonInvalidUTF8},
		"a boolean that is neither":       {with(withByte(t, rawBody(&RawEvent{CallID: "c", Type: End, Final: ptr(true)}), "\x02\x01", "\x02\x02")), ReasonInvalidAvro},
		"no call ID":                      {bare(RawEvent{Seq: 1, Type: End}), ReasonMissingCallID},
		"no type":                         {bare(RawEvent{CallID: "c", Seq: 1}), ReasonMissingType},
		"unknown type":                    {bare(RawEvent{CallID: "c", Seq: 1, Type: "HOLD"}), ReasonUnknownType},
		"an utterance without text":       {with(appendUtteranceWithoutText()), ReasonMissingText},
	} {
		e, err := c.DecodeRaw(test.data)
		if e != nil {
			t.Errorf("%s: an event beside the error", name)
		}
		wantReason(t, name, err, test.reason)
	}
}

// withByte replaces the one occurrence of old.
func withByte(t *testing.T, body []byte, old, new string) []byte {
	t.Helper()
	if strings.Count(string(body), old) != 1 {
		t.Fatalf("%q is not in %q once", old, body)
	}
	return []byte(strings.Replace(string(body), old, new, 1))
}

func reverse(s string) string {
	b := []byte(s)
	for i, j := 0, len(b)-1; i < j; i, j = i+1, j-1 {
		b[i], b[j] = b[j], b[i]
	}
	return string(b)
}

// appendUtteranceWithoutText writes what AppendRaw cannot: an UTTERANCE whose
// text is null.
func appendUtteranceWithoutText() []byte {
	end := rawBody(&RawEvent{CallID: "c", Seq: 1, Type: End})
	prefix := appendString(appendLong(appendString(nil, "c"), 1), string(End))
	return append(appendString(appendLong(appendString(nil, "c"), 1), string(Utterance)), end[len(prefix):]...)
}

func TestDecodeTheOtherEvents(t *testing.T) {
	c := newTestCodec(t, FormatJSON)
	clean := func(data string) error { _, err := c.DecodeClean([]byte(data)); return err }
	audit := func(data string) error { _, err := c.DecodeAudit([]byte(data)); return err }
	dead := func(data string) error { _, err := c.DecodeDeadLetter([]byte(data)); return err }
	for name, test := range map[string]struct {
		decode       func(string) error
		data, reason string
	}{
		"clean: no value":        {clean, "", ReasonEmpty},
		"clean: text":            {clean, "Pam", ReasonUnknownFormat},
		"clean: white space":     {clean, " ", ReasonUnknownFormat},
		"clean: cut off":         {clean, `{"call_id":"c"`, ReasonInvalidJSON},
		"clean: two":             {clean, `{"call_id":"c","type":"END"}{}`, ReasonTrailingData},
		"clean: not UTF-8":       {clean, "{\"call_id\":\"\xff\"}", ReasonInvalidUTF8},
		"clean: half a pair":     {clean, `{"call_id":"\ud800"}`, ReasonInvalidUTF8},
		"clean: wrong type":      {clean, `{"call_id":"c","entities":[{"start":"Pam"}]}`, ReasonWrongType},
		"clean: too deep":        {clean, `{"x":` + strings.Repeat("[", 100), ReasonTooDeep},
		"clean: no call ID":      {clean, `{"type":"END"}`, ReasonMissingCallID},
		"clean: no type":         {clean, `{"call_id":"c"}`, ReasonMissingType},
		"audit: no call ID":      {audit, `{"type":"END"}`, ReasonMissingCallID},
		"audit: wrong type":      {audit, `{"call_id":"c","type":"END","sampling":"Pam"}`, ReasonWrongType},
		"dead letter: not JSON":  {dead, `{"reason":Pam}`, ReasonInvalidJSON},
		"dead letter: too large": {dead, `{"partition":2147483648}`, ReasonWrongType},
		"dead letter: a schema":  {dead, "\x00\x00\x00\x00\x01", ReasonNoRegistry},
	} {
		wantReason(t, name, test.decode(test.data), test.reason)
	}
	e, err := c.DecodeClean([]byte(`{"call_id":"c","type":"END","speaker":{"role":"boss"}}`))
	if err != nil || e.Speaker.Role != RoleUnknown {
		t.Errorf("a role that is not known reads as %+v, %v", e, err)
	}
}

// The example of DESIGN 1.2.
func TestDecodeCleanJSON(t *testing.T) {
	c := newTestCodec(t, FormatJSON)
	got, err := c.DecodeClean([]byte(`{"call_id": "c-42", "seq": 3, "type": "UTTERANCE", "context": "customer_support", "tenant": "acme",
	 "speaker": {"id": "s1", "label": "[PERSON_NAME_1]", "role": "AGENT"},
	 "text": "This is [PERSON_NAME_1] calling from [ORGANIZATION_NAME_1], may I speak to [PERSON_NAME_2]?",
	 "entities": [{"start": 8, "end": 23, "type": "PERSON_NAME", "id": 1, "raw_start": 8, "raw_end": 11, "detector": "speaker", "score": 1.0}],
	 "policy": "a3f9c1", "strategy": "typed-numbered", "start_ms": 1200, "end_ms": 4100, "timestamp_ms": 1763683200000}`))
	want := sampleClean()
	want.Language = ""
	want.Entities = want.Entities[:1]
	want.Entities[0].RawStart, want.Entities[0].RawEnd = ptr(8), ptr(11)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v (%v), want %+v", got, err, want)
	}
}

func TestAppendRefusesNumbersThatAreNotFinite(t *testing.T) {
	for _, format := range []string{FormatAvro, FormatJSON} {
		c := newTestCodec(t, format)
		for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
			entity := CleanEvent{Entities: []Entity{{Score: x}}}
			risk := CleanEvent{Call: &CallSummary{EstimatedRisk: &x}}
			for _, e := range []CleanEvent{entity, risk} {
				if _, err := c.AppendClean(nil, &e); !errors.Is(err, ErrNotFinite) {
					t.Errorf("%s: clean: %v", format, err)
				}
				if _, err := c.AppendAudit(nil, &AuditEvent{CleanEvent: e}); !errors.Is(err, ErrNotFinite) {
					t.Errorf("%s: audit: %v", format, err)
				}
			}
			if _, err := c.AppendAudit(nil, &AuditEvent{Sampling: Sampling{EstimatedRisk: &x}}); !errors.Is(err, ErrNotFinite) {
				t.Errorf("%v as an audit event's estimate: %v", x, err)
			}
			if _, err := c.AppendAudit(nil, &AuditEvent{Sampling: Sampling{Rate: x}}); !errors.Is(err, ErrNotFinite) {
				t.Errorf("%s: rate: %v", format, err)
			}
		}
	}
}

// Where our JSON intentionally differs from the standard library's.
func TestJSONKeepsEmptyTextAndEntities(t *testing.T) {
	c := newTestCodec(t, FormatJSON)
	raw, err := c.AppendRaw(nil, &RawEvent{CallID: "c", Seq: 1, Type: Utterance})
	if want := `{"call_id":"c","seq":1,"type":"UTTERANCE","text":""}`; err != nil || string(raw) != want {
		t.Errorf("got %s (%v), want %s", raw, err, want)
	}
	clean, err := c.AppendClean(nil, &CleanEvent{CallID: "c", Seq: 1, Type: End, Call: &CallSummary{}})
	if want := `{"call_id":"c","seq":1,"type":"END","text":"","entities":[],"policy":"","strategy":"","call":{"utterances":0,"entities":{},"release":false}}`; err != nil || string(clean) != want {
		t.Errorf("got %s (%v), want %s", clean, err, want)
	}
}

// Bodies that fastavro 1.13.1 wrote with our schemas.
func TestReadsWhatFastavroWrites(t *testing.T) {
	c := newTestCodec(t, FormatAvro)
	record := func(k eventKind, body string) []byte {
		b, err := hex.DecodeString(body)
		if err != nil {
			t.Fatal(err)
		}
		return append(append([]byte{}, c.headers[k]...), b...)
	}
	raw := sampleRaw()
	raw.Text = "This is Pam."
	end := CleanEvent{
		CallID: "c-42", Seq: 9, Type: End, Text: "Bye [PERSON_NAME_1]", Policy: "a3f9c1", Strategy: "typed-numbered", Late: true,
		Tiers:   []string{"local", "presidio"},
		StartMS: ptr(int64(-1)), TimestampMS: 1763683200000,
		Entities: []Entity{{Start: 4, End: 19, Type: "PERSON_NAME", ID: 1, RawStart: ptr(4), RawEnd: ptr(7), Detector: "speaker", Score: 1}},
		Indirect: []Span{{Start: 0, End: 3}},
		Call: &CallSummary{Utterances: 2, Entities: map[string]int64{"PERSON_NAME": 2}, EstimatedRisk: ptr(0.25), Release: true, ClosedBy: ClosedByEnd,
			Indirect:   &IndirectSummary{Calls: 1200, Judged: true, Count: 3, Words: []MarkedWord{{Seq: 7, Start: 4, End: 9}, {Seq: 8, Start: 0, End: 300}}},
			Renumbered: map[string]map[string]int64{"PERSON_NAME": {"5": 2}}},
	}
	check := func(what string, got, want any, err error) {
		t.Helper()
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\ngot  %+v (%v)\nwant %+v", what, got, err, want)
		}
	}
	got, err := c.DecodeRaw(record(rawEvent, "08632d343206125554544552414e43450220637573746f6d65725f737570706f7274020861636d6502047331020650616d020a4147454e540218546869732069732050616d2e000201020a656e2d555302e0120288400280b0afbbd46600"))
	check("utterance", got, raw, err)
	got, err = c.DecodeRaw(record(rawEvent, "08632d3432000a5354415254000000000000000000000402047331020650616d00021c44756e646572204d6966666c696e021e70616d406578616d706c652e636f6d0000020458310000000000000000"))
	check("start", got, &RawEvent{CallID: "c-42", Type: Start, Participants: []Participant{
		{SpeakerID: "s1", Names: []string{"Pam"}, Organization: "Dunder Mifflin", Emails: []string{"pam@example.com"}, Other: []string{"X1"}}, {}}}, err)
	clean, err := c.DecodeClean(record(cleanEvent, "08632d34321206454e4400000026427965205b504552534f4e5f4e414d455f315d02082616504552534f4e5f4e414d4502020208020e020e737065616b6572000000000000f03f00020006000c6133663963311c74797065642d6e756d626572656400040a6c6f63616c10707265736964696f00010201000280b0afbbd46602040216504552534f4e5f4e414d45040002000000000000d03f01000206656e6402e0120106040e08121000d804000216504552534f4e5f4e414d45020235040000"))
	check("end", clean, &end, err)
	audit, err := c.DecodeAudit(record(auditEvent, "08632d34321206454e4400000026427965205b504552534f4e5f4e414d455f315d02082616504552534f4e5f4e414d4502020208020e020e737065616b6572000000000000f03f00020006000c6133663963311c74797065642d6e756d626572656400040a6c6f63616c10707265736964696f00010201000280b0afbbd46602040216504552534f4e5f4e414d45040002000000000000d03f01000206656e6402e0120106040e08121000d804000216504552534f4e5f4e414d450202350400007b14ae47e17a943f0a646f75627402000000000000f83f0e"))
	check("audit", audit, &AuditEvent{CleanEvent: end, Sampling: Sampling{Rate: 0.02, Reason: "doubt", EstimatedRisk: ptr(1.5), Missing: 7}}, err)
	dead, err := c.DecodeDeadLetter(record(deadLetter, "1263616c6c732e726177069693d89fee470018696e76616c69645f6a736f6e02027880b0afbbd466"))
	check("dead letter", dead, &DeadLetter{Topic: "calls.raw", Partition: 3, Offset: 1234567890123, Reason: ReasonInvalidJSON, Detail: "x", TimestampMS: 1763683200000}, err)
}

type hostile struct{ schema, body string }

// hostileBodies claim more than they contain. Without a check first, some make goavro allocate
// without bound, loop forever or overflow the stack.
func hostileBodies() map[string]hostile {
	long := func(v int64) string { return string(binary.AppendVarint(nil, v)) }
	record := func(typ string) string {
		return `{"type":"record","name":"R","fields":[{"name":"call_id","type":` + typ + `}]}`
	}
	return map[string]hostile{
		"a huge string":               {record(`"string"`), long(math.MaxInt64) + "x"},
		"a negative string":           {record(`"string"`), long(-1) + "x"},
		"huge bytes":                  {record(`"bytes"`), long(1<<31) + "x"},
		"a huge array":                {record(`{"type":"array","items":"string"}`), long(math.MaxInt32)},
		"a huge array of nothing":     {record(`{"type":"array","items":"null"}`), long(math.MaxInt32) + long(0)},
		"an array of negative count":  {record(`{"type":"array","items":"string"}`), long(math.MinInt64) + long(0)},
		"a huge negative count":       {record(`{"type":"array","items":"null"}`), long(-math.MaxInt32) + long(0) + long(0)},
		"many arrays of nothing":      {record(`{"type":"array","items":"null"}`), strings.Repeat(long(60000), 10000) + long(0)},
		"a huge map":                  {record(`{"type":"map","values":"null"}`), long(math.MaxInt32)},
		"an array of empty records":   {record(`{"type":"array","items":{"type":"record","name":"E","fields":[]}}`), long(1<<30) + long(0)},
		"a list without end":          {record(`["null","R"]`), strings.Repeat(long(1), 2_000_000) + long(0)},
		"a number without end":        {record(`"long"`), strings.Repeat("\xff", 1000)},
		"an int out of range":         {record(`"int"`), long(math.MaxInt32 + 1)},
		"a branch out of range":       {record(`["null","string"]`), long(2)},
		"a negative branch":           {record(`["null","string"]`), long(-1)},
		"a symbol out of range":       {record(`{"type":"enum","name":"E","symbols":["A"]}`), long(1)},
		"a boolean that is neither":   {record(`"boolean"`), "\x02"},
		"half a double":               {record(`"double"`), "1234"},
		"half a float":                {record(`"float"`), "123"},
		"half a fixed":                {record(`{"type":"fixed","name":"F","size":8}`), "1234"},
		"nothing":                     {record(`"string"`), ""},
		"nested arrays of huge count": {record(`{"type":"array","items":{"type":"array","items":{"type":"array","items":"int"}}}`), strings.Repeat(long(50000), 1000)},
	}
}

func TestHostileBodiesCostNothing(t *testing.T) {
	f := &memoryRegistry{}
	c := newRegistryCodec(t, f)
	for name, h := range hostileBodies() {
		id := f.add(t, h.schema)
		data := append(binary.BigEndian.AppendUint32([]byte{0}, uint32(id)), h.body...)
		if _, err := c.DecodeRaw([]byte("\x00" + string(data[1:5]))); err == nil { // fetch the schema first
			t.Errorf("%s: an empty body is an event", name)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := c.DecodeRaw(data)
		runtime.ReadMemStats(&after)
		var bad *DecodeError
		want := ReasonInvalidAvro
		if name == "a list without end" {
			want = ReasonTooDeep
		}
		if !errors.As(err, &bad) || bad.Reason != want {
			t.Errorf("%s: %v, want reason %s", name, err, want)
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > 64<<10 {
			t.Errorf("%s: decoding %d bytes allocated %d", name, len(data), used)
		}
	}
	// The same claims against our own schema.
	single := newTestCodec(t, FormatAvro)
	for name, h := range hostileBodies() {
		if _, err := single.DecodeRaw(append(append([]byte{}, single.headers[rawEvent]...), h.body...)); err == nil {
			t.Errorf("%s: is an event", name)
		}
	}
	start := rawBody(&RawEvent{CallID: "c", Type: Start})
	claim := append(start[:len(start)-1], binary.AppendVarint(nil, 1<<40)...)
	_, err := single.DecodeRaw(append(append([]byte{}, single.headers[rawEvent]...), claim...))
	wantReason(t, "many participants", err, ReasonInvalidAvro)
	// A count that the remaining bytes could hold, of items that do not follow the schema.
	claim = append(binary.AppendVarint(bytes.Clone(start[:len(start)-1]), 1<<17), bytes.Repeat([]byte{0xff}, 1<<20)...)
	data := append(append([]byte{}, single.headers[rawEvent]...), claim...)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err = single.DecodeRaw(data)
	runtime.ReadMemStats(&after)
	wantReason(t, "many participants that are none", err, ReasonInvalidAvro)
	if used := after.TotalAlloc - before.TotalAlloc; used > 64<<10 {
		t.Errorf("decoding participants that are none allocated %d bytes", used)
	}
}
