import java.io.*;
import java.nio.file.*;
import java.util.*;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.*;
import org.apache.kafka.clients.producer.*;
import org.apache.kafka.common.serialization.*;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.*;
import org.apache.kafka.streams.errors.InvalidStateStoreException;
import org.apache.kafka.streams.kstream.*;
import org.apache.kafka.streams.state.*;
import org.rocksdb.*;

/** A table of Kafka Streams whose filters come from a RocksDBConfigSetter: by its TopologyTestDriver, or in a cluster. */
public class Streams {
  static final int ROWS = 200_000;  // of the cluster
  static final int MISSING = 200_000;
  static final List<Statistics> statistics = Collections.synchronizedList(new ArrayList<>());

  public static class Setter implements RocksDBConfigSetter {
    private Filter filter;

    @Override
    public void setConfig(String store, Options options, Map<String, Object> configs) {
      String policy = (String) configs.get("my.filter_policy");
      BlockBasedTableConfig table = (BlockBasedTableConfig) options.tableFormatConfig();
      filter = policy.equals("bloomfilter") ? new BloomFilter(10) : new linebloom.LineFilter(policy);
      table.setFilterPolicy(filter);
      options.setTableFormatConfig(table);
      options.setWriteBufferSize(1 << 18);  // so that there are several files
      options.setStatistics(new Statistics());
      statistics.add(options.statistics());
    }

    @Override
    public void close(String store, Options options) {
      filter.close();
    }
  }

  static String key(int row) {
    return String.format("user%012d", row);
  }

  static Topology topology() {
    StreamsBuilder builder = new StreamsBuilder();
    builder.table("rows", Materialized.<String, String, KeyValueStore<Bytes, byte[]>>as("rows").withCachingDisabled());
    return builder.build();
  }

  static Properties properties(String broker, Path folder, String policy) {
    Properties properties = new Properties();
    properties.put(StreamsConfig.APPLICATION_ID_CONFIG, "linebloom");
    properties.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, broker);
    properties.put(StreamsConfig.STATE_DIR_CONFIG, folder.toString());
    properties.put(StreamsConfig.DEFAULT_KEY_SERDE_CLASS_CONFIG, Serdes.StringSerde.class);
    properties.put(StreamsConfig.DEFAULT_VALUE_SERDE_CLASS_CONFIG, Serdes.StringSerde.class);
    properties.put(StreamsConfig.ROCKSDB_CONFIG_SETTER_CLASS_CONFIG, Setter.class);
    properties.put(StreamsConfig.consumerPrefix("session.timeout.ms"), 10_000);
    properties.put("my.filter_policy", policy);
    return properties;
  }

  static long count(TickerType... tickers) {
    long sum = 0;
    for (Statistics one : List.copyOf(statistics)) {
      for (TickerType ticker : tickers) sum += one.getTickerCount(ticker);
    }
    return sum;
  }

  // Reads all rows, and rows that are missing: "FOUND BLOCKS LOOKUPS", the last two
  // of the missing ones, in each partition of the store.
  static String read(ReadOnlyKeyValueStore<String, String> store, int rows) throws Exception {
    int found = 0;
    for (int i = 0; i < rows; ++i) {
      String value = store.get(key(i));
      if (value != null && !value.equals("value of " + i)) throw new Exception("row " + i + " is " + value);
      found += value == null ? 0 : 1;
    }
    long lookups = count(TickerType.NUMBER_KEYS_READ);
    long blocks = count(TickerType.BLOCK_CACHE_DATA_HIT, TickerType.BLOCK_CACHE_DATA_MISS);
    for (int i = 0; i < MISSING; ++i) {
      if (store.get(key(i % rows) + "." + i) != null) throw new Exception("a missing row was found");
    }
    return found + " " + (count(TickerType.BLOCK_CACHE_DATA_HIT, TickerType.BLOCK_CACHE_DATA_MISS) - blocks) + " "
        + (count(TickerType.NUMBER_KEYS_READ) - lookups);
  }

  static void print(String what, String policy, long found, long blocks, long lookups) {
    System.out.printf("%-25s %-14s %7d %9.5f%n", what, policy, found, (double) blocks / lookups);
  }

  // Few rows, because the driver commits after each.
  static void withoutBroker(Path folder, String policy) throws Exception {
    int written = 1000;
    statistics.clear();
    try (TopologyTestDriver driver = new TopologyTestDriver(topology(), properties("none:1", folder, policy))) {
      TestInputTopic<String, String> rows = driver.createInputTopic("rows", new StringSerializer(), new StringSerializer());
      for (int i = 0; i < written; ++i) rows.pipeInput(key(i), "value of " + i);
      KeyValueStore<String, String> store = driver.getKeyValueStore("rows");
      store.flush();
      String[] answer = read(store, written).split(" ");
      if (Integer.parseInt(answer[0]) != written) throw new Exception(answer[0] + " rows");
      print("filled", policy, written, Long.parseLong(answer[1]), Long.parseLong(answer[2]));
    }
  }

  // A process of the cluster: answers each line of stdin by what it reads.
  static void instance(Path folder, String broker, String policy) throws Exception {
    KafkaStreams streams = new KafkaStreams(topology(), properties(broker, folder, policy));
    streams.start();
    BufferedReader questions = new BufferedReader(new InputStreamReader(System.in));
    while (questions.readLine() != null) {
      String answer = "0 0 0";
      try {
        answer = read(streams.store(StoreQueryParameters.fromNameAndType("rows", QueryableStoreTypes.keyValueStore())), ROWS);
      } catch (InvalidStateStoreException moving) {
        // The caller asks again.
      }
      System.out.println(answer);
    }
    streams.close();
  }

  static class Instance {
    final Process process;
    final BufferedReader answers;

    Instance(Path folder, String broker, String policy) throws IOException {
      process = new ProcessBuilder("java", "-Xmx512m", "-XX:-UsePerfData",
          "-Djava.library.path=" + System.getProperty("java.library.path"), "-cp",
          System.getProperty("java.class.path"), "Streams", folder.toString(), broker, policy)
          .redirectError(ProcessBuilder.Redirect.INHERIT).start();
      answers = process.inputReader();
    }

    String[] ask() throws IOException {
      process.getOutputStream().write('\n');
      process.getOutputStream().flush();
      return answers.readLine().split(" ");
    }

    void stop() throws Exception {
      process.getOutputStream().close();
      if (!process.waitFor(60, TimeUnit.SECONDS) || process.exitValue() != 0) throw new Exception("an instance failed");
    }
  }

  // Waits until the instances have all rows between them.
  static void step(String what, String policy, Instance... instances) throws Exception {
    long[] sums = new long[3];
    for (int tries = 0; tries < 120 && sums[0] != ROWS; ++tries) {
      Thread.sleep(1000);
      Arrays.fill(sums, 0);
      for (Instance one : instances) {
        String[] answer = one.ask();
        for (int i = 0; i < 3; ++i) sums[i] += Long.parseLong(answer[i]);
      }
    }
    if (sums[0] != ROWS) throw new Exception(what + ": " + sums[0] + " rows");
    print(what, policy, sums[0], sums[1], sums[2]);
  }

  static void cluster(Path folder, String broker) throws Exception {
    Properties properties = properties(broker, folder, "");
    try (Admin admin = Admin.create(properties)) {
      admin.createTopics(List.of(new NewTopic("rows", 4, (short) 1))).all().get();
    }
    try (Producer<String, String> producer =
             new KafkaProducer<>(properties, new StringSerializer(), new StringSerializer())) {
      for (int i = 0; i < ROWS; ++i) producer.send(new ProducerRecord<>("rows", key(i), "value of " + i));
    }
    Path first = folder.resolve("first");
    Path second = folder.resolve("second");
    Path restored = folder.resolve("restored");
    Instance a = new Instance(first, broker, "bloomfilter");
    Instance b = new Instance(second, broker, "bloomfilter");
    step("1. filled", "bloomfilter", a, b);
    a.stop();
    b.stop();
    a = new Instance(first, broker, "linebloom:10");
    b = new Instance(second, broker, "linebloom:10");
    step("2. switched", "linebloom:10", a, b);
    a.process.destroyForcibly().waitFor();
    step("3. one killed", "linebloom:10", b);
    a = new Instance(restored, broker, "linebloom:10");
    step("4. restored elsewhere", "linebloom:10", a, b);
    a.stop();
    b.stop();
    a = new Instance(restored, broker, "bloomfilter");
    b = new Instance(second, broker, "bloomfilter");
    step("5. switched back", "bloomfilter", a, b);
    a.stop();
    b.stop();
  }

  public static void main(String[] arguments) throws Exception {
    Path folder = Path.of(arguments[0]);
    boolean isCluster = arguments[2].equals("cluster");
    if (!isCluster && !arguments[2].equals("streams")) {
      instance(folder, arguments[1], arguments[2]);
      return;
    }
    System.out.println("Kafka Streams                                 rows    blocks per missing key and partition");
    if (isCluster) {
      cluster(folder, arguments[1]);
      return;
    }
    for (String policy : List.of("bloomfilter", "linebloom:10")) withoutBroker(folder.resolve(policy), policy);
  }
}
