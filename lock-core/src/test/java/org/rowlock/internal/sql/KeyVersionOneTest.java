package org.rowlock.internal.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rowlock.LockRequest.forShare;
import static org.rowlock.LockRequest.forUpdate;
import static org.rowlock.testing.Locks.locks;
import static org.rowlock.testing.Locks.startLock;
import static org.rowlock.testing.TestDatabase.begin;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.rowlock.Claim;
import org.rowlock.LockKey;
import org.rowlock.LockResult;
import org.rowlock.LockStrategy;
import org.rowlock.RowLockMode;
import org.rowlock.RowLocks;
import org.rowlock.TransactionLocks;
import org.rowlock.internal.request.ResolvedRequest.Shape;
import org.rowlock.internal.value.RequestParts;
import org.rowlock.testing.GoldenVector;
import org.rowlock.testing.Session;
import org.rowlock.testing.Step;
import org.rowlock.testing.TestDatabase;

/**
 * Key version 1: the golden vectors, against the SQL of docs/keys.md as it is printed there and against the library's
 * own. The vectors were computed by a third implementation.
 */
class KeyVersionOneTest {
    private static final Pattern SQL_BLOCK = Pattern.compile("^```sql\n(.*?)^```$", Pattern.MULTILINE | Pattern.DOTALL);

    @RegisterExtension
    final TestDatabase database = new TestDatabase(
            "create table account (id bigint primary key, balance bigint not null)",
            "insert into account select i, 100 from generate_series(41, 43) as i",
            "create table document (code text primary key)",
            "insert into document values ('abc'), ('Zürich'), ('0042'), ('2147483648')",
            "create table session (token uuid primary key)",
            "insert into session values ('6f1ed002-ab59-4b1b-8b1e-3c1a7d2f9e10')",
            "create table \"Order Line\" (order_id int, line int, primary key (order_id, line))",
            "insert into \"Order Line\" values (7, 42), (7, 43)",
            "create table measure (id bigint, day date, primary key (id, day)) partition by range (day)",
            "create table measure_2026 partition of measure for values from ('2026-01-01') to ('2027-01-01')"
                    + " partition by range (day)",
            "create table measure_2026_07 partition of measure_2026 for values from ('2026-07-01') to ('2026-08-01')");

    private final RowLocks locks = locks(LockStrategy.ADVISORY);

    private static LockKey keyOf(GoldenVector vector) {
        if (vector.kind().equals("name")) {
            return LockKey.name(vector.id());
        }
        String[] parts = vector.id().split("\u001f");
        return parts.length == 1 ? LockKey.row("t", vector.id()) : LockKey.row("t", List.of(parts));
    }

    private static String expected(GoldenVector vector) {
        return vector.form().equals("pair")
                ? key(vector.first(), vector.second(), null)
                : key(null, null, vector.number());
    }

    /** The SQL of the docs, every block of it, as a reader would run it. */
    @BeforeEach
    void runTheSqlOfTheDocs() throws Exception {
        List<String> blocks =
                SQL_BLOCK.matcher(docs()).results().map(block -> block.group(1)).toList();
        assertThat(blocks).isNotEmpty();
        database.execute(blocks.toArray(String[]::new));
    }

    @Test
    void sqlOfTheDocsGivesTheGoldenVectors() throws Exception {
        try (Connection connection = database.dataSource().getConnection();
                PreparedStatement row = connection.prepareStatement(
                        "select first, second, number from rowlock_key_of(cast(? as oid), ?)");
                PreparedStatement name =
                        connection.prepareStatement("select null, null, rowlock_key_of_name(cast(? as text))")) {
            for (GoldenVector vector : GoldenVector.all()) {
                PreparedStatement statement = vector.kind().equals("name") ? name : row;
                int at = 1;
                if (statement == row) {
                    statement.setLong(at++, Long.parseLong(vector.oid()));
                }
                statement.setString(at, vector.id());
                assertThat(keys(statement)).as(vector.what()).containsExactly(expected(vector));
            }
        }
    }

    /**
     * The text of the lock statement's arguments is the library's; only the table's OID is given instead of its name.
     */
    @Test
    void sqlOfTheLibraryGivesTheGoldenVectors() throws Exception {
        Connection connection = database.closing(database.dataSource().getConnection());
        for (GoldenVector vector : GoldenVector.all()) {
            LockKey key = keyOf(vector);
            Shape shape = Shape.of(List.of(key));
            String table = KeySql.from(shape).isEmpty()
                    ? ""
                    : " from (select cast(cast(? as oid) as regclass) as oid offset 0) as c";
            try (PreparedStatement statement =
                    connection.prepareStatement(select(shape, KeySql.arguments(shape)) + table)) {
                int at = KeySql.bindArguments(statement, 1, key);
                if (!table.isEmpty()) {
                    statement.setLong(at, Long.parseLong(vector.oid()));
                }
                assertThat(keys(statement)).as(vector.what()).containsExactly(expected(vector));
            }
        }
    }

    @Test
    void manyKeysAreDerivedLikeEachByItself() throws Exception {
        List<LockKey> keys = List.of(
                LockKey.name("nightly-report"),
                LockKey.row("document", "abc"),
                LockKey.row("document", "Zürich"),
                LockKey.row("account", 42),
                LockKey.number(-1),
                LockKey.row("session", UUID.fromString("6f1ed002-ab59-4b1b-8b1e-3c1a7d2f9e10")),
                LockKey.row("account", Integer.MIN_VALUE),
                LockKey.row("measure_2026_07", 5),
                LockKey.row("\"Order Line\"", 7, 42),
                LockKey.row(database.schema() + ".account", 42),
                LockKey.pair(-1, 7),
                LockKey.row("account", 2147483648L));
        List<String> single = new ArrayList<>();
        List<String> many;
        try (Connection connection = database.dataSource().getConnection()) {
            for (LockKey key : keys) {
                Shape shape = Shape.of(List.of(key));
                try (PreparedStatement statement =
                        connection.prepareStatement(select(shape, KeySql.arguments(shape)) + KeySql.from(shape))) {
                    KeySql.bindFrom(statement, KeySql.bindArguments(statement, 1, key), key);
                    single.addAll(keys(statement));
                }
            }
            try (PreparedStatement statement = connection.prepareStatement("select k.c, k.o, k.b" + KeySql.FROM_MANY)) {
                KeySql.bindMany(statement, 1, keys, RequestParts.of(RowLockMode.FOR_UPDATE, keys));
                many = keys(statement);
            }
        }
        // The one order that every caller locks in: pairs by their numbers, then bigints by theirs. Each spelling of a
        // key has a row of its own, because the client counts the rows.
        assertThat(many)
                .containsExactlyElementsOf(
                        single.stream().sorted(KeyVersionOneTest::inLockOrder).toList());
        assertThat(many.stream().distinct()).hasSize(keys.size() - 1);
    }

    @Test
    void everyWayToLockTakesTheKeyOfTheDocs() throws Exception {
        Connection connection = database.closing(begin(database.dataSource()));
        TransactionLocks tx = locks.in(connection);

        tx.lock(forUpdate(LockKey.row("account", 42)));
        assertHeld(connection, documented("account", "42"));

        assertThat(tx.tryLock(forShare(LockKey.row("document", "abc"))).isHeld())
                .isTrue();
        assertHeld(connection, documented("document", "abc"));

        tx.lock(forUpdate(List.of(LockKey.row("\"Order Line\"", 7, 42), LockKey.row("document", "Zürich"))));
        assertHeld(connection, documented("\"Order Line\"", "7\u001f42"), documented("document", "Zürich"));

        tx.lockAndRead(
                forUpdate(LockKey.row("account", 41)), "select balance from account where id = 41", r -> r.getLong(1));
        assertHeld(connection, documented("account", "41"));

        tx.claim(Claim.from("document").orderBy("code").limit(10), r -> r.getString(1));
        assertHeld(
                connection,
                documented("document", "abc"),
                documented("document", "Zürich"),
                documented("document", "0042"),
                documented("document", "2147483648"));

        tx.claim(Claim.from("account").limit(10), r -> r.getLong(1));
        assertHeld(connection, documented("account", "41"), documented("account", "42"), documented("account", "43"));

        tx.claim(Claim.from("session"), r -> r.getString(1));
        assertHeld(connection, documented("session", "6F1ED002-AB59-4B1B-8B1E-3C1A7D2F9E10"));

        tx.claim(Claim.from("\"Order Line\"").limit(10), r -> r.getLong(1));
        assertHeld(connection, documented("\"Order Line\"", "7\u001f42"), documented("\"Order Line\"", "7\u001f43"));
    }

    @Test
    void rowlockLockOfTheDocsAndTheLibraryExcludeEachOther(Session psql, Session java) throws Exception {
        for (LockKey.Row key : List.of(LockKey.row("account", 42), LockKey.row("document", "abc"))) {
            String locked =
                    "select rowlock_lock('" + key.table() + "', '" + key.id().get(0) + "')";
            psql.execute(locked);
            Step<LockResult> waiting = startLock(java, locks, forUpdate(key));
            waiting.awaitBlockedBy(psql);
            psql.commit();
            waiting.get();
            Step<Boolean> other = psql.startExecute(locked);
            other.awaitBlockedBy(java);
            java.rollback();
            other.get();
            psql.rollback();
        }
    }

    @Test
    void rowlockLockOfTheDocsRefusesWhatWouldNotLock() {
        assertThatThrownBy(() -> database.execute("select rowlock_lock('account', ' ')"))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("needs a table and an id");
        assertThatThrownBy(() -> database.execute("select rowlock_lock('account', null)"))
                .hasMessageContaining("needs a table and an id");
        assertThatThrownBy(() -> database.execute(
                        "begin isolation level repeatable read; select rowlock_lock('account', '42'); commit"))
                .hasMessageContaining("from before the lock");
        assertThatThrownBy(() -> database.execute("begin read only; select rowlock_lock('account', '42'); commit"))
                .hasMessageContaining("excludes nobody");
    }

    @Test
    void partitionsHaveTheKeyOfTheirRoot() throws Exception {
        String id = "5\u001f2026-07-05";
        String root = documented("measure", id);
        assertThat(documented("measure_2026", id)).isEqualTo(root);
        assertThat(documented("measure_2026_07", id)).isEqualTo(root);
        assertThat(lockedBy("measure_2026_07", 5, "2026-07-05")).isEqualTo(root);
        assertThat(lockedBy("measure", 5, "2026-07-05")).isEqualTo(root);
    }

    @Test
    void theNameMeansWhatItMeansToTheSession() throws Exception {
        String other = database.schema() + "_Other";
        database.execute("create schema \"" + other + "\"", "create table \"" + other + "\".account (id bigint)");
        database.closing(() -> database.execute("drop schema \"" + other + "\" cascade"));
        assertThat(lockedBy("account", 42)).isEqualTo(lockedBy(database.schema() + ".ACCOUNT", 42));
        String qualified = lockedBy("\"" + other + "\".account", 42);
        assertThat(qualified).isNotEqualTo(lockedBy("account", 42));
        try (Connection connection = database.dataSource().getConnection()) {
            connection.setSchema(other);
            connection.setAutoCommit(false);
            locks.in(connection).lock(forUpdate(LockKey.row("account", 42)));
            assertHeld(connection, qualified);
        }
    }

    @Test
    void aTableSwappedByRenameTakesTheNameWithItsNewOid() throws Exception {
        String before = lockedBy("account", 42);
        database.execute(
                "create table account_new (like account including all)",
                "begin; alter table account rename to account_old; alter table account_new rename to account; commit");
        assertThat(lockedBy("account", 42)).isNotEqualTo(before).isEqualTo(documented("account", "42"));
        assertThat(lockedBy("account_old", 42)).isEqualTo(before);
    }

    /** The key that the SQL function of the docs gives. */
    private String documented(String table, String id) throws SQLException {
        try (Connection connection = database.dataSource().getConnection();
                PreparedStatement statement =
                        connection.prepareStatement("select first, second, number from rowlock_key(?, ?)")) {
            statement.setString(1, table);
            statement.setString(2, id);
            return keys(statement).get(0);
        }
    }

    /** The key that the library really locks. */
    private String lockedBy(String table, Object... id) throws SQLException {
        try (Connection connection = begin(database.dataSource())) {
            locks.in(connection).lock(forUpdate(LockKey.row(table, List.of(id))));
            return held(connection).get(0);
        }
    }

    /** Checks what is held, and lets go of it. */
    private static void assertHeld(Connection connection, String... keys) throws SQLException {
        assertThat(held(connection)).containsExactlyInAnyOrder(keys);
        connection.rollback();
    }

    private static List<String> held(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                "select case when objsubid = 2 then classid::int4 end, case when objsubid = 2 then objid::int4 end,"
                        + " case when objsubid = 1 then classid::int8 << 32 | objid::int8 end from pg_locks"
                        + " where locktype = 'advisory' and granted and pid = pg_backend_pid()")) {
            return keys(statement);
        }
    }

    private static String select(Shape shape, String arguments) {
        boolean pair = shape == Shape.ROW_INT || shape == Shape.PAIR;
        return "select " + (pair ? arguments + ", null" : "null, null, " + arguments);
    }

    /** One text per row of first, second, number. */
    private static List<String> keys(PreparedStatement statement) throws SQLException {
        List<String> keys = new ArrayList<>();
        try (ResultSet row = statement.executeQuery()) {
            while (row.next()) {
                keys.add(key(row.getString(1), row.getString(2), row.getString(3)));
            }
        }
        return keys;
    }

    private static String key(String first, String second, String number) {
        assertThat(first == null).isEqualTo(second == null).isNotEqualTo(number == null);
        return number == null ? "pair " + first + ' ' + second : "bigint " + number;
    }

    private static int inLockOrder(String left, String right) {
        String[] l = left.split(" ");
        String[] r = right.split(" ");
        if (!l[0].equals(r[0])) {
            return l[0].equals("pair") ? -1 : 1;
        }
        int first = Long.compare(Long.parseLong(l[1]), Long.parseLong(r[1]));
        return first != 0 || l.length == 2 ? first : Long.compare(Long.parseLong(l[2]), Long.parseLong(r[2]));
    }

    private static String docs() throws IOException {
        Path module = Path.of(System.getProperty("basedir", "")).toAbsolutePath();
        return Files.readString(module.resolveSibling("docs").resolve("keys.md"));
    }
}
