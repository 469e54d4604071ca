package encoder

import (
	"bytes"
	"sync"
	"testing"
)

// The bits of a reading depend on the window and the turn alone: not on what the reader still has of the call, nor on a turn that
// was read and then did not come.
func TestReadingsDependOnTheWindowAlone(t *testing.T) {
	m := smallModel(t)
	r := m.NewReader()
	r.spare = 2
	var windows [5][]byte
	var turns [5][]Turn
	for c := range turns {
		turns[c] = turnsOf(m, uint64(c), 25)
	}
	for i := range 25 {
		for c := range turns {
			turn := &turns[c][i]
			var kept, undone, alone Reading
			next := r.Read(uint64(c), windows[c], turn, &kept)
			if i%3 == 0 {
				r.Read(uint64(c), windows[c], &turns[c][24-i], &undone)
				next = r.Read(uint64(c), windows[c], turn, &kept)
			}
			if again := m.NewReader().Read(9, windows[c], turn, &alone); !bytes.Equal(next, again) || !same(&kept, &alone) {
				t.Fatalf("turn %d of call %d differs from what a new reader says", i, c)
			}
			windows[c] = next
		}
	}
	if n := len(r.kept); n != 2 {
		t.Errorf("the reader keeps %d calls, want 2", n)
	}
}

// What no window can be is read as the beginning of a call.
func TestAWindowThatIsNone(t *testing.T) {
	m := smallModel(t)
	turn := turnsOf(m, 1, 1)[0]
	var want Reading
	next := m.NewReader().Read(1, nil, &turn, &want)
	for _, window := range [][]byte{{1}, {0xff, 0xff, 0}, {1, 0, 7}, {1, 0, 0xff}, make([]byte, 3*(m.Window()+1))} {
		var got Reading
		if got2 := m.NewReader().Read(1, window, &turn, &got); !bytes.Equal(got2, next) || !same(&got, &want) {
			t.Errorf("a window of %d bytes counts", len(window))
		}
	}
}

func TestReadersAreShared(t *testing.T) {
	m := smallModel(t)
	r := m.NewReader()
	r.spare = 1
	var wait sync.WaitGroup
	for c := range 8 {
		wait.Go(func() {
			var window []byte
			for _, turn := range turnsOf(m, uint64(c%4), 20) {
				var reading, alone Reading
				before := window
				window = r.Read(uint64(c%4), before, &turn, &reading)
				if m.NewReader().Read(0, before, &turn, &alone); !same(&reading, &alone) {
					t.Error("a reading differs where readers are shared")
					return
				}
			}
		})
	}
	wait.Wait()
}
