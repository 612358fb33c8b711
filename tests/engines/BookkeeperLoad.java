// The client of tests/engines/bookkeeper.sh: writes ledgers of small entries, each
// on two bookies, and reads entries that are there and that are not.
//
//   java -cp JARS BookkeeperLoad.java write METADATA IDS LEDGERS ENTRIES
//   java -cp JARS BookkeeperLoad.java hits METADATA IDS ENTRIES
//   java -cp JARS BookkeeperLoad.java misses METADATA IDS ENTRIES
//
// `write` appends the new ledgers' numbers to the file IDS, writes to all of them in
// turn, as Pulsar's topics do, and prints `half` on the way. `hits` reads and compares
// all ENTRIES of each ledger in IDS; `misses` reads the ENTRIES numbers after its last.
// Both print how many they read, and the median of single reads in microseconds.
import java.nio.ByteBuffer;
import java.nio.file.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.bookkeeper.client.*;
import org.apache.bookkeeper.conf.ClientConfiguration;

public class BookkeeperLoad {
  static final byte[] PASSWORD = new byte[0];
  static final int SINGLE = 2000;  // reads, one at a time, whose time is taken
  static final Semaphore outstanding = new Semaphore(1000);
  static final AtomicLong wrong = new AtomicLong();

  static byte[] entry(long ledger, long number) {
    return ByteBuffer.allocate(16).putLong(ledger).putLong(number).array();
  }

  static void write(BookKeeper client, Path ids, int ledgers, int entries) throws Exception {
    List<LedgerHandle> handles = new ArrayList<>();
    for (int i = 0; i < ledgers; ++i) {
      handles.add(client.createLedger(2, 2, 2, BookKeeper.DigestType.CRC32C, PASSWORD));
    }
    for (int number = 0; number < entries; ++number) {
      if (number == entries / 2) System.out.println("half");
      for (LedgerHandle handle : handles) {
        outstanding.acquire();
        handle.asyncAddEntry(entry(handle.getId(), number), (code, ledger, at, context) -> {
          if (code != BKException.Code.OK) wrong.incrementAndGet();
          outstanding.release();
        }, null);
      }
    }
    outstanding.acquire(1000);
    List<String> lines = new ArrayList<>();
    for (LedgerHandle handle : handles) {
      handle.close();
      lines.add(Long.toString(handle.getId()));
    }
    Files.write(ids, lines, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    if (wrong.get() > 0) throw new Exception(wrong + " entries were not written");
  }

  static boolean matches(LedgerHandle ledger, int code, Enumeration<LedgerEntry> found, long number, boolean there) {
    if (!there) return code == BKException.Code.NoSuchEntryException;
    return code == BKException.Code.OK
        && Arrays.equals(found.nextElement().getEntry(), entry(ledger.getId(), number));
  }

  static void read(BookKeeper client, Path ids, int entries, boolean there) throws Exception {
    List<LedgerHandle> handles = new ArrayList<>();
    for (String id : Files.readAllLines(ids)) {
      handles.add(client.openLedgerNoRecovery(Long.parseLong(id), BookKeeper.DigestType.CRC32C, PASSWORD));
    }
    long reads = 0;
    for (LedgerHandle handle : handles) {
      long first = there ? 0 : handle.getLastAddConfirmed() + 1;
      for (long number = first; number < first + entries; ++number, ++reads) {
        outstanding.acquire();
        handle.asyncReadUnconfirmedEntries(number, number, (code, ledger, found, at) -> {
          if (!matches(ledger, code, found, (Long) at, there)) wrong.incrementAndGet();
          outstanding.release();
        }, number);
      }
    }
    outstanding.acquire(1000);
    long[] times = new long[SINGLE];
    Random random = new Random(1);
    for (int i = 0; i < SINGLE; ++i) {
      LedgerHandle handle = handles.get(random.nextInt(handles.size()));
      long number = (there ? 0 : handle.getLastAddConfirmed() + 1) + random.nextInt(entries);
      long start = System.nanoTime();
      try {
        handle.readUnconfirmedEntries(number, number);
        if (!there) wrong.incrementAndGet();
      } catch (BKException.BKNoSuchEntryException missing) {
        if (there) wrong.incrementAndGet();
      }
      times[i] = System.nanoTime() - start;
    }
    if (wrong.get() > 0) throw new Exception(wrong + " wrong answers");
    Arrays.sort(times);
    System.out.println(reads + SINGLE + " " + times[SINGLE / 2] / 1000);
  }

  public static void main(String[] arguments) throws Exception {
    ClientConfiguration configuration = new ClientConfiguration();
    configuration.setMetadataServiceUri(arguments[1]);
    configuration.setSpeculativeReadTimeout(0);  // or a slow read is asked twice
    configuration.setAddEntryTimeout(60).setReadEntryTimeout(60);
    configuration.setThrottleValue(0);
    try (BookKeeper client = new BookKeeper(configuration)) {
      Path ids = Path.of(arguments[2]);
      if (arguments[0].equals("write")) {
        write(client, ids, Integer.parseInt(arguments[3]), Integer.parseInt(arguments[4]));
      } else {
        read(client, ids, Integer.parseInt(arguments[3]), arguments[0].equals("hits"));
      }
    }
  }
}
