// Package protobuf reads records that are written with somebody else's Protobuf schema, by the text of the schema.
package protobuf

import (
	"context"
	"errors"
	"maps"

	"github.com/bufbuild/protocompile"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"

	"sotto/schemas"
)

const (
	// maxText bounds the bytes of a schema with all that it imports.
	maxText = 1 << 20
	// maxIndexes bounds how deeply the message of a record may be nested in the file of its schema.
	maxIndexes = 32
)

var (
	errTooLong    = errors.New("the schema and what it imports are longer than a megabyte")
	errNoMessages = errors.New("the schema has no message")
)

// ambient are files that the serializers of Confluent and its connectors import without naming them as references. Only what a
// schema may use of them matters.
var ambient = map[string]string{
	"confluent/meta.proto": `syntax = "proto3"; package confluent; import "google/protobuf/descriptor.proto";
message Meta { string doc = 1; map<string, string> params = 2; repeated string tags = 3; }
extend google.protobuf.FileOptions { Meta file_meta = 1088; }
extend google.protobuf.MessageOptions { Meta message_meta = 1088; }
extend google.protobuf.FieldOptions { Meta field_meta = 1088; }
extend google.protobuf.EnumOptions { Meta enum_meta = 1088; }
extend google.protobuf.EnumValueOptions { Meta enum_value_meta = 1088; }`,
	"confluent/type/decimal.proto": `syntax = "proto3"; package confluent.type; message Decimal { bytes value = 1; uint32 precision = 2; int32 scale = 3; }`,
	"google/type/date.proto":       `syntax = "proto3"; package google.type; message Date { int32 year = 1; int32 month = 2; int32 day = 3; }`,
	"google/type/timeofday.proto":  `syntax = "proto3"; package google.type; message TimeOfDay { int32 hours = 1; int32 minutes = 2; int32 seconds = 3; int32 nanos = 4; }`,
}

// Parse reads a schema, the text of a file. imports are the texts of the files that it may import, by the paths that it imports them
// by; those of google.protobuf need not be among them. The errors may quote the schema, which is no personal information.
func Parse(text string, imports map[string]string) (*schemas.Schema, error) {
	sources := maps.Clone(ambient)
	size := len(text)
	for path, imported := range imports {
		sources[path], size = imported, size+len(imported)
	}
	if size > maxText {
		return nil, errTooLong
	}
	name := "record"
	for sources[name] != "" {
		name += "_"
	}
	sources[name] = text
	compiler := protocompile.Compiler{
		Resolver:       protocompile.WithStandardImports(&protocompile.SourceResolver{Accessor: protocompile.SourceAccessorFromMap(sources)}),
		MaxParallelism: 1,
	}
	files, err := compiler.Compile(context.Background(), name)
	if err != nil {
		return nil, err
	}
	messages := files[0].Messages()
	if messages.Len() == 0 {
		return nil, errNoMessages
	}
	return schemas.Foreign(func(body []byte) (any, error) { return tree(messages, body) }), nil
}

// tree returns the value that a body has, which begins with the place of its message in the file.
func tree(messages protoreflect.MessageDescriptors, body []byte) (any, error) {
	message, body, err := messageOf(messages, body)
	if err != nil {
		return nil, err
	}
	r := reader{values: 1024 + 4*len(body), objects: 4096 + len(body)/8}
	return r.message(nil, message, body, 0)
}

// messageOf returns which message of the file a body is: as Confluent writes it, by the number of indexes and the index of
// each message within the one around it. A single zero is the first message.
func messageOf(messages protoreflect.MessageDescriptors, body []byte) (protoreflect.MessageDescriptor, []byte, error) {
	next := func() (int64, bool) {
		v, n := protowire.ConsumeVarint(body)
		if n < 0 {
			return 0, false
		}
		body = body[n:]
		return protowire.DecodeZigZag(v), true
	}
	count, ok := next()
	if !ok || count < 0 || count > maxIndexes {
		return nil, nil, errInvalid
	}
	if count == 0 {
		return messages.Get(0), body, nil
	}
	var message protoreflect.MessageDescriptor
	for range count {
		i, ok := next()
		if !ok || i < 0 || i >= int64(messages.Len()) {
			return nil, nil, errInvalid
		}
		message = messages.Get(int(i))
		messages = message.Messages()
	}
	return message, body, nil
}
