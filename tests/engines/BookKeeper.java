import java.nio.file.*;
import java.util.List;
import java.util.regex.Pattern;
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

  // Data blocks that were looked up so far, by the second dump from now on.
  static long dataBlocks(Path log) throws Exception {
    Pattern ticker = Pattern.compile("block\\.cache\\.data\\.(?:hit|miss) COUNT : (\\d+)");
    List<Long> counts;
    int until = Integer.MAX_VALUE;  // a dump has two
    do {
      Thread.sleep(500);
      counts = ticker.matcher(Files.readString(log)).results().map(m -> Long.valueOf(m.group(1))).toList();
      until = Math.min(until, counts.size() + 4);
    } while (counts.size() < until);
    return counts.get(until - 1) + counts.get(until - 2);
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
    long before = dataBlocks(log);
    for (int i = 0; i < LEDGERS * ENTRIES - LEDGERS; ++i) {
      if (index.getLocation(i % LEDGERS, i / LEDGERS * 2 + 1) != 0) throw new Exception("entry " + i + " was found");
    }
    long blocks = dataBlocks(log) - before;
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
