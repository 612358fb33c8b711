package linebloom;

import org.rocksdb.Filter;
import org.rocksdb.RocksDB;

/**
 * A filter policy from an option string, for programs that get RocksDB's options as
 * objects, such as a RocksDBConfigSetter of Kafka Streams. Close it, as any Filter,
 * after the databases that use it.
 */
public class LineFilter extends Filter {
  static {
    RocksDB.loadLibrary();
  }

  /**
   * @param policy for example {@code "linebloom:10"} or {@code "{id=linebloom;bits_per_key=12}"}
   * @throws IllegalArgumentException if RocksDB doesn't take it
   * @throws UnsatisfiedLinkError if RocksJava has loaded another library than that of
   *     packaging/java/build.sh
   */
  public LineFilter(String policy) {
    super(create(policy));
  }

  // Returns a std::shared_ptr<const rocksdb::FilterPolicy>*, which Filter deletes.
  private static native long create(String policy);
}
