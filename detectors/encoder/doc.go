// Package encoder labels the words of calls with a small pretrained encoder: six layers that read word
// pieces, the shape of each word and the speaker, and say for each word how probable every label is.
//
//	model, err := encoder.Load(file)   // checks the file; a Model is read-only and may be shared
//	reader := model.NewReader()        // keeps what it has computed of the calls that it read last; may be shared
//
//	model.Split(&turn, text, speaker)                     // words with byte offsets, and their pieces
//	window = reader.Read(call, window, &turn, &reading)   // reading.Word(i): probabilities of model.Labels() for turn.Words[i]
//	p := reading.Role(i)                                  // which part in the talk a name has that begins with turn.Words[i]
//	err = reader.ReadFull(ctx, turns, readings)           // the reading of a finished call
//
// # Windows
//
// The encoder sees at most Model.Window pieces at once. A turn is the piece [SEP] and the pieces of its
// words. A window holds turns as long as they fit. When a turn does not fit, a new window begins with the
// last third of the pieces of the old one as context, and with nothing if the turn would not fit even so.
// A turn longer than a window is cut: whole windows of it stand alone, and what is left begins a window.
// So the windows depend on the lengths of the turns of a call and on nothing else, and both ways to read
// have the same.
//
// While a call goes on, a piece sees its own turn and earlier ones in the window. What the encoder has
// computed of a turn stays true, therefore, when later turns come: a Reader keeps the keys and values of
// the window of a call, and computes each turn once. Its memory is bounded; a further call takes
// that of the one that was read longest ago, whose window is computed again when its next turn is read,
// with the same bits. The reading of a finished call sees the whole window.
//
// # Arithmetic
//
// The results have the same bits on every processor, so that a replay anywhere gives the same output.
// See package kernel.
package encoder
