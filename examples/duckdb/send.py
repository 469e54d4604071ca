"""Write messages of a recognizer to the raw topic as they are, to try Sotto without a connector.

    python send.py localhost:9092 calls.raw messages.txt

A line is the ID of a call, a tab and a message, as console consumers print them.
"""

import sys

from confluent_kafka import Producer


def main():
    if len(sys.argv) != 4:
        sys.exit("usage: send.py BROKERS TOPIC FILE")
    brokers, topic, path = sys.argv[1:]
    failed = []
    producer = Producer({"bootstrap.servers": brokers, "enable.idempotence": True})
    with open(path, "rb") as lines:
        for line in lines:
            call, _, message = line.rstrip(b"\r\n").partition(b"\t")
            producer.produce(topic, key=call, value=message, on_delivery=lambda e, _: failed.append(e) if e else None)
            producer.poll(0)
    left = producer.flush(60)
    if failed or left:
        sys.exit(f"{len(failed) + left} messages were not written")


if __name__ == "__main__":
    main()
