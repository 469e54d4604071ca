"""Load clean events from Kafka into DuckDB.

    python load.py localhost:9092 calls.final calls.db

It reads what the topic has now and ends; run it again for more. What it must do is what every reader of the clean
topics must do (docs/consumers.md): read committed records only, keep the latest event of each key, and use a call when
its END says that it is released. Offsets are kept in the database, in the transaction of the rows, so that a crash
loses and doubles nothing. It reads JSON (SOTTO_CODEC=json).
"""

import json
import sys

import duckdb
from confluent_kafka import Consumer, KafkaError, KafkaException, TopicPartition

SCHEMA = """
CREATE TABLE IF NOT EXISTS events (
    call_id VARCHAR, seq BIGINT, type VARCHAR, speaker VARCHAR, role VARCHAR, text VARCHAR,
    start_ms BIGINT, timestamp_ms BIGINT, policy VARCHAR,
    PRIMARY KEY (call_id, seq, type));
CREATE TABLE IF NOT EXISTS calls (
    call_id VARCHAR PRIMARY KEY, seq BIGINT, release BOOLEAN, reason VARCHAR, estimated_risk DOUBLE, utterances BIGINT, closed_by VARCHAR);
CREATE TABLE IF NOT EXISTS offsets (topic VARCHAR, part INTEGER, next BIGINT, PRIMARY KEY (topic, part));
-- The utterances of calls that may be used: their END has been read, says that they are released, and counts no more
-- utterances than there are.
CREATE VIEW IF NOT EXISTS utterances AS
    SELECT e.*, c.estimated_risk FROM events e JOIN calls c USING (call_id)
    WHERE e.type = 'UTTERANCE' AND c.release AND c.utterances <=
        (SELECT count(*) FROM events u WHERE u.call_id = e.call_id AND u.type = 'UTTERANCE')
    ORDER BY e.call_id, e.seq;
"""


def connect(path):
    db = duckdb.connect(path)
    db.execute(SCHEMA)
    return db


def store(db, topic, records):
    """Store records, each a partition, an offset and a value, and how far they go."""
    db.begin()
    try:
        for part, offset, value in records:
            if value is not None:
                keep(db, json.loads(value))
            db.execute("INSERT OR REPLACE INTO offsets VALUES (?, ?, ?)", [topic, part, offset + 1])
        db.commit()
    except BaseException:
        db.rollback()
        raise


def keep(db, e):
    """Keep an event. Of two with the same key, the later one counts."""
    speaker = e.get("speaker") or {}
    db.execute(
        "INSERT OR REPLACE INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [e["call_id"], e["seq"], e["type"], speaker.get("id"), speaker.get("role"), e.get("text"),
         e.get("start_ms"), e.get("timestamp_ms"), e.get("policy")])
    if e["type"] == "END":
        c = e["call"]
        db.execute(
            "INSERT OR REPLACE INTO calls VALUES (?, ?, ?, ?, ?, ?, ?)",
            [e["call_id"], e["seq"], c["release"], c.get("reason"), c.get("estimated_risk"), c["utterances"], c.get("closed_by")])


def load(brokers, topic, db):
    """Read all records of the topic that are committed by now, from where the database ends."""
    consumer = Consumer({
        "bootstrap.servers": brokers, "group.id": "sotto-duckdb", "isolation.level": "read_committed",
        "enable.auto.commit": False, "auto.offset.reset": "earliest", "enable.partition.eof": True})
    try:
        partitions = consumer.list_topics(topic, timeout=30).topics[topic].partitions
        known = dict(db.execute("SELECT part, next FROM offsets WHERE topic = ?", [topic]).fetchall())
        # 0 is the beginning; if retention has removed that, the reading begins with what is left.
        consumer.assign([TopicPartition(topic, p, known.get(p, 0)) for p in partitions])
        left = set(partitions)
        while left:
            batch = []
            for message in consumer.consume(1000, timeout=1):
                error = message.error()
                if error is None:
                    batch.append((message.partition(), message.offset(), message.value()))
                elif error.code() == KafkaError._PARTITION_EOF:
                    left.discard(message.partition())
                else:
                    raise KafkaException(error)
            if batch:
                store(db, topic, batch)
    finally:
        consumer.close()


def main():
    if len(sys.argv) != 4:
        sys.exit("usage: load.py BROKERS TOPIC DATABASE")
    brokers, topic, path = sys.argv[1:]
    db = connect(path)
    load(brokers, topic, db)
    calls, released = db.execute("SELECT count(*), count(*) FILTER (WHERE release) FROM calls").fetchone()
    rows = db.execute("SELECT count(*) FROM utterances").fetchone()[0]
    print(f"{calls} calls are over, {released} of them released, with {rows} utterances in all")


if __name__ == "__main__":
    main()
