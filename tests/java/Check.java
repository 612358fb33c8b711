// Uses RocksJava as published, with linebloom found by java.library.path alone
// (packaging/java/build.sh): switches a database over from RocksDB's Bloom filter
// and back, and checks every answer.
//
//   java -Djava.library.path=FOLDER -cp rocksdbjni.jar:FOLDER/linebloom.jar Check.java DATABASE
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

  // Opens the database, does the work and prints and returns how many missing rows
  // of ROWS its filters then rejected.
  static long use(String step, String path, ColumnFamilyOptions family, boolean fill) throws Exception {
    Statistics statistics = new Statistics();
    DBOptions options = new DBOptions().setCreateIfMissing(true).setStatistics(statistics);
    List<ColumnFamilyHandle> handles = new ArrayList<>();
    List<ColumnFamilyDescriptor> families =
        Arrays.asList(new ColumnFamilyDescriptor(RocksDB.DEFAULT_COLUMN_FAMILY, family));
    try (RocksDB database = RocksDB.open(options, path, families, handles)) {
      for (int i = 0; fill && i < ROWS; ++i) database.put(key(2 * i), key(2 * i));
      if (fill) database.flush(new FlushOptions());
      if (fill) database.compactRange();
      long before = statistics.getTickerCount(TickerType.BLOOM_FILTER_USEFUL);
      for (int i = 0; i < ROWS; ++i) {
        require(Arrays.equals(database.get(key(2 * i)), key(2 * i)), "a row is lost");
        require(database.get(key(2 * i + 1)) == null, "a missing row was found");
      }
      long rejected = statistics.getTickerCount(TickerType.BLOOM_FILTER_USEFUL) - before;
      System.out.printf("%-38s %,d of %,d missing rows rejected%n", step, rejected, ROWS);
      return rejected;
    }
  }

  static ColumnFamilyOptions withFilter(Filter filter) {
    return new ColumnFamilyOptions().setTableFormatConfig(new BlockBasedTableConfig().setFilterPolicy(filter));
  }

  static ColumnFamilyOptions withString(String policy) {
    Properties properties = new Properties();
    properties.put("block_based_table_factory", "{filter_policy=" + policy + "}");
    return ColumnFamilyOptions.getColumnFamilyOptionsFromProps(properties);
  }

  public static void main(String[] arguments) throws Exception {
    RocksDB.loadLibrary();
    String path = arguments[0];
    RocksDB.destroyDB(path, new Options());
    long byBloom = use("Bloom", path, withFilter(new BloomFilter(10)), true);
    long byString = use("linebloom, option string", path, withString("linebloom:10"), true);
    require(byString > byBloom && byString > ROWS / 10_000 * 9_960, "not linebloom's rate");
    use("Bloom, files of linebloom", path, withFilter(new BloomFilter(10)), false);
    long byObject = use("linebloom, LineFilter", path, withFilter(new linebloom.LineFilter("linebloom:10")), true);
    require(byObject == byString, "the object is another filter");
    require(withString("linebloom:31") == null, "31 bits are taken");
    try {
      new linebloom.LineFilter("linebloom:31");
      require(false, "31 bits are taken");
    } catch (IllegalArgumentException expected) {
    }
  }
}
