"""Print the utterances of the released calls of a topic of clean events, as JSON lines, each with the estimated risk of its call.

    python read_calls.py localhost:9092 calls.final --registry http://localhost:8081
    python read_calls.py localhost:9092 calls.final --schema schemas/CleanEvent.avsc

It reads what the topic has now, in Avro, with the Schema Registry or with the schema of this repository, and ends. What it does is
what every reader must do (docs/consumers.md): read committed records only, keep the latest event of each key, and use a call when
its END says that it is released and everything that it counts is there. A reader that goes on also waits SOTTO_CALL_GRACE after an
END, for events that come late; this one takes what is there. Headers say what a record is, so that calls which are not released are
not decoded.
"""

import argparse
import io
import json
import sys

import fastavro
from confluent_kafka import Consumer, KafkaError, KafkaException, TopicPartition
from confluent_kafka.schema_registry import SchemaRegistryClient
from confluent_kafka.schema_registry.avro import AvroDeserializer
from confluent_kafka.serialization import MessageField, SerializationContext


def with_registry(url, topic):
    """Return a decoder of records that begin with the ID of a schema (SOTTO_SCHEMA_REGISTRY_URL is set)."""
    decode = AvroDeserializer(SchemaRegistryClient({"url": url}))
    return lambda value: decode(value, SerializationContext(topic, MessageField.VALUE))


def with_schema(path):
    """Return a decoder of records that begin with the fingerprint of their schema (SOTTO_SCHEMA_REGISTRY_URL is not set)."""
    schema = fastavro.schema.load_schema(path)
    canonical = fastavro.schema.to_parsing_canonical_form(schema)
    begin = b"\xc3\x01" + bytes.fromhex(fastavro.schema.fingerprint(canonical, "CRC-64-AVRO"))

    def decode(value):
        if not value.startswith(begin):
            raise ValueError("a record was written with another schema: take that of the version of Sotto which wrote it")
        return fastavro.schemaless_reader(io.BytesIO(value[len(begin):]), schema, None)

    return decode


def committed(brokers, topic):
    """Yield all records of the topic that are committed by now."""
    consumer = Consumer({
        "bootstrap.servers": brokers, "group.id": "sotto-read-calls", "isolation.level": "read_committed",
        "enable.auto.commit": False, "enable.partition.eof": True})
    try:
        left = set(consumer.list_topics(topic, timeout=30).topics[topic].partitions)
        consumer.assign([TopicPartition(topic, p, 0) for p in left])
        while left:
            for message in consumer.consume(1000, timeout=1):
                error = message.error()
                if error is None:
                    if message.value() is not None:
                        yield message
                elif error.code() == KafkaError._PARTITION_EOF:
                    left.discard(message.partition())
                else:
                    raise KafkaException(error)
    finally:
        consumer.close()


def header(message, name):
    """Return the value of a header; None if the record does not have it."""
    for key, value in message.headers() or []:
        if key == name:
            return value.decode()
    return None


def rows(messages, decode):
    """Yield the utterances of released calls, in the order of the call. The key of a record is its call."""
    utterances, ends = {}, {}
    for message in messages:
        # A record of a former version has no headers.
        kind = header(message, "sotto-type") or decode(message.value())["type"]
        if kind == "UTTERANCE":
            utterances.setdefault(message.key(), []).append(message.value())
        elif kind == "END":
            ends[message.key()] = message
    for key, message in ends.items():
        if header(message, "sotto-release") == "false":
            continue
        end = decode(message.value())["call"]
        said = {}
        for e in map(decode, utterances.get(key, [])):  # of two with one key, the later one counts
            said[e["seq"]] = e
        if end["release"] and len(said) >= end["utterances"]:
            for _, e in sorted(said.items()):
                yield {"call_id": e["call_id"], "seq": e["seq"], "role": (e["speaker"] or {}).get("role"), "text": e["text"],
                       "start_ms": e["start_ms"], "policy": e["policy"], "estimated_risk": end["estimated_risk"]}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("brokers")
    parser.add_argument("topic")
    how = parser.add_mutually_exclusive_group(required=True)
    how.add_argument("--registry", help="URL of the Schema Registry")
    how.add_argument("--schema", help="CleanEvent.avsc, for a topic that was written without a registry")
    args = parser.parse_args()
    decode = with_registry(args.registry, args.topic) if args.registry else with_schema(args.schema)
    for row in rows(committed(args.brokers, args.topic), decode):
        json.dump(row, sys.stdout)
        print()


if __name__ == "__main__":
    main()
