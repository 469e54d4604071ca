package detectors

import (
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"testing"

	"sotto/detectors/ids"
)

// An edit of anything in a row that decides changes the digest, one of the description and the examples
// does not.
func TestCatalogDigestHasAllThatDecides(t *testing.T) {
	about := map[string]bool{"About": true, "Written": true, "Spoken": true, "Not": true}
	i := slices.IndexFunc(rows, func(r Row) bool { return r.Type == PhoneNumber })
	before := digestRows(rows)
	edit := func(name string, changes bool, change func(*Row)) {
		edited := slices.Clone(rows)
		edited[i].Forms = slices.Clone(edited[i].Forms)
		change(&edited[i])
		if got := digestRows(edited) != before; got != changes {
			t.Errorf("%s: the digest changes: %v", name, got)
		}
	}
	for f := range reflect.TypeFor[Row]().Fields() {
		if !f.IsExported() {
			continue
		}
		edit(f.Name, !about[f.Name], func(r *Row) { changeValue(t, reflect.ValueOf(r).Elem().FieldByIndex(f.Index)) })
	}
	for f := range reflect.TypeFor[Form]().Fields() {
		edit("Form."+f.Name, true, func(r *Row) { changeValue(t, reflect.ValueOf(&r.Forms[0]).Elem().FieldByIndex(f.Index)) })
	}
}

// changeValue makes another value of a field.
func changeValue(t *testing.T, v reflect.Value) {
	t.Helper()
	switch v.Kind() {
	case reflect.String:
		v.SetString(v.String() + "x")
	case reflect.Bool:
		v.SetBool(!v.Bool())
	case reflect.Int:
		v.SetInt(v.Int() + 1)
	case reflect.Uint8:
		v.SetUint(v.Uint() ^ 1)
	case reflect.Float32:
		v.SetFloat(v.Float() / 2)
	case reflect.Slice:
		v.Set(reflect.Append(v, reflect.Zero(v.Type().Elem())))
	case reflect.Func:
		for _, other := range []any{ids.VIN, ids.VINCanonical, ids.ValidSSN} {
			if reflect.TypeOf(other) == v.Type() {
				v.Set(reflect.ValueOf(other))
				return
			}
		}
		t.Fatalf("no other function of type %s", v.Type())
	default:
		t.Fatalf("no other value of type %s", v.Type())
	}
}

// A function without a name of its own has one that depends on the compiler.
func TestFunctionsOfTheCatalogHaveNames(t *testing.T) {
	named := regexp.MustCompile(`/ids\.[A-Z]\w*$`)
	check := func(infoType InfoType, f any) {
		if v := reflect.ValueOf(f); !v.IsNil() && !named.MatchString(runtime.FuncForPC(v.Pointer()).Name()) {
			t.Errorf("%s has a function that is none of package ids", infoType)
		}
	}
	for _, r := range rows {
		check(r.Type, r.Match)
		check(r.Type, r.Canonical)
		for _, f := range r.Forms {
			check(r.Type, f.Holds)
		}
	}
}
