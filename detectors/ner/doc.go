// Package ner is the statistical tier: it finds names of people,
// organizations, places and products that no cue introduces and no list holds,
// in cased and in lower-case text.
//
// The model is a linear-chain conditional random field with hashed features of
// the words around, their entries in the lexicon, and what was asked for. docs/model.md says what it was trained on and how well it does;
// 'sotto train' makes another.
package ner
