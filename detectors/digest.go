package detectors

import (
	"crypto/sha256"
	"fmt"
	"reflect"
	"runtime"
)

// CatalogDigest is a hash of all in the catalog that decides an outcome, for the policy hash.
func CatalogDigest() [sha256.Size]byte { return digestRows(rows) }

// digestRows leaves out the description and the examples. Functions are code: a row is identified by the
// names of its functions, and a change of one needs another anonymize.RuleVersion.
func digestRows(rows []Row) [sha256.Size]byte {
	h := sha256.New()
	for _, r := range rows {
		r.About, r.Written, r.Spoken, r.Not = "", nil, nil, nil
		h.Write(appendValue(nil, reflect.ValueOf(r)))
	}
	return [sha256.Size]byte(h.Sum(nil))
}

// appendValue appends an unambiguous form of a value: that of a structure or a list is the forms of its
// parts, in their order.
func appendValue(dst []byte, v reflect.Value) []byte {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			dst = appendValue(fmt.Appendf(dst, "%s ", v.Type().Field(i).Name), v.Field(i))
		}
		return append(dst, '\n')
	case reflect.Slice:
		dst = fmt.Appendf(dst, "%d:", v.Len())
		for i := range v.Len() {
			dst = appendValue(dst, v.Index(i))
		}
		return append(dst, '\n')
	case reflect.Func:
		if v.IsNil() {
			return append(dst, "none\n"...)
		}
		return fmt.Appendf(dst, "%s\n", runtime.FuncForPC(v.Pointer()).Name())
	case reflect.String:
		return fmt.Appendf(dst, "%q\n", v.String())
	}
	return fmt.Appendf(dst, "%v\n", v)
}
