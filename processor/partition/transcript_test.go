package partition

import (
	"bytes"
	"encoding/base64"
	"testing"
	"unicode/utf8"

	"sotto/state/sealing"
)

func TestChunkKeys(t *testing.T) {
	for _, id := range []string{"", "c", "c\x00d", "ÿ"} {
		got, n, ok := ParseChunkKey(string(chunkKey(id, 70_000)))
		if got != id || n != 70_000 || !ok {
			t.Errorf("%q comes back as %q, %d, %v", id, got, n, ok)
		}
		if _, _, ok := ParseChunkKey(id); ok {
			t.Errorf("the call ID %q was taken for a chunk", id)
		}
	}
	if string(chunkKey("c", 255)) >= string(chunkKey("c", 256)) {
		t.Error("the keys do not sort like their chunks")
	}
}

func testKeys(t *testing.T) *sealing.Keyring {
	t.Helper()
	keys, err := sealing.ParseKeyring([]byte("1 " + base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{1}, 32))))
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

func TestAChunkOpensOnlyForItsCallAndPosition(t *testing.T) {
	keys := testKeys(t)
	key := string(chunkKey("c", 1))
	sealed, err := sealChunk(keys, []byte(key), [][]byte{[]byte("{}")})
	if err != nil {
		t.Fatal(err)
	}
	if events, err := openChunk(keys, key, sealed); err != nil || len(events) != 1 {
		t.Errorf("%d events, %v", len(events), err)
	}
	for _, other := range []string{string(chunkKey("c", 2)), string(chunkKey("d", 1)), "c"} {
		if _, err := openChunk(keys, other, sealed); err == nil {
			t.Errorf("it opened as %q", other)
		}
	}
}

// During an upgrade, a former release may read a claim. It knows chunks only: those of a call
// without a state must open, and are forgotten.
func TestAFormerReleaseTakesAClaimForAChunk(t *testing.T) {
	keys := testKeys(t)
	key, value, err := Claim(keys, "some-group")
	if err != nil {
		t.Fatal(err)
	}
	id, n, ok := ParseChunkKey(string(key))
	if !ok || utf8.ValidString(id) {
		t.Errorf("the claim is that of a call: %v", ok)
	}
	if _, _, err := openTranscript(keys, id, map[uint32][]byte{n: value}); err != nil {
		t.Error(err)
	}
	if group, ok := ParseClaimKey(string(key)); !ok || group != "some-group" {
		t.Errorf("the claim is one of group %q", group)
	}
	if _, ok := ParseClaimKey(string(chunkKey("claim/x", 0))); ok {
		t.Error("a chunk is taken for a claim")
	}
}
