package org.rowlock.internal.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rowlock.LockRequest.forShare;
import static org.rowlock.LockRequest.forUpdate;
import static org.rowlock.testing.Locks.locks;

import java.io.IOException;
import java.io.InputStream;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
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
import org.rowlock.internal.value.RowKey;
import org.rowlock.testing.Session;
import org.rowlock.testing.Step;
import org.rowlock.testing.TestDatabase;

/**
 * Key version 1: the golden vectors, against the SQL of docs/keys.md as it is printed there and against the library's
 * own. The vectors were computed by a third implementation.
 */
class KeyVersionOneTest {
    private static final Pattern SQL_BLOCK = Pattern.compile("^```sql\n(.*?)^```$", Pattern.MULTILINE | Pattern.DOTALL);
    private static final Pattern ESCAPE = Pattern.compile("\\\\(u[0-9a-f]{4}|\\\\)");

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

    /** One line of key-version-1.tsv. */
    private record Vector(String kind, String oid, String id, String expected, String what) {
        LockKey key() {
            if (kind.equals("name")) {
                return LockKey.name(id);
            }
            String[] parts = id.split("\u001f");
            return parts.length == 1 ? LockKey.row("t", id) : LockKey.row("t", List.of(parts));
        }
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
            for (Vector vector : vectors()) {
                PreparedStatement statement = vector.kind().equals("name") ? name : row;
                int at = 1;
                if (statement == row) {
                    statement.setLong(at++, Long.parseLong(vector.oid()));
                }
                statement.setString(at, vector.id());
                assertThat(keys(statement)).as(vector.what()).containsExactly(vector.expected());
            }
        }
    }

    /**
     * The text of the lock statement's arguments is the library's; only the table's OID is given instead of its name.
     */
    @Test
    void sqlOfTheLibraryGivesTheGoldenVectors() throws Exception {
        try (Connection connection = database.dataSource().getConnection()) {
            for (Vector vector : vectors()) {
                LockKey key = vector.key();
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
                    assertThat(keys(statement)).as(vector.what()).containsExactly(vector.expected());
                }
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
        try (Connection connection = database.dataSource().getConnection()) {
            connection.setAutoCommit(false);
            TransactionLocks tx = locks.in(connection);

            tx.lock(forUpdate(LockKey.row("account", 42)));
            assertHeld(connection, documented("account", "42"));

            assertThat(tx.tryLock(forShare(LockKey.row("document", "abc"))).isHeld())
                    .isTrue();
            assertHeld(connection, documented("document", "abc"));

            tx.lock(forUpdate(List.of(LockKey.row("\"Order Line\"", 7, 42), LockKey.row("document", "Zürich"))));
            assertHeld(connection, documented("\"Order Line\"", "7\u001f42"), documented("document", "Zürich"));

            tx.lockAndRead(
                    forUpdate(LockKey.row("account", 41)),
                    "select balance from account where id = 41",
                    r -> r.getLong(1));
            assertHeld(connection, documented("account", "41"));

            tx.claim(Claim.from("document").orderBy("code").limit(10), r -> r.getString(1));
            assertHeld(
                    connection,
                    documented("document", "abc"),
                    documented("document", "Zürich"),
                    documented("document", "0042"),
                    documented("document", "2147483648"));

            tx.claim(Claim.from("account").limit(10), r -> r.getLong(1));
            assertHeld(
                    connection, documented("account", "41"), documented("account", "42"), documented("account", "43"));

            tx.claim(Claim.from("session"), r -> r.getString(1));
            assertHeld(connection, documented("session", "6F1ED002-AB59-4B1B-8B1E-3C1A7D2F9E10"));

            tx.claim(Claim.from("\"Order Line\"").limit(10), r -> r.getLong(1));
            assertHeld(
                    connection, documented("\"Order Line\"", "7\u001f42"), documented("\"Order Line\"", "7\u001f43"));
        }
    }

    @Test
    void rowlockLockOfTheDocsAndTheLibraryExcludeEachOther(Session psql, Session java) throws Exception {
        for (LockKey.Row key : List.of(LockKey.row("account", 42), LockKey.row("document", "abc"))) {
            String locked =
                    "select rowlock_lock('" + key.table() + "', '" + key.id().get(0) + "')";
            psql.execute(locked);
            Step<LockResult> waiting = java.start(c -> locks.in(c).lock(forUpdate(key)));
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
        try {
            assertThat(lockedBy("account", 42)).isEqualTo(lockedBy(database.schema() + ".ACCOUNT", 42));
            String qualified = lockedBy("\"" + other + "\".account", 42);
            assertThat(qualified).isNotEqualTo(lockedBy("account", 42));
            try (Connection connection = database.dataSource().getConnection()) {
                connection.setSchema(other);
                connection.setAutoCommit(false);
                locks.in(connection).lock(forUpdate(LockKey.row("account", 42)));
                assertHeld(connection, qualified);
            }
        } finally {
            database.execute("drop schema \"" + other + "\" cascade");
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

    @Test
    void idsHaveTheTextOfTheDocs() {
        assertThat(text(42)).isEqualTo(text(42L)).isEqualTo(text((short) 42)).isEqualTo("42");
        assertThat(text((byte) -1)).isEqualTo("-1");
        assertThat(text(BigInteger.TEN.pow(20))).isEqualTo("100000000000000000000");
        assertThat(text(new BigDecimal("42.00")))
                .isEqualTo(text(new BigDecimal("4.2e1")))
                .isEqualTo("42");
        assertThat(text(UUID.fromString("6F1ED002-AB59-4B1B-8B1E-3C1A7D2F9E10")))
                .isEqualTo(text("6F1ED002-ab59-4B1B-8B1E-3C1A7D2F9E10"))
                .isEqualTo("6f1ed002-ab59-4b1b-8b1e-3c1a7d2f9e10");
        assertThat(text("Zürich ")).isEqualTo("Zürich ");
        assertThat(text(TimeUnit.SECONDS)).isEqualTo("SECONDS");
        assertThat(text(LocalDate.of(2026, 7, 1)))
                .isEqualTo(text(java.sql.Date.valueOf("2026-07-01")))
                .isEqualTo("2026-07-01");
        assertThat(text(LocalTime.of(9, 30))).isEqualTo("09:30:00");
        assertThat(text(LocalTime.of(9, 30, 0, 500_000_000))).isEqualTo("09:30:00.5");
        assertThat(text(LocalDateTime.of(2026, 7, 1, 9, 30))).isEqualTo("2026-07-01T09:30:00");
        assertThat(text(LocalDateTime.of(2026, 7, 1, 9, 30, 0, 1_000))).isEqualTo("2026-07-01T09:30:00.000001");
        assertThat(text(OffsetDateTime.parse("2026-07-01T09:30:00.5+02:00")))
                .isEqualTo(text(ZonedDateTime.parse("2026-07-01T09:30:00.5+02:00[Europe/Zurich]")))
                .isEqualTo(text(Instant.parse("2026-07-01T07:30:00.5Z")))
                .isEqualTo("2026-07-01T07:30:00.5Z");
        assertThat(text(List.of(7, "42"))).isEqualTo("7\u001f42");
        assertThat(text(List.of(42))).isEqualTo("42");
    }

    private static String text(Object id) {
        return RowKey.idText(LockKey.row("t", id).id());
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
        try (Connection connection = database.dataSource().getConnection()) {
            connection.setAutoCommit(false);
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

    private static List<Vector> vectors() throws IOException {
        List<String> lines = resource().lines().toList();
        assertThat(lines.get(3)).isEqualTo("kind\toid\tid\tform\tfirst\tsecond\tnumber\twhat");
        List<Vector> vectors = new ArrayList<>();
        for (String line : lines.subList(4, lines.size())) {
            String[] columns = line.split("\t", -1);
            assertThat(columns).as(line).hasSize(8);
            String id = ESCAPE.matcher(columns[2])
                    .replaceAll(escape -> escape.group(1).equals("\\")
                            ? "\\\\"
                            : String.valueOf(
                                    (char) Integer.parseInt(escape.group(1).substring(1), 16)));
            boolean pair = columns[3].equals("pair");
            vectors.add(new Vector(
                    columns[0],
                    columns[1],
                    id,
                    pair ? key(columns[4], columns[5], null) : key(null, null, columns[6]),
                    columns[7]));
        }
        return vectors;
    }

    private static String resource() throws IOException {
        try (InputStream in = KeyVersionOneTest.class.getResourceAsStream("/org/rowlock/key-version-1.tsv")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static String docs() throws IOException {
        Path module = Path.of(System.getProperty("basedir", "")).toAbsolutePath();
        return Files.readString(module.resolveSibling("docs").resolve("keys.md"));
    }
}
