import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;

/**
 * Prints the utterances of the released calls of a topic of clean events, as JSON lines, each with the estimated risk of its
 * call. It reads what the topic has now, as JSON (SOTTO_CODEC=json), and ends.
 *
 * <p>What it does is what every reader must do (docs/consumers.md): read committed records only, keep the latest event of each
 * key, and use a call when its END says that it is released and everything that it counts is there. A reader that goes on also
 * waits SOTTO_CALL_GRACE after an END, for events that come late; this one takes what is there. Headers say what a record is,
 * so that calls which are not released are not decoded.
 */
public final class ReadCalls {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** The records of a call: its utterances, and its END, the latest if it has several. */
  private static final class Call {
    final List<byte[]> utterances = new ArrayList<>();
    ConsumerRecord<String, byte[]> end;
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
            keep(calls, record);
          }
        }
      }
    }
    for (Call call : calls.values()) {
      if (call.end != null && !"false".equals(header(call.end, "sotto-release"))) {
        print(call);
      }
    }
  }

  private static void keep(Map<String, Call> calls, ConsumerRecord<String, byte[]> record) throws IOException {
    String type = header(record, "sotto-type");
    if (type == null) { // a former version wrote it
      type = JSON.readTree(record.value()).path("type").asText();
    }
    Call call = calls.computeIfAbsent(record.key(), id -> new Call());
    switch (type) {
      case "UTTERANCE" -> call.utterances.add(record.value());
      case "END" -> call.end = record;
      default -> {}
    }
  }

  private static String header(ConsumerRecord<String, byte[]> record, String name) {
    Header header = record.headers().lastHeader(name);
    return header == null ? null : new String(header.value(), StandardCharsets.UTF_8);
  }

  /** Prints a call if it is released and complete. Of two utterances with one number, the later one counts. */
  private static void print(Call call) throws IOException {
    Map<Long, JsonNode> said = new TreeMap<>();
    for (byte[] value : call.utterances) {
      JsonNode utterance = JSON.readTree(value);
      said.put(utterance.path("seq").asLong(), utterance);
    }
    JsonNode summary = JSON.readTree(call.end.value()).path("call");
    if (!summary.path("release").asBoolean(false) || said.size() < summary.path("utterances").asLong()) {
      return;
    }
    for (JsonNode utterance : said.values()) {
      ObjectNode row = utterance.deepCopy();
      row.set("estimated_risk", summary.path("estimated_risk"));
      System.out.println(JSON.writeValueAsString(row));
    }
  }

  private ReadCalls() {}
}
