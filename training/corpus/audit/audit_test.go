package audit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"sotto/internal/gold"
	"sotto/training/corpus/indirect"
)

// blacklist returns a list with these n-grams.
func blacklist(t testing.TB, grams ...string) *indirect.Blacklist {
	t.Helper()
	b, err := indirect.Read(strings.NewReader("# sotto blacklist, k = 2, n = 3\n"+strings.Join(append(grams, ""), "\n")), "list")
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// call returns a call of turns in which {braces} are labelled values.
func call(turns ...string) (c gold.Conversation) {
	for _, turn := range turns {
		var u gold.Utterance
		for i, part := range strings.Split(strings.ReplaceAll(turn, "}", "{"), "{") {
			if start := len([]rune(u.Text)); i%2 == 1 {
				u.Entities = append(u.Entities, gold.Span{Start: start, End: start + len([]rune(part)), Type: "PERSON_NAME"})
			}
			u.Text += part
		}
		c.Utterances = append(c.Utterances, u)
	}
	return c
}

func TestIdentifiers(t *testing.T) {
	c := call("hi {Zoë Bo}", "Zoé is bo, li’s [ZOE] {Li}")
	text, found := textOf(&c, blacklist(t, "zoe", "bo", "li", "li's", "zoe bo"))
	if text != "hi Zoë Bo\nZoé is bo, li’s [ZOE] Li" {
		t.Errorf("%q", text)
	}
	want := identifiers{{"zoe": {3, 6}, "bo": {7, 9}, "li": {32, 34}}, {"zoe": {10, 13}, "bo": {17, 19}, "li's": {21, 25}}}
	if fmt.Sprint(found) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", found, want)
	}
	beside := call("{x }bo{ x}")
	if _, found := textOf(&beside, blacklist(t, "bo")); fmt.Sprint(found) != fmt.Sprint(identifiers{{}, {"bo": {2, 4}}}) {
		t.Errorf("a word between labels is %v", found)
	}
}

func TestPredicted(t *testing.T) {
	tokens := []Token{{Start: 0, End: 2, Best: "bo", Same: true}, {Start: 3, End: 5, Best: "x"}, {Start: 6, End: 8, Best: "ĠZed", Same: true}, {Start: 8, End: 9, Same: true}}
	for _, c := range []struct {
		word string
		at   [2]int
		want bool
	}{
		{"bo", [2]int{0, 2}, true},
		{"boli", [2]int{0, 5}, false}, // not to its end
		{"li", [2]int{3, 5}, false},
		{"zed", [2]int{9, 12}, true},
		{"zed", [2]int{8, 12}, true},
		{"zedx", [2]int{6, 9}, true},     // of two tokens
		{"other", [2]int{20, 25}, false}, // the model has read no token there
		// What a call has said already tells nothing of what the model has learned.
		{"zed", [2]int{3, 5}, false},
	} {
		if got := predicted(tokens, c.word, c.at); got != c.want {
			t.Errorf("%s at %v: %t", c.word, c.at, got)
		}
	}
}

func TestAttackByLoss(t *testing.T) {
	for _, c := range []struct {
		members, others []float64
		area, atOne     float64
	}{
		{[]float64{1, 2}, []float64{3, 4}, 1, 1},
		{[]float64{1, 4}, []float64{2, 3}, 0.5, 0.5},
		{[]float64{1, 1}, []float64{1, 1}, 0.5, 0},
		{[]float64{3, 4}, []float64{1, 2}, 0, 0},
		{[]float64{1}, append(slices.Repeat([]float64{2}, 99), 0.5), 0.99, 1},
		{[]float64{1}, append(slices.Repeat([]float64{2}, 98), 0.5), 1 - 1./99, 0},
	} {
		var r Report
		r.addAttackByLoss(c.members, c.others)
		if r.Get("loss_attack_auc") != c.area || r.Get("loss_attack_true_positives_at_1_percent") != c.atOne {
			t.Errorf("%v, %v: %v", c.members, c.others, r.Rows())
		}
	}
}

// The area is how often a member has a lower loss than another call, and the curve never falls.
func TestAreaIsAProbability(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		losses := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) float64 { return float64(rapid.IntRange(0, 9).Draw(t, "loss")) }), 1, 20)
		members, others := losses.Draw(t, "members"), losses.Draw(t, "others")
		want := 0.0
		for _, m := range members {
			for _, o := range others {
				switch {
				case m < o:
					want++
				case m == o:
					want += 0.5
				}
			}
		}
		var r Report
		r.addAttackByLoss(members, others)
		if got := r.Get("loss_attack_auc").(float64); math.Abs(got-want/float64(len(members)*len(others))) > 1e-9 {
			t.Errorf("area %v", got)
		}
		for i := 1; i < len(r.curve); i++ {
			if r.curve[i][0] < r.curve[i-1][0] || r.curve[i][1] < r.curve[i-1][1] {
				t.Errorf("the curve falls at %v", r.curve[i])
			}
		}
		if last := r.curve[len(r.curve)-1]; last != [2]float64{1, 1} {
			t.Errorf("the curve ends at %v", last)
		}
	})
}

// limits are those of an audit without canaries, with any personal information.
func limits(privacy, f1, auc float64, names int) Limits {
	return Limits{MinPrivacy: privacy, MaxF1: f1, MaxAUC: auc, MaxNames: names, MaxPersonal: -1}
}

func TestReportOf(t *testing.T) {
	r := reportOf(&answers{identifiers: [2]int{4, 6}, predicted: [2]int{3, 0}, caught: 2, losses: []float64{1, 1, 1, 1}},
		&answers{identifiers: [2]int{9, 9}, predicted: [2]int{1, 1}, caught: 1, losses: []float64{2}})
	for name, want := range map[string]any{
		"identifiers": 10, "privacy": 0.7, "privacy_direct": 0.25, "privacy_indirect": 1.0,
		"low_cost_attack_precision": 2. / 3, "low_cost_attack_recall": 0.5, "low_cost_attack_f1": 4. / 7,
	} {
		if got := r.Get(name); got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	none := reportOf(&answers{losses: []float64{0}}, &answers{losses: []float64{0}})
	none.AddOutputs(nil, blacklist(t))
	if none.Get("low_cost_attack_precision") != nil || none.Get("low_cost_attack_f1") != 0.0 || none.Get("privacy") != 1.0 {
		t.Errorf("%v", none.Rows())
	}
	if f := none.Failures(limits(0.99, 0.1, 1, 0)); len(f) != 1 || !strings.Contains(f[0], "nothing was measured") {
		t.Errorf("%q", f)
	}
	r.AddOutputs(nil, blacklist(t))
	r.Add("new_names", 2)
	for _, c := range []struct {
		limits Limits
		want   int
	}{
		{limits(0.7, 0.6, 1, 2), 0}, {limits(0.71, 0.6, 1, 2), 1}, {limits(0.7, 0.5, 1, 2), 1}, {limits(1, 0, 1, 2), 2}, {limits(0.7, 0.6, 0, 2), 1}, {limits(0.7, 0.6, 1, 1), 1},
	} {
		if f := r.Failures(c.limits); len(f) != c.want {
			t.Errorf("%v: %q", c, f)
		}
	}
}

func TestOutputs(t *testing.T) {
	list := blacklist(t, "orla", "orlatown", "quimbolt", "zither", "quimbolt zither", "the quimbolt zither")
	in := `{"output": "the locker word is the Quimbolt  zither, [PERSON_NAME_1]"}` + "\n" + `{"prompt": "I am Orla [B_1]", "output": "hello orla of [B_1] Orlatown, zither"}`
	outputs, err := ReadOutputs(strings.NewReader(in), "out")
	if err != nil {
		t.Fatal(err)
	}
	var r Report
	r.AddOutputs(outputs, list)
	r.Add("personal_information", map[string]int{"PERSON_NAME": 2, "<AGE>": 1})
	if got, want := fmt.Sprint(r.Rows()), "[[outputs 2] [words of outputs 14] [tags of outputs 2] [tags of their prompts 1] [identifying 1 grams 3] "+
		"[identifying 2 grams 1] [identifying 3 grams 1] [personal information: <AGE> 1] [personal information: PERSON_NAME 2]]"; got != want {
		t.Errorf("got %s", got)
	}
	if f := r.Failures(limits(0.99, 0.1, 1, 0)); !slices.Equal(f, []string{"outputs have 3 identifying words"}) {
		t.Errorf("%q", f)
	}
	var page strings.Builder
	if err := r.WriteHTML(&page); err != nil || !strings.Contains(page.String(), "&lt;AGE&gt;") || strings.Contains(page.String(), "svg width") {
		t.Errorf("%v\n%s", err, page.String())
	}
	for _, bad := range []string{"", "secret", `{"prompt": "secret"}`, `["secret"]`, `{"output": 5, "prompt": "secret"}`} {
		if _, err := ReadOutputs(strings.NewReader(bad), "out"); err == nil || !strings.Contains(err.Error(), "out: output 1: ") || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

// invented returns calls with a name, which is labelled, and a code of their own, both after a word of their
// own, beside turns that many calls have. grams are the identifiers.
func invented(seed uint64, n int) (calls []gold.Conversation, grams []string) {
	draw := rand.New(rand.NewPCG(seed, 1))
	invent := func() (w string) {
		for range 4 {
			w += string("bdfgklmnprtvz"[draw.IntN(13)]) + string("aeiou"[draw.IntN(5)])
		}
		return w
	}
	common := strings.Fields("well thanks please the order is on its way and we will call you back soon about this")
	for range n {
		name, code := invent(), invent()
		grams = append(grams, name, code, name+" "+code, code+" "+name)
		turns := []string{"{" + name + "} " + code, "thanks " + code + " {" + name + "}"}
		if len(calls) > 0 { // nothing is before the identifiers of the first call
			turns[0] = "this is about ticket " + invent() + " " + turns[0]
		}
		for range 4 {
			at := draw.IntN(len(common) - 5)
			turns = append(turns, strings.Join(common[at:at+5], " "))
		}
		calls = append(calls, call(turns...))
	}
	return calls, grams
}

// Who reads every word of few calls three times has memorized them, who knows common words only has not.
func TestMemorizedAndNot(t *testing.T) {
	members, mine := invented(1, 30)
	others, theirs := invented(2, 30)
	others = append(others, call("...")) // which says nothing
	list := blacklist(t, append(mine, theirs...)...)
	for k, memorized := range map[int]bool{1: true, 2: false} {
		m := trained(t, members, k, 3)
		near, outputs, err := Run(t.Context(), m, members, others, list)
		if err != nil {
			t.Fatal(err)
		}
		far, _, err := Run(t.Context(), serve(t, m), members, others, list)
		if err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(near) != fmt.Sprint(far) {
			t.Errorf("k = %d: behind a server, the figures are others:\n%v\n%v", k, near.Rows(), far.Rows())
		}
		if len(outputs) != len(members) || near.Get("identifiers") != 2*len(members) {
			t.Errorf("%d outputs, %v identifiers", len(outputs), near.Get("identifiers"))
		}
		privacy, f1, repeated := near.Get("privacy").(float64), near.Get("low_cost_attack_f1").(float64), near.Get("identifying_1_grams").(int)
		if auc := near.Get("loss_attack_auc").(float64); memorized != (privacy < 0.7) || memorized != (f1 > 0.9) || memorized != (repeated > 0) || memorized && auc < 0.99 {
			t.Errorf("k = %d: %v", k, near.Rows())
		}
		if failures := near.Failures(limits(0.99, 0.1, 1, 0)); memorized != (len(failures) == 3) || !memorized && len(failures) > 0 {
			t.Errorf("k = %d: %q", k, failures)
		}
		var page strings.Builder
		if err := near.WriteHTML(&page); err != nil || !strings.Contains(page.String(), "<polyline points=\"0,0 ") {
			t.Errorf("%v\n%s", err, page.String())
		}
		for _, w := range append(mine, theirs...) {
			if strings.Contains(page.String(), w) {
				t.Error("the page has a word of a call")
			}
		}
	}
}
