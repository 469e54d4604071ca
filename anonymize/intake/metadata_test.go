package intake

import (
	"fmt"
	"testing"

	"sotto/schemas"
)

func setOf(values ...string) map[string]bool {
	m := map[string]bool{}
	for _, v := range values {
		m[v] = true
	}
	return m
}

// personal are values that used to pass through the metadata to the output topics.
var personal = []string{"604-555-0134", "6045550134", "078-05-1120", "078051120", "4111111111111111", "4111-1111-1111-1111", "Ines.Quimby", "ines_quimby"}

func TestMetadataCarriesNothingPersonal(t *testing.T) {
	m := Metadata{Contexts: setOf("sales"), Tenants: setOf("acme")}
	for _, v := range personal {
		e := &schemas.RawEvent{Context: v, Tenant: v, Language: v}
		m.Normalize(e, 0)
		if e.Context != Other || e.Language != "" || m.Tenant(v) != Other {
			t.Errorf("%q passes: %q %q %q", v, e.Context, e.Language, m.Tenant(v))
		}
		// As private use, as an extension and as a variant of a language tag.
		for _, tag := range []string{"en-x-" + v, "en-a-" + v, "en-" + v} {
			if got := Language(tag); got != "" {
				t.Errorf("the language %q passes", got)
			}
		}
	}
	for _, number := range []int64{6_045_550_134, 78_051_120, 4_111_111_111_111_111, -5} {
		start, end := number, number
		e := &schemas.RawEvent{StartMS: &start, EndMS: &end, TimestampMS: number}
		m.Normalize(e, 1_700_000_000_000)
		if number != 78_051_120 && (e.StartMS != nil || e.EndMS != nil) || e.TimestampMS != 1_700_000_000_000 {
			t.Errorf("the time %d passes: %v %v %d", number, e.StartMS, e.EndMS, e.TimestampMS)
		}
	}
	for _, seq := range []int64{780_511_200, 6_045_550_134, -6_045_550_134} {
		if r := (Rules{MaxSeq: 99_999_999}); r.exceeded(&schemas.RawEvent{Seq: seq}) != SeqOutOfRange {
			t.Errorf("the sequence number %d passes", seq)
		}
	}
}

func TestMetadataKeepsWhatIsKnown(t *testing.T) {
	m := Metadata{Contexts: setOf("sales"), Tenants: setOf("acme")}
	start, end := int64(1200), int64(4100)
	e := &schemas.RawEvent{Context: "sales", Language: "zh-Hant-TW", StartMS: &start, EndMS: &end, TimestampMS: 1_763_683_200_000, Seq: 7}
	for range 2 { // it is idempotent
		m.Normalize(e, 1_763_683_200_500)
		if e.Context != "sales" || e.Language != "zh-Hant-TW" || e.StartMS == nil || e.EndMS == nil || e.TimestampMS != 1_763_683_200_000 {
			t.Errorf("%+v", e)
		}
	}
	if r := (Rules{MaxSeq: 99_999_999}); r.exceeded(e) != "" {
		t.Error("a small sequence number is refused")
	}
	for tag, want := range map[string]string{"en-US": "en-US", "es": "es", "fr-CA": "fr-CA", "es-419": "es-419", "xx-ZZZ": "", "": ""} {
		if got := Language(tag); got != want {
			t.Errorf("the language %q becomes %q", tag, got)
		}
	}
	m.HashTenant = func(s string) string { return "h" + s }
	for tenant, want := range map[string]string{"": "", "acme": "acme", CanaryTenant: CanaryTenant, "x": "hx"} {
		if got := m.Tenant(tenant); got != want {
			t.Errorf("the tenant %q becomes %q", tenant, got)
		}
	}
}

// Tags that have been checked are remembered, and no producer can make that grow without limit.
func TestLanguagesAreRememberedUpToABound(t *testing.T) {
	s := tagSet{tags: map[string]bool{}}
	for n := range maxKnownLanguages + 10 {
		s.add(fmt.Sprint(n))
	}
	if n := len(s.tags); n != maxKnownLanguages {
		t.Errorf("%d tags are remembered", n)
	}
	if !s.has("0") || s.has("no") || s.has(fmt.Sprint(maxKnownLanguages)) {
		t.Error("the set does not have what was added first")
	}
	for range 2 { // from the parser, then from memory
		if Language("en-US") != "en-US" || Language("en-") != "" {
			t.Error("a tag is judged differently the second time")
		}
	}
	if allocs := testing.AllocsPerRun(100, func() { Language("en-US") }); allocs > 0 {
		t.Errorf("%v allocations for a known tag", allocs)
	}
}
