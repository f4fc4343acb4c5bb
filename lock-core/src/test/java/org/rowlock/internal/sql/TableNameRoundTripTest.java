package org.rowlock.internal.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rowlock.LockRequest.forUpdate;
import static org.rowlock.testing.Locks.lock;
import static org.rowlock.testing.Locks.locks;
import static org.rowlock.testing.Locks.tryLock;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.rowlock.Claim;
import org.rowlock.LockKey;
import org.rowlock.RowLocks;
import org.rowlock.internal.text.TableName;
import org.rowlock.testing.EveryStrategy;
import org.rowlock.testing.Session;
import org.rowlock.testing.TestDatabase;

/** Whatever PostgreSQL accepts as a name in quotes, a key can name, and nothing in it is taken for SQL. */
class TableNameRoundTripTest {
    private static final List<String> PIECES = List.of(
            "a",
            "Z",
            "0",
            "9",
            "_",
            "$",
            " ",
            ".",
            "\"",
            "'",
            "`",
            "?",
            "??",
            ":",
            "::",
            ";",
            "--",
            "/*",
            "*/",
            "{",
            "}",
            "{fn ",
            "\\",
            "$1",
            "$$",
            "%",
            "(",
            ")",
            ",",
            "[",
            "]",
            "\t",
            "\n",
            "ß",
            "É",
            "東",
            "🔒",
            "select",
            "FROM",
            "null",
            "rowlock:",
            "chr(0)",
            "/");
    private static final int NAMES = 25;
    private static final int LONGEST_BYTES = 63;

    @RegisterExtension
    final TestDatabase database = new TestDatabase();

    private final Random random = new Random(4711);

    @EveryStrategy
    void tableOfAnyNameCanBeLocked(RowLocks locks, Session alice, Session bob) throws Exception {
        for (int i = 0; i < NAMES; i++) {
            String table = TableName.quoteIdentifier(name());
            String column = TableName.quoteIdentifier(name());
            alice.execute("create table " + table + " (" + column + " int primary key, done bool default false)");
            alice.execute("insert into " + table + " values (1), (2), (3)");
            alice.commit();
            LockKey key = LockKey.row(table, 1);
            LockKey withSchema = LockKey.row(database.schema() + "." + table, 1);
            List<LockKey> several = LockKey.rows(table, List.of(3, 2));

            assertThat(lock(alice, locks, forUpdate(key)).isHeld()).as(table).isTrue();
            assertThat(tryLock(alice, locks, forUpdate(several))).as(table).isTrue();
            assertThat(tryLock(bob, locks, forUpdate(key))).as(table).isFalse();
            assertThat(tryLock(bob, locks, forUpdate(withSchema))).as(table).isFalse();
            assertThat(tryLock(bob, locks, forUpdate(several))).as(table).isFalse();
            alice.commit();
            Claim claim = Claim.from(table).where("not done").limit(3);
            List<Integer> claimed = bob.run(c -> locks.in(c).claim(claim, row -> row.getInt(1)));
            assertThat(claimed).as(table).containsExactlyInAnyOrder(1, 2, 3);
            assertThat(tryLock(alice, locks, forUpdate(withSchema))).as(table).isFalse();
            bob.commit();
            alice.execute("drop table " + table);
            alice.commit();
        }
    }

    private String name() {
        StringBuilder name = new StringBuilder();
        int pieces = 1 + random.nextInt(12);
        for (int i = 0; i < pieces; i++) {
            String piece = PIECES.get(random.nextInt(PIECES.size()));
            if ((name + piece).getBytes(StandardCharsets.UTF_8).length <= LONGEST_BYTES) {
                name.append(piece);
            }
        }
        return name.toString();
    }
}
