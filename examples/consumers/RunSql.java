import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.TableEnvironment;

/**
 * Runs the statements of a file, one after the other, in this process. It is here for the test, which has Flink's jars and no
 * Flink installed; with an installation, it is {@code bin/sql-client.sh -f calls.sql}.
 */
public final class RunSql {
  public static void main(String[] args) throws Exception {
    if (args.length != 1) {
      System.err.println("usage: RunSql FILE");
      System.exit(2);
    }
    Map<String, String> settings = new HashMap<>();
    List<String> statements = new ArrayList<>();
    for (String part : Files.readString(Path.of(args[0])).replaceAll("(?m)^--.*$", "").split(";\\s*(\\n|$)")) {
      String statement = part.strip();
      if (statement.startsWith("SET ")) {
        String[] quoted = statement.split("'"); // SET 'name' = 'value'
        settings.put(quoted[1], quoted[3]);
      } else if (!statement.isEmpty()) {
        statements.add(statement);
      }
    }
    // Some settings count only when the environment is made.
    TableEnvironment tables =
        TableEnvironment.create(EnvironmentSettings.newInstance().withConfiguration(Configuration.fromMap(settings)).build());
    for (String statement : statements) {
      tables.executeSql(statement).await();
    }
  }

  private RunSql() {}
}
