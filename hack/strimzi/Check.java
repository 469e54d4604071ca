import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.strimzi.api.kafka.model.common.UnknownPropertyPreserving;
import io.strimzi.api.kafka.model.topic.KafkaTopic;
import io.strimzi.api.kafka.model.user.KafkaUser;
import java.io.File;
import java.lang.reflect.Method;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/** Reads the resources of Strimzi in files of YAML with the classes of its operator, and fails if they do not know a field. */
public final class Check {
  private record Kind(Class<?> type, List<String> versions) {}

  private static final Map<String, Kind> KINDS =
      Map.of("KafkaTopic", new Kind(KafkaTopic.class, KafkaTopic.VERSIONS), "KafkaUser", new Kind(KafkaUser.class, KafkaUser.VERSIONS));

  private static int problems;

  public static void main(String[] args) throws Exception {
    ObjectMapper yaml = new ObjectMapper(new YAMLFactory());
    int checked = 0;
    for (String file : args) {
      try (MappingIterator<JsonNode> documents = yaml.readerFor(JsonNode.class).readValues(new File(file))) {
        while (documents.hasNext()) {
          JsonNode resource = documents.next();
          String[] api = resource.path("apiVersion").asText().split("/");
          if (!api[0].equals("kafka.strimzi.io")) {
            continue;
          }
          checked++;
          String name = file + ": " + resource.path("kind").asText() + " " + resource.path("metadata").path("name").asText();
          Kind kind = KINDS.get(resource.path("kind").asText());
          if (kind == null || !kind.versions.contains(api[1])) {
            fail(name + ": the operator has no such resource in this version");
            continue;
          }
          try {
            known(name, yaml.treeToValue(resource, kind.type));
          } catch (JsonProcessingException e) {
            fail(name + ": " + e.getOriginalMessage());
          }
        }
      }
    }
    System.out.println(checked + " resources of Strimzi, " + problems + " problems");
    System.exit(problems == 0 && checked > 0 ? 0 : 1);
  }

  private static void known(String name, Object value) throws Exception {
    if (value instanceof Collection<?> all) {
      for (Object one : all) {
        known(name, one);
      }
    } else if (value instanceof UnknownPropertyPreserving object) {
      if (!object.getAdditionalProperties().isEmpty()) {
        fail(name + ": unknown fields " + object.getAdditionalProperties().keySet());
      }
      for (Method get : value.getClass().getMethods()) {
        if (get.getName().startsWith("get") && get.getParameterCount() == 0 && !get.isBridge()) {
          known(name, get.invoke(value));
        }
      }
    }
  }

  private static void fail(String problem) {
    problems++;
    System.err.println(problem);
  }

  private Check() {}
}
