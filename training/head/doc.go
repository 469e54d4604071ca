// Package head trains the last layer of the encoder on labelled calls: a customer's own manner of talk and of
// labelling, in minutes, without Python. The layers below, which know the language, stay as they are.
package head
