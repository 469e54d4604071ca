package processor

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/anonymize/intake/mapping"
	"sotto/internal/testkit/brokertest"
)

// planted is what the tests put into the messages of vendors. It is a name and an address in a sentence, which
// the engine knows as such where the field is the text of an utterance, and a word alone.
const (
	plantedName     = "wombatley"
	plantedNumber   = "9007199254740993" // 2^53 + 1
	plantedSentence = `"My name is Zebulon Wombatley and you can write to zq.wombatley@example.org."`
	plantedWord     = `"wombatley"`
)

// spot is a place in a message.
type spot struct {
	kind spotKind
	// with returns the message with something else there, in JSON.
	with func(text string) string
	// was is what is there, in JSON, and key the key of a value in an object. path is where it is, alike for all items
	// of an array.
	was, key, path string
}

type spotKind uint8

const (
	keySpot spotKind = iota
	stringSpot
	numberSpot
)

// spotsOf returns all places of a value, also those in documents that stand in a text; of those in the items of an
// array, the first of each path. around returns the message with a text in place of the value.
func spotsOf(v any, around func(string) string) (all []spot) {
	switch v := v.(type) {
	case map[string]any:
		for key, member := range v {
			others := ""
			for k, m := range v {
				if k != key {
					others += "," + marshal(k) + ":" + marshal(m)
				}
			}
			all = append(all, spot{kind: keySpot, path: "key " + key, with: func(s string) string { return around("{" + s + ":" + marshal(member) + others + "}") }})
			for _, p := range spotsOf(member, func(s string) string { return around("{" + marshal(key) + ":" + s + others + "}") }) {
				if p.key == "" {
					p.key = marshal(key)
				}
				p.path = key + "." + p.path
				all = append(all, p)
			}
		}
	case []any:
		seen := map[string]bool{}
		for i, item := range v {
			for _, p := range spotsOf(item, func(s string) string {
				texts := []string{}
				for _, other := range v {
					texts = append(texts, marshal(other))
				}
				texts[i] = s
				return around("[" + strings.Join(texts, ",") + "]")
			}) {
				if !seen[p.path] {
					seen[p.path] = true
					all = append(all, p)
				}
			}
		}
	case string:
		all = append(all, spot{kind: stringSpot, with: around, was: marshal(v)})
		if inner, ok := document(v); ok {
			all = append(all, spotsOf(inner, func(s string) string { return around(marshal(s)) })...)
		} else if data, err := base64.StdEncoding.DecodeString(v); err == nil {
			if inner, ok := document(string(data)); ok {
				all = append(all, spotsOf(inner, func(s string) string { return around(marshal([]byte(s))) })...)
			}
		}
	case json.Number:
		all = append(all, spot{kind: numberSpot, with: around, was: v.String()})
	}
	return all
}

func marshal(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(data)
}

// document reads a JSON object or array.
func document(s string) (v any, ok bool) {
	d := json.NewDecoder(strings.NewReader(s))
	d.UseNumber()
	return v, strings.ContainsAny(s[:min(1, len(s))], "{[") && d.Decode(&v) == nil
}

// form reads a form, and returns what writes one from an object.
func form(s string) (fields map[string]any, write func(string) string) {
	values, err := url.ParseQuery(s)
	if err != nil {
		panic(err)
	}
	fields = map[string]any{}
	for name := range values {
		fields[name] = values.Get(name)
	}
	return fields, func(object string) string {
		d := json.NewDecoder(strings.NewReader(object))
		var texts []string
		for d.More() {
			token, err := d.Token()
			if err != nil {
				return object // no form has such a value
			}
			if text, ok := token.(string); ok {
				texts = append(texts, url.QueryEscape(text))
			} else if _, ok := token.(json.Delim); !ok {
				texts = append(texts, fmt.Sprint(token))
			}
		}
		s := ""
		for pair := range slices.Chunk(texts, 2) {
			s += "&" + strings.Join(pair, "=")
		}
		return s[min(1, len(s)):]
	}
}

// spotsIn returns the places in a record of a vendor.
func spotsIn(rec *kgo.Record) []spot {
	if v, ok := document(string(rec.Value)); ok {
		return spotsOf(v, func(s string) string { return s })
	}
	fields, write := form(string(rec.Value))
	return spotsOf(fields, write)
}

// encoded are texts that may be base64 of a document.
var encoded = regexp.MustCompile(`[A-Za-z0-9+/]{40,}={0,2}`)

// variants are the records of a vendor, each a call of its own, with texts in their places.
type variants struct {
	records []*kgo.Record
}

// add adds a record, whose key is the ID of its call, with another value.
func (v *variants) add(rec *kgo.Record, value string) {
	id := fmt.Sprintf("call-%d", len(v.records))
	if strings.Trim(string(rec.Key), "0123456789") == "" {
		id = fmt.Sprint(1_000_000_000_000_000 + len(v.records)) // the vendor's IDs are numbers
	}
	value = strings.ReplaceAll(value, string(rec.Key), id)
	value = encoded.ReplaceAllStringFunc(value, func(s string) string {
		data, err := base64.StdEncoding.DecodeString(s)
		if err != nil {
			return s
		}
		return base64.StdEncoding.EncodeToString([]byte(strings.ReplaceAll(string(data), string(rec.Key), id)))
	})
	v.records = append(v.records, &kgo.Record{Topic: rec.Topic, Key: []byte(id), Value: []byte(value)})
}

// checkVariants feeds a stream the variants of a vendor's records, and looks for what is planted in everything
// that comes out of it. inText reports that the engine must find it in the text of an utterance.
func checkVariants(t *testing.T, r *rig, v *variants, inText bool) {
	t.Helper()
	r.Set.CallID, r.Set.AuditRate = "hash", "1"
	r.KeepFinals(1)
	in := r.start("a")
	r.Feed(v.records...)
	done := fmt.Sprintf("sotto_raw_records_total %d\n", len(v.records))
	brokertest.Eventually(t, 5*time.Minute, "the records", func() bool { return strings.Contains(scrape(t, in), done) })
	out := map[string]string{"metrics": scrape(t, in)}
	if err := in.stop(); err != nil {
		t.Error("the stream stops with an error")
		out["error"] = err.Error()
	}
	out["log"] = r.log.String()
	for name, topic := range map[string]string{
		"clean": r.Topics.Clean, "final": r.Set.TopicFinal, "audit": r.Topics.Audit, "dead letters": r.Topics.DeadLetter, "state": r.Topics.State,
	} {
		for _, rec := range r.Read(topic) {
			value := string(rec.Value)
			if name == "clean" || name == "final" || name == "audit" {
				value = withoutText(t, r, rec.Value, inText)
			}
			out[name] += fmt.Sprintf("%s %s %v\n", rec.Key, value, rec.Headers)
		}
	}
	for name, text := range out {
		for _, p := range append([]string{plantedName, plantedNumber}, personalSamples...) {
			if at := strings.Index(strings.ToLower(text), strings.ToLower(p)); at >= 0 {
				t.Errorf("%s of the stream has %q: %s", name, p, text[max(0, at-300):min(len(text), at+200)])
			}
		}
	}
	if out["clean"] == "" {
		t.Error("there are no clean events")
	}
}

// withoutText returns a clean event, without its text if that may have what is planted.
func withoutText(t *testing.T, r *rig, value []byte, keep bool) string {
	t.Helper()
	e, err := r.Codec.DecodeClean(value)
	if err != nil {
		t.Fatal(err)
	}
	if !keep {
		e.Text = ""
	}
	return marshal(e)
}

// vendorsToTest are the mappings of a test, a few of them if it must be short.
func vendorsToTest() []string {
	if testing.Short() {
		return []string{"genesys", "twilio"}
	}
	return mapping.Names()
}

// Whatever field of a vendor's message holds something personal, as its value or its key, none of it is in
// anything that the stream writes. A sentence is anonymized where it is the text.
func TestNoFieldOfAVendorsMessageGetsOut(t *testing.T) {
	t.Parallel()
	for _, name := range vendorsToTest() {
		for text, inText := range map[string]bool{plantedSentence: true, plantedWord: false} {
			t.Run(fmt.Sprint(name, inText), func(t *testing.T) {
				t.Parallel()
				r, recs := vendorRig(t, name)
				var v variants
				for _, rec := range recs {
					for _, p := range spotsIn(rec) {
						if p.kind != numberSpot {
							v.add(rec, p.with(text))
						}
					}
					v.add(rec, string(rec.Value)) // with what is planted around it
					last := v.records[len(v.records)-1]
					last.Headers = []kgo.RecordHeader{{Key: plantedName, Value: []byte(plantedName)}}
					v.add(rec, strings.ReplaceAll(string(rec.Value), string(rec.Key), plantedName))
					v.records[len(v.records)-1].Key = []byte(plantedName)
				}
				checkVariants(t, r, &v, inText)
			})
		}
	}
}

// What parsers and the engine could fail on becomes something, and nothing of it gets out: invalid UTF-8, keys
// that are there twice, numbers that no float holds, deep nesting and long words.
func TestHostileFieldsOfVendorsMessages(t *testing.T) {
	t.Parallel()
	nested := func(levels int) string {
		return strings.Repeat("[", levels) + plantedWord + strings.Repeat("]", levels)
	}
	hostile := []string{
		"\"wombatley\xff\xfe\"", `"wombatley\ud800"`, plantedNumber, "-" + plantedNumber, plantedNumber + "e400", `"` + plantedNumber + `"`,
		nested(10_000), nested(9_000), marshal(nested(9_000)), strings.Repeat(`{"a":`, 9_000) + plantedWord + strings.Repeat("}", 9_000),
		`"` + strings.Repeat("wombatley", 10_000) + `"`, `{"wombatley":"wombatley"}`, `["wombatley"]`, "null",
	}
	for _, name := range vendorsToTest() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, recs := vendorRig(t, name)
			var v variants
			seen := map[string]bool{}
			for _, rec := range recs {
				v.add(rec, string(rec.Value)) // so that some become events
				for _, p := range spotsIn(rec) {
					if p.kind == keySpot || p.key == "" || seen[p.key] {
						continue
					}
					seen[p.key] = true
					for _, text := range hostile {
						v.add(rec, p.with(text))
					}
					v.add(rec, p.with(plantedSentence+","+p.key+":"+p.was))
					v.add(rec, p.with(p.was+","+p.key+":"+plantedSentence))
				}
			}
			for _, p := range spotsIn(recs[len(recs)/2]) {
				if p.kind == stringSpot && len(p.was) > 20 {
					v.add(recs[len(recs)/2], p.with(`"`+strings.Repeat(plantedName, 1<<20/len(plantedName))+`"`))
					break
				}
			}
			checkVariants(t, r, &v, false)
		})
	}
}
