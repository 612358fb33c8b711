// Uses RocksJava as published, with linebloom found by java.library.path alone
// (packaging/java/build.sh): switches a database over from RocksDB's Bloom filter
// by option strings, and checks every answer.
//
//   java -Djava.library.path=FOLDER -cp rocksdbjni.jar:FOLDER/linebloom.jar Check.java DATABASE
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Properties;
import org.rocksdb.*;

public class Check {
  static final int ROWS = 200_000;

  static byte[] key(int number) {
    return String.format("user%012d", number).getBytes();
  }

  static void require(boolean condition, String what) {
    if (!condition) throw new AssertionError(what);
  }

  // Opens the database, does the work and returns how many missing rows of ROWS
  // its filters then rejected.
  static long use(String path, DBOptions options, ColumnFamilyOptions family, boolean fill) throws Exception {
    Statistics statistics = new Statistics();
    options.setCreateIfMissing(true).setStatistics(statistics);
    List<ColumnFamilyHandle> handles = new ArrayList<>();
    List<ColumnFamilyDescriptor> families =
        Arrays.asList(new ColumnFamilyDescriptor(RocksDB.DEFAULT_COLUMN_FAMILY, family));
    try (RocksDB database = RocksDB.open(options, path, families, handles)) {
      for (int i = 0; fill && i < ROWS; ++i) database.put(key(2 * i), key(2 * i));
      if (fill) {
        database.flush(new FlushOptions());
        database.compactRange(handles.get(0), null, null,
            new CompactRangeOptions().setBottommostLevelCompaction(
                CompactRangeOptions.BottommostLevelCompaction.kForce));
      }
      long before = statistics.getTickerCount(TickerType.BLOOM_FILTER_USEFUL);
      for (int i = 0; i < ROWS; ++i) {
        require(Arrays.equals(database.get(key(2 * i)), key(2 * i)), "a row is lost");
        require(database.get(key(2 * i + 1)) == null, "a missing row was found");
      }
      return statistics.getTickerCount(TickerType.BLOOM_FILTER_USEFUL) - before;
    }
  }

  static ColumnFamilyOptions family(String policy) {
    Properties properties = new Properties();
    properties.put("block_based_table_factory", "{filter_policy=" + policy + "}");
    ColumnFamilyOptions options = ColumnFamilyOptions.getColumnFamilyOptionsFromProps(properties);
    require(options != null, "RocksDB doesn't take filter_policy=" + policy);
    return options;
  }

  static DBOptions listening() {
    Properties properties = new Properties();
    properties.put("listeners", "linebloom_level_sizes");
    DBOptions options = DBOptions.getDBOptionsFromProps(properties);
    require(options != null, "RocksDB doesn't take listeners=linebloom_level_sizes");
    return options;
  }

  static void show(String step, long rejected) {
    System.out.printf("%-38s %,d of %,d missing rows rejected%n", step, rejected, ROWS);
  }

  public static void main(String[] arguments) throws Exception {
    RocksDB.loadLibrary();
    System.out.println("RocksJava " + RocksDB.rocksdbVersion());
    String path = arguments[0];
    RocksDB.destroyDB(path, new Options());
    ColumnFamilyOptions bloom = new ColumnFamilyOptions().setTableFormatConfig(
        new BlockBasedTableConfig().setFilterPolicy(new BloomFilter(10)));
    long byBloom = use(path, new DBOptions(), bloom, true);
    show("Bloom", byBloom);
    show("linebloom, files of Bloom", use(path, new DBOptions(), family("linebloom:10"), false));
    long byLinebloom = use(path, new DBOptions(), family("linebloom:10"), true);
    show("linebloom, files of linebloom", byLinebloom);
    require(byLinebloom > byBloom && byLinebloom > ROWS / 10_000 * 9_960, "not linebloom's rate");
    show("Bloom, files of linebloom", use(path, new DBOptions(), bloom, false));
    long byLevel =
        use(path, listening(), family("{id=linebloom;bits_per_key=16;level_aware=true}"), true);
    show("linebloom, 16 bits by level", byLevel);
    require(byLevel > byLinebloom, "the options are not used");
    ColumnFamilyOptions object = new ColumnFamilyOptions().setTableFormatConfig(
        new BlockBasedTableConfig().setFilterPolicy(new linebloom.LineFilter("linebloom:10")));
    long byObject = use(path, new DBOptions(), object, true);
    show("linebloom, LineFilter", byObject);
    require(byObject == byLinebloom, "the object is another filter");
    for (String policy : new String[] {"linebloom:31", "nothing", null}) {
      try {
        new linebloom.LineFilter(policy);
        require(false, policy + " is taken");
      } catch (IllegalArgumentException expected) {
      }
    }
    Properties wrong = new Properties();
    wrong.put("block_based_table_factory", "{filter_policy=linebloom:31}");
    require(ColumnFamilyOptions.getColumnFamilyOptionsFromProps(wrong) == null, "31 bits are taken");
    require(Files.readString(Path.of(path, "LOG")).contains("filter_policy: linebloom"), "LOG names another");
  }
}
