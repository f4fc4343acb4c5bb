package org.rowlock.internal.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rowlock.LockRequest.forUpdate;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.rowlock.Claim;
import org.rowlock.LockKey;
import org.rowlock.LockStrategy;
import org.rowlock.RowLocks;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.internal.text.TableName;
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

    @ParameterizedTest
    @EnumSource
    void tableOfAnyNameCanBeLocked(LockStrategy strategy) throws Exception {
        RowLocks locks = LockAccess.builder().strategy(strategy).build();
        Session alice = database.session("alice");
        Session bob = database.session("bob");
        for (int i = 0; i < NAMES; i++) {
            String table = TableName.quoteIdentifier(name());
            String column = TableName.quoteIdentifier(name());
            alice.execute("create table " + table + " (" + column + " int primary key, done bool default false)");
            alice.execute("insert into " + table + " values (1), (2), (3)");
            alice.commit();
            LockKey key = LockKey.row(table, 1);
            LockKey withSchema = LockKey.row(database.schema() + "." + table, 1);
            List<LockKey> several = LockKey.rows(table, List.of(3, 2));

            assertThat(isHadBy(alice, c -> locks.in(c).lock(forUpdate(key)).isHeld()))
                    .as(table)
                    .isTrue();
            assertThat(isHadBy(
                            alice, c -> locks.in(c).tryLock(forUpdate(several)).isHeld()))
                    .as(table)
                    .isTrue();
            assertThat(isHadBy(bob, c -> locks.in(c).tryLock(forUpdate(key)).isHeld()))
                    .as(table)
                    .isFalse();
            assertThat(isHadBy(
                            bob, c -> locks.in(c).tryLock(forUpdate(withSchema)).isHeld()))
                    .as(table)
                    .isFalse();
            assertThat(isHadBy(bob, c -> locks.in(c).tryLock(forUpdate(several)).isHeld()))
                    .as(table)
                    .isFalse();
            alice.commit();
            Claim claim = Claim.from(table).where("not done").limit(3);
            List<Integer> claimed = bob.run(c -> locks.in(c).claim(claim, row -> row.getInt(1)));
            assertThat(claimed).as(table).containsExactlyInAnyOrder(1, 2, 3);
            assertThat(isHadBy(
                            alice,
                            c -> locks.in(c).tryLock(forUpdate(withSchema)).isHeld()))
                    .as(table)
                    .isFalse();
            bob.commit();
            alice.execute("drop table " + table);
            alice.commit();
        }
    }

    private static boolean isHadBy(Session session, Session.Body<Boolean> attempt) throws Exception {
        return session.run(attempt);
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
