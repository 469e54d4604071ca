package ruledata

import (
	"fmt"
	"strings"
	"testing"
)

func TestDigestHasEveryByteAndEveryPath(t *testing.T) {
	content := func() map[string][]byte {
		return map[string][]byte{"a/words.txt": []byte("ann bob"), "b/words.txt": []byte("x"), "b/model.bin": {0, 1, 2}}
	}
	of := func(files map[string][]byte) Hash {
		r := registry{}
		for file, data := range files {
			r.add(file, data)
		}
		return digest(r.hashes())
	}
	before := of(content())
	if of(content()) != before {
		t.Fatal("the digest depends on the order in which the files are recorded")
	}
	for file, data := range content() {
		for i := range data {
			edited := content()
			edited[file][i] ^= 1
			if of(edited) == before {
				t.Errorf("%s: the digest does not depend on byte %d", file, i)
			}
		}
		without, renamed := content(), content()
		delete(without, file)
		delete(renamed, file)
		renamed["c/words.txt"] = data
		if of(without) == before || of(renamed) == before {
			t.Errorf("%s: the digest does not depend on the file or on its path", file)
		}
	}
}

func TestAFileIsRecordedOnce(t *testing.T) {
	r := registry{}
	r.add("words.txt", []byte("a"))
	defer func() {
		if got := fmt.Sprint(recover()); !strings.Contains(got, "words.txt is recorded twice") {
			t.Errorf("panic %q", got)
		}
	}()
	r.add("words.txt", []byte("b"))
}
