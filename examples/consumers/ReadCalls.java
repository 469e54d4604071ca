import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;

/**
 * Prints the utterances of the released calls of a topic of clean events, as JSON lines, each with the estimated risk of its
 * call. It reads what the topic has now, as JSON (SOTTO_CODEC=json), and ends.
 *
 * <p>What it does is what every reader must do (docs/consumers.md): read committed records only, keep the latest event of each
 * key, and use a call when its END says that it is released and everything that it counts is there. A reader that goes on also
 * waits SOTTO_CALL_GRACE after an END, for events that come late; this one takes what is there.
 */
public final class ReadCalls {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** A call: its utterances by their numbers, so that the later one of two with one number counts, and its END. */
  private static final class Call {
    final Map<Long, JsonNode> utterances = new TreeMap<>();
    JsonNode summary;

    boolean released() {
      return summary != null
          && summary.path("release").asBoolean(false)
          && utterances.size() >= summary.path("utterances").asLong();
    }
  }

  public static void main(String[] args) throws Exception {
    if (args.length != 2) {
      System.err.println("usage: ReadCalls BROKER,... TOPIC");
      System.exit(2);
    }
    Properties settings = new Properties();
    settings.put("bootstrap.servers", args[0]);
    settings.put("isolation.level", "read_committed"); // the default of the client is another one
    settings.put("enable.auto.commit", "false");
    Map<String, Call> calls = new TreeMap<>();
    try (KafkaConsumer<String, byte[]> consumer =
        new KafkaConsumer<>(settings, new StringDeserializer(), new ByteArrayDeserializer())) {
      List<TopicPartition> partitions =
          consumer.partitionsFor(args[1]).stream().map(p -> new TopicPartition(p.topic(), p.partition())).toList();
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      // With read_committed, the end is where the first open transaction begins.
      Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
      while (partitions.stream().anyMatch(p -> consumer.position(p) < ends.get(p))) {
        for (var record : consumer.poll(Duration.ofSeconds(1))) {
          if (record.value() != null) {
            keep(calls, JSON.readTree(record.value()));
          }
        }
      }
    }
    for (Call call : calls.values()) {
      if (call.released()) {
        for (JsonNode utterance : call.utterances.values()) {
          ObjectNode row = utterance.deepCopy();
          row.set("estimated_risk", call.summary.path("estimated_risk"));
          System.out.println(JSON.writeValueAsString(row));
        }
      }
    }
  }

  private static void keep(Map<String, Call> calls, JsonNode event) {
    Call call = calls.computeIfAbsent(event.path("call_id").asText(), id -> new Call());
    switch (event.path("type").asText()) {
      case "UTTERANCE" -> call.utterances.put(event.path("seq").asLong(), event);
      case "END" -> call.summary = event.path("call");
      default -> {}
    }
  }

  private ReadCalls() {}
}
