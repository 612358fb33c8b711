import java.nio.file.*;
import java.util.regex.*;
import org.apache.bookkeeper.bookie.storage.ldb.*;
import org.apache.bookkeeper.conf.ServerConfiguration;
import org.apache.bookkeeper.stats.NullStatsLogger;

/** BookKeeper's own index of entry locations: filled, opened with another filter policy, read in full. */
public class BookKeeper {
  static final int LEDGERS = 200;
  static final int ENTRIES = 1000;  // of each; they have the even numbers

  // The line that users add is the one before the last. RocksDB writes its counts
  // to LOG every two seconds.
  static String optionsWith(String policy) {
    return """
        [DBOptions]
         create_if_missing=true
         statistics=BasicStatistics
         stats_dump_period_sec=2
        [CFOptions "default"]
         write_buffer_size=262144
         target_file_size_base=1048576
        [TableOptions/BlockBasedTable "default"]
         format_version=5
         filter_policy=%s
         cache_index_and_filter_blocks=true
        """.formatted(policy);
  }

  // The last count of the tickers whose names match, after the next dump.
  static long count(Path log, String tickers) throws Exception {
    Thread.sleep(4500);
    Matcher matcher = Pattern.compile("rocksdb\\.(" + tickers + ") COUNT : (\\d+)").matcher(Files.readString(log));
    java.util.Map<String, Long> last = new java.util.HashMap<>();
    while (matcher.find()) last.put(matcher.group(1), Long.parseLong(matcher.group(2)));
    return last.values().stream().mapToLong(Long::longValue).sum();
  }

  static void step(String what, String policy, Path folder, boolean fill) throws Exception {
    Path options = folder.resolve("options");
    Files.createDirectories(folder.resolve("locations"));
    Files.writeString(options, optionsWith(policy));
    ServerConfiguration conf = new ServerConfiguration();
    conf.setProperty("entryLocationRocksdbConf", options.toString());
    EntryLocationIndex index = new EntryLocationIndex(conf,
        (base, sub, type, c) -> new KeyValueStorageRocksDB(base, sub, type, c), folder.toString(),
        NullStatsLogger.INSTANCE);
    for (int entry = 0; fill && entry < ENTRIES; ++entry) {
      KeyValueStorage.Batch batch = index.newBatch();
      for (int ledger = 0; ledger < LEDGERS; ++ledger) {
        index.addLocation(batch, ledger, 2 * entry, entry * LEDGERS + ledger + 1);
      }
      batch.flush();
      batch.close();
    }
    if (fill) index.compact();
    for (int i = 0; i < LEDGERS * ENTRIES; ++i) {
      if (index.getLocation(i % LEDGERS, i / LEDGERS * 2) != i + 1) throw new Exception("entry " + i + " is lost");
    }
    Path log = folder.resolve("locations/LOG");
    long before = count(log, "block.cache.data.hit|block.cache.data.miss");
    for (int i = 0; i < LEDGERS * ENTRIES - LEDGERS; ++i) {
      if (index.getLocation(i % LEDGERS, i / LEDGERS * 2 + 1) != 0) throw new Exception("entry " + i + " was found");
    }
    long blocks = count(log, "block.cache.data.hit|block.cache.data.miss") - before;
    System.out.printf("%-25s %-14s %7d %9.5f%n", what, policy, LEDGERS * ENTRIES,
        (double) blocks / (LEDGERS * ENTRIES - LEDGERS));
    index.close();
  }

  public static void main(String[] arguments) throws Exception {
    Path bloom = Path.of(arguments[0], "bloom");
    Path linebloom = Path.of(arguments[0], "linebloom");
    System.out.println("BookKeeper's index                            rows    blocks per missing entry");
    step("1. filled", "bloomfilter:10", bloom, true);
    step("2. the same, switched", "linebloom:10", bloom, false);
    step("3. filled", "linebloom:10", linebloom, true);
    step("4. the same, back", "bloomfilter:10", linebloom, false);
  }
}
