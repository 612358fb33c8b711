// The program of tests/engines/kafka_streams.sh: two instances of one topology, a
// table with a state store, whose filters come from a RocksDBConfigSetter.
//
//   java -cp JARS:linebloom.jar KafkaStreamsLoad.java BROKER STATE ROWS
import java.nio.file.Path;
import java.util.*;
import org.apache.kafka.clients.admin.*;
import org.apache.kafka.clients.producer.*;
import org.apache.kafka.common.serialization.*;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.*;
import org.apache.kafka.streams.errors.InvalidStateStoreException;
import org.apache.kafka.streams.kstream.*;
import org.apache.kafka.streams.state.*;
import org.rocksdb.*;

public class KafkaStreamsLoad {
  static final String POLICY = "my.filter_policy";
  static final List<Statistics> statistics = Collections.synchronizedList(new ArrayList<>());

  public static class Setter implements RocksDBConfigSetter {
    private final List<AutoCloseable> mine = new ArrayList<>();

    @Override
    public void setConfig(String store, Options options, Map<String, Object> configs) {
      Filter filter = configs.get(POLICY).equals("bloomfilter")
          ? new BloomFilter(10) : new linebloom.LineFilter((String) configs.get(POLICY));
      BlockBasedTableConfig table = (BlockBasedTableConfig) options.tableFormatConfig();
      table.setFilterPolicy(filter);
      options.setTableFormatConfig(table);
      options.setWriteBufferSize(1 << 18);  // so that there are several files
      Statistics counts = new Statistics();
      options.setStatistics(counts);
      statistics.add(counts);
      mine.add(filter);
    }

    @Override
    public void close(String store, Options options) {
      for (AutoCloseable one : mine) {
        try {
          one.close();
        } catch (Exception impossible) {
          throw new AssertionError(impossible);
        }
      }
    }
  }

  static String key(long number) {
    return String.format("user%012d", number);
  }

  static Properties properties(String broker, String state, String policy) {
    Properties properties = new Properties();
    properties.put(StreamsConfig.APPLICATION_ID_CONFIG, "linebloom");
    properties.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, broker);
    properties.put(StreamsConfig.STATE_DIR_CONFIG, state);
    properties.put(StreamsConfig.DEFAULT_KEY_SERDE_CLASS_CONFIG, Serdes.StringSerde.class);
    properties.put(StreamsConfig.DEFAULT_VALUE_SERDE_CLASS_CONFIG, Serdes.StringSerde.class);
    properties.put(StreamsConfig.ROCKSDB_CONFIG_SETTER_CLASS_CONFIG, Setter.class);
    properties.put(POLICY, policy);
    return properties;
  }

  static long count(TickerType... tickers) {
    long sum = 0;
    for (Statistics one : statistics) {
      for (TickerType ticker : tickers) sum += one.getTickerCount(ticker);
    }
    return sum;
  }

  // A key's row, from whichever instance has it.
  static String get(List<KafkaStreams> instances, String key) {
    String value = null;
    for (int i = 0; value == null && i < instances.size(); ++i) {
      try {
        value = instances.get(i)
            .store(StoreQueryParameters.fromNameAndType("rows", QueryableStoreTypes.<String, String>keyValueStore()))
            .get(key);
      } catch (InvalidStateStoreException moving) {
        // The caller tries again.
      }
    }
    return value;
  }

  // Starts both instances, with empty stores if `anew`, reads all rows and as many
  // that are missing, prints what that took, and closes them.
  static void step(String what, String broker, String state, int rows, String policy, boolean anew) throws Exception {
    statistics.clear();
    List<KafkaStreams> instances = new ArrayList<>();
    for (int i = 0; i < 2; ++i) {
      StreamsBuilder builder = new StreamsBuilder();
      builder.table("rows", Materialized.<String, String, KeyValueStore<Bytes, byte[]>>as("rows").withCachingDisabled());
      instances.add(new KafkaStreams(builder.build(), properties(broker, state + i, policy)));
      if (anew) instances.get(i).cleanUp();
      instances.get(i).start();
    }
    for (KafkaStreams instance : instances) {
      while (instance.state() != KafkaStreams.State.RUNNING) Thread.sleep(100);
    }
    // The later ones of a partition's rows come last: this waits until all are there.
    for (int i = rows - 1; i >= 0; --i) {
      String value = null;
      for (int tries = 0; value == null && tries < 6000; ++tries) {
        if (tries > 0) Thread.sleep(100);
        value = get(instances, key(2 * i));
      }
      if (!("value of " + key(2 * i)).equals(value)) throw new Exception("row " + i + " is " + value);
    }
    long lookups = count(TickerType.NUMBER_KEYS_READ);
    long blocks = count(TickerType.BLOCK_CACHE_DATA_HIT, TickerType.BLOCK_CACHE_DATA_MISS);
    long[] times = new long[rows];
    for (int i = 0; i < rows; ++i) {
      long start = System.nanoTime();
      if (get(instances, key(2 * i + 1)) != null) throw new Exception("a missing row was found");
      times[i] = System.nanoTime() - start;
    }
    lookups = count(TickerType.NUMBER_KEYS_READ) - lookups;
    blocks = count(TickerType.BLOCK_CACHE_DATA_HIT, TickerType.BLOCK_CACHE_DATA_MISS) - blocks;
    Arrays.sort(times);
    System.out.printf("%-28s %-12s %9d %9.5f %9.1f%n", what, policy, lookups, (double) blocks / lookups,
        times[rows / 2] / 1000.0);
    for (KafkaStreams instance : instances) instance.close();
  }

  public static void main(String[] arguments) throws Exception {
    String broker = arguments[0];
    String state = arguments[1];
    int rows = Integer.parseInt(arguments[2]);
    Properties properties = properties(broker, state, "");
    try (Admin admin = Admin.create(properties)) {
      admin.createTopics(List.of(new NewTopic("rows", 4, (short) 1))).all().get();
    }
    try (Producer<String, String> producer =
             new KafkaProducer<>(properties, new StringSerializer(), new StringSerializer())) {
      for (int i = 0; i < rows; ++i) producer.send(new ProducerRecord<>("rows", key(2 * i), "value of " + key(2 * i)));
    }
    System.out.println("                                                          blocks us of two");
    System.out.println("step                         policy         lookups per lookup   lookups");
    step("1. filled", broker, state, rows, "bloomfilter", false);
    step("2. switched", broker, state, rows, "linebloom:10", false);
    step("3. restored from Kafka", broker, state, rows, "linebloom:10", true);
    step("4. switched back", broker, state, rows, "bloomfilter", false);
    step("5. restored from Kafka", broker, state, rows, "bloomfilter", true);
  }
}
