package sealing

import (
	"bytes"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func key(b byte) string {
	return base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{b}, keySize))
}

func ring(t testing.TB, lines ...string) *Keyring {
	t.Helper()
	k, err := ParseKeyring([]byte(strings.Join(lines, "\n")))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func sealFor(t testing.TB, k *Keyring, call, body string) []byte {
	t.Helper()
	s, err := k.Sealer(call)
	if err != nil {
		t.Fatal(err)
	}
	return s.Seal(nil, []byte(body))
}

// Written by the first release.
const sealedOnce = "0100000007ffe1fdf67d07bd3698e1bc87cb3bb16dd9685776886ba76b63a6de6f8ec0c8de32f78acd406402d4bd"

func TestStatesOfTheFirstReleaseOpen(t *testing.T) {
	sealed, err := hex.DecodeString(sealedOnce)
	if err != nil {
		t.Fatal(err)
	}
	if body, err := ring(t, "7 "+key(1)).Open("call-1", sealed); err != nil || string(body) != "who said what" {
		t.Errorf("%q, %v", body, err)
	}
}

func TestSealedStateOpensOnlyAsItWasSealed(t *testing.T) {
	k := ring(t, "7 "+key(1))
	sealed := sealFor(t, k, "call-1", "who said what")
	if bytes.Contains(sealed, []byte("who")) {
		t.Fatal("the sealed form shows the body")
	}
	if body, err := k.Open("call-1", sealed); err != nil || string(body) != "who said what" {
		t.Fatalf("Open: %q, %v", body, err)
	}
	if again := sealFor(t, k, "call-1", "who said what"); bytes.Equal(again, sealed) {
		t.Error("two seals of one body are equal: the nonce is used twice")
	}

	change := func(at int) []byte {
		d := bytes.Clone(sealed)
		d[at] ^= 1
		return d
	}
	later := bytes.Clone(sealed)
	later[0] = formatVersion + 1
	for name, c := range map[string]struct {
		ring *Keyring
		call string
		data []byte
		want error
	}{
		"another call's record":     {k, "call-2", sealed, ErrNotAuthentic},
		"a changed body":            {k, "call-1", change(len(sealed) - 20), ErrNotAuthentic},
		"a changed nonce":           {k, "call-1", change(8), ErrNotAuthentic},
		"a truncated record":        {k, "call-1", sealed[:len(sealed)-1], ErrNotAuthentic},
		"a very short record":       {k, "call-1", sealed[:4], ErrNotAuthentic},
		"an empty record":           {k, "call-1", nil, ErrNotAuthentic},
		"a later format":            {k, "call-1", later, ErrFormat},
		"a format that never was":   {k, "call-1", change(0), ErrFormat},
		"a key version not in file": {k, "call-1", change(4), ErrUnknownKey},
		"a wrong key, same version": {ring(t, "7 "+key(2)), "call-1", sealed, ErrNotAuthentic},
	} {
		t.Run(name, func(t *testing.T) {
			body, err := c.ring.Open(c.call, c.data)
			if !errors.Is(err, c.want) || body != nil {
				t.Errorf("got %q and %v, want %v", body, err, c.want)
			}
		})
	}
}

// The format of a sealed record is a contract between releases: this one was
// written by the first, with the nonce 0, 1, ... 11.
func TestSealedFormatOne(t *testing.T) {
	first, err := base64.StdEncoding.DecodeString("AQAAAAcAAQIDBAUGBwgJCgu3KlknY3wi9KIHsJiNLJJpfew0O7KKh8dLJmMaZS/TrXvoKIJZGDFEFduP")
	if err != nil {
		t.Fatal(err)
	}
	body, err := ring(t, "7 "+key(1)).Open("call-1", first)
	if err != nil || string(body) != "a body of the first release" {
		t.Fatalf("a record of the first release no longer opens: %q, %v", body, err)
	}
}

// Keys are derived as crypto/hkdf derives them, whatever was derived before.
func TestKeysAreThoseOfHKDF(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		secret := rapid.SliceOfN(rapid.Byte(), keySize, keySize).Draw(t, "secret")
		d, err := newDeploymentKey(1, secret)
		if err != nil {
			t.Fatal(err)
		}
		e := d.expander()
		for _, info := range rapid.SliceOf(rapid.String()).Draw(t, "purposes") {
			want, err := hkdf.Key(sha256.New, secret, nil, info, keySize)
			if err != nil {
				t.Fatal(err)
			}
			if got := e.key(nil, info); !bytes.Equal(got, want) {
				t.Fatalf("the key for %q differs", info)
			}
		}
	})
}

// A release that knows no staged events would drop them from the state, so it must not be able to
// read such a state. It can still read all others.
func TestOnlyAStateWithStagedEventsHasTheNewVersion(t *testing.T) {
	k := ring(t, "7 "+key(1))
	s, err := k.Sealer("c")
	if err != nil {
		t.Fatal(err)
	}
	plain, staged := s.Seal(nil, []byte("body")), s.SealStaged(nil, []byte("body"))
	if plain[0] != 1 || staged[0] != 2 {
		t.Errorf("versions %d and %d", plain[0], staged[0])
	}
	for _, sealed := range [][]byte{plain, staged} {
		if body, err := k.Open("c", sealed); err != nil || string(body) != "body" {
			t.Errorf("version %d does not open: %v", sealed[0], err)
		}
		sealed[0] = 3 - sealed[0]
		if _, err := k.Open("c", sealed); !errors.Is(err, ErrNotAuthentic) {
			t.Errorf("a record opens as one of another version: %v", err)
		}
	}
}

func TestReplacementKeyIsItsOwn(t *testing.T) {
	a, err := ParseKeyring([]byte("BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc="))
	if err != nil {
		t.Fatal(err)
	}
	b, err := ParseKeyring([]byte("CAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAg="))
	if err != nil {
		t.Fatal(err)
	}
	ka, kb, again := a.ReplacementKey(), b.ReplacementKey(), a.ReplacementKey()
	if len(ka) != 32 || bytes.Equal(ka, kb) || !bytes.Equal(ka, again) || bytes.Equal(ka, a.keys[0].drawKey) || bytes.Equal(ka, a.keys[0].secret) {
		t.Error("the replacement key is not one for each deployment key")
	}
}

// An opener keeps nothing of a state that changes how the next one opens.
func TestAnOpenerOpensManyStates(t *testing.T) {
	both := ring(t, "2 "+key(2), "1 "+key(1))
	o := both.Opener()
	var body []byte
	for i, k := range []*Keyring{ring(t, "1 "+key(1)), both, ring(t, "1 "+key(1)), ring(t, "3 "+key(3)), both} {
		id, want := fmt.Sprint("call-", i), strings.Repeat("x", 40-9*i)
		sealed := sealFor(t, k, id, want)
		got, err := o.Open(body[:0], id, sealed)
		if k.keys[0].version == 3 {
			if !errors.Is(err, ErrUnknownKey) {
				t.Errorf("state %d: %v", i, err)
			}
			continue
		}
		if err != nil || string(got) != want {
			t.Errorf("state %d: %q, %v", i, got, err)
		}
		if _, err := o.Open(nil, id+"0", sealed); !errors.Is(err, ErrNotAuthentic) {
			t.Errorf("state %d of another call: %v", i, err)
		}
		body = got
	}
}

func TestKeyRotationKeepsOpenCalls(t *testing.T) {
	old := ring(t, "1 "+key(1))
	sealed := sealFor(t, old, "c", "memory")
	both := ring(t, "2 "+key(2), "1 "+key(1))
	if body, err := both.Open("c", sealed); err != nil || string(body) != "memory" {
		t.Fatalf("after the new key was added: %q, %v", body, err)
	}
	resealed := sealFor(t, both, "c", "memory")
	only := ring(t, "2 "+key(2))
	if _, err := only.Open("c", resealed); err != nil {
		t.Errorf("a state sealed after the rotation needs the old key: %v", err)
	}
	if _, err := only.Open("c", sealed); !errors.Is(err, ErrUnknownKey) {
		t.Errorf("got %v, want ErrUnknownKey", err)
	}
	if ids := both.HashCallIDs("c"); ids[1] != old.HashCallIDs("c")[0] || ids[0] == ids[1] {
		t.Errorf("an open call is not found under its old hash: %v", ids)
	}
}

func TestKeyringErrorsNameTheLineAndHideTheKey(t *testing.T) {
	good := key(3)
	for name, c := range map[string]struct{ file, want string }{
		"empty":           {"\n# nothing\n", "contains no key"},
		"short key":       {"1 " + base64.StdEncoding.EncodeToString([]byte("sixteen bytes...")), "line 1: the key must be 32 bytes"},
		"not base64":      {"1 " + good + "\n2 ???", "line 2: the key must be 32 bytes"},
		"version 0":       {"0 " + good, "line 1: the version"},
		"version no word": {"x " + good, "line 1: the version"},
		"same version":    {"1 " + good + "\n1 " + key(4), "line 2: version 1 occurs twice"},
		"three words":     {"1 2 " + good, "line 1: want"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ParseKeyring([]byte(c.file))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("got %v, want %q", err, c.want)
			}
			if strings.Contains(err.Error(), good) {
				t.Error("the error shows a key")
			}
		})
	}
	if k := ring(t, good); k.Versions()[0] != 1 {
		t.Error("one bare key is not version 1")
	}
}

func TestDrawIsUniformAndKeyed(t *testing.T) {
	k := ring(t, "1 "+key(1))
	const n = 20000
	var under [10]int
	for i := range n {
		d := k.Draw("audit", fmt.Sprintf("call-%d", i))
		if d < 0 || d >= 1 {
			t.Fatalf("drew %v", d)
		}
		under[int(d*10)]++
	}
	for i, c := range under {
		// The standard deviation of a tenth is 42.
		if c < n/10-250 || c > n/10+250 {
			t.Errorf("tenth %d has %d of %d draws", i, c, n)
		}
	}
	if k.Draw("audit", "c") != k.Draw("audit", "c") {
		t.Error("the same draw differs")
	}
	if k.Draw("audit", "c") == k.Draw("other", "c") || k.Draw("audit", "c") == ring(t, "1 "+key(2)).Draw("audit", "c") {
		t.Error("purpose or key does not matter")
	}
}

func FuzzOpen(f *testing.F) {
	k := ring(f, "1 "+key(1))
	f.Add("c", sealFor(f, k, "c", "body"))
	f.Add("", []byte{1, 0, 0, 0, 1})
	f.Fuzz(func(t *testing.T, call string, data []byte) {
		body, err := k.Open(call, data)
		if err == nil && !bytes.Equal(sealFor(t, k, call, string(body))[:headerSize], data[:headerSize]) {
			t.Error("opened a state that this key did not seal")
		}
	})
}

func BenchmarkSeal(b *testing.B) {
	k := ring(b, "1 "+key(1))
	s, err := k.Sealer("call-1")
	if err != nil {
		b.Fatal(err)
	}
	body := bytes.Repeat([]byte("x"), 600)
	b.ReportAllocs()
	for b.Loop() {
		s.Seal(nil, body)
	}
}
