package org.rowlock.internal.sql;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.rowlock.LockRequest.forUpdate;
import static org.rowlock.LockStrategy.ADVISORY;
import static org.rowlock.LockStrategy.BOTH;
import static org.rowlock.LockStrategy.ROW;
import static org.rowlock.testing.Locks.locks;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;
import net.jqwik.time.api.DateTimes;
import org.rowlock.Claim;
import org.rowlock.LockKey;
import org.rowlock.LockRequest;
import org.rowlock.LockResult;
import org.rowlock.LockStrategy;
import org.rowlock.LockTargetException;
import org.rowlock.LockTransactionException;
import org.rowlock.RowLockMode;
import org.rowlock.RowLocks;
import org.rowlock.TransactionLocks;
import org.rowlock.internal.text.IdText;
import org.rowlock.internal.value.LockWait;
import org.rowlock.testing.Requests;
import org.rowlock.testing.TestDatabase;

/**
 * Ids of every type in every spelling, drawn at random, and the server itself says what is right: whatever row it finds
 * by the id is locked against a plain FOR UPDATE NOWAIT beside us, or the call has said that it is not. How many cases
 * are drawn says junit-platform.properties, or {@code -Djqwik.tries.default=10000}.
 */
class IdPropertiesTest {
    /** A table: the types of its id, and ids as a program may have them. Those of the first half are rows. */
    private record IdTable(String name, List<String> types, List<List<String>> ids) {
        String columns() {
            List<String> columns = new ArrayList<>();
            for (int i = 0; i < types.size(); i++) {
                columns.add("c" + i + ' ' + types.get(i));
            }
            return String.join(", ", columns);
        }

        String names() {
            return IntStream.range(0, types.size()).mapToObj(i -> "c" + i).collect(Collectors.joining(", "));
        }
    }

    private static final String UUID_TEXT = "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11";

    private static final List<IdTable> TABLES = List.of(
            table("int2", List.of("smallint"), "7", "-3", "0", "42"),
            table("int4", List.of("int"), "7", "-2147483648", "70", "1"),
            table("int8", List.of("bigint"), "7", "9000000000", "-9223372036854775808", "12"),
            table("num", List.of("numeric"), "7", "7.5", "123456789012345678901234567890", "0"),
            table("num2", List.of("numeric(10,2)"), "7", "7.25", "1000", "8"),
            table("txt", List.of("text"), UUID_TEXT, "Ab", "007", "7", UUID_TEXT.toUpperCase(Locale.ROOT), "x"),
            table("vc", List.of("varchar(40)"), "Ab", "ab", " 7", UUID_TEXT),
            table("ch", List.of("char(6)"), "ab", "Ab", "7", "x"),
            table("chtab", List.of("char(6)"), "ab\t", "a b", "q", "ab"),
            table(
                    "uid",
                    List.of("uuid"),
                    UUID_TEXT,
                    "00000000-0000-0000-0000-000000000000",
                    UUID_TEXT.replace('a', 'b')),
            table("dat", List.of("date"), "2026-07-01", "0001-01-01", "2026-07-02", "9999-12-31"),
            table("tim", List.of("time"), "09:30:00", "23:59:59.5", "00:00:00", "09:30:00.000001"),
            table("ts", List.of("timestamp"), "2026-07-01T09:30:00", "2026-07-01T09:30:00.5", "2026-07-01T00:00:00"),
            table(
                    "tstz",
                    List.of("timestamptz"),
                    "2026-07-01T07:30:00Z",
                    "2026-07-01T07:30:00.25Z",
                    "2026-01-01T00:00:00Z"),
            table("ci", List.of("public.citext"), "Ab", "x", "Zoë"),
            table("ens", List.of("mood"), "happy", "sad", "HAPPY"),
            table("dom", List.of("small"), "7", "8", "9"),
            table("nd", List.of("text collate nocase"), "Ab", "x", "Q"),
            table("boo", List.of("boolean"), "true", "false"),
            table("ine", List.of("inet"), "10.0.0.1/32", "10.1.0.0/16"),
            new IdTable(
                    "pair",
                    List.of("int", "text"),
                    List.of(List.of("7", "Ab"), List.of("7", UUID_TEXT), List.of("8", "x"))),
            new IdTable(
                    "dated",
                    List.of("date", "char(3)"),
                    List.of(List.of("2026-07-01", "a"), List.of("2026-07-01", "b"))));

    /** Tables whose ids have no key in any spelling. */
    private static final Set<String> WITHOUT_KEYS = Set.of("ci", "nd", "boo", "ine");

    private static IdTable table(String name, List<String> types, String... ids) {
        return new IdTable(name, types, Arrays.stream(ids).map(List::of).toList());
    }

    /** What programs and people do to the text of an id. */
    private static final Map<String, UnaryOperator<String>> SPELLINGS = new LinkedHashMap<>();

    static {
        SPELLINGS.put("same", text -> text);
        SPELLINGS.put("upper", text -> text.toUpperCase(Locale.ROOT));
        SPELLINGS.put("lower", text -> text.toLowerCase(Locale.ROOT));
        SPELLINGS.put("zero", text -> "0" + text);
        SPELLINGS.put("plus", text -> "+" + text);
        SPELLINGS.put("space before", text -> " " + text);
        SPELLINGS.put("space behind", text -> text + " ");
        SPELLINGS.put("tab behind", text -> text + "\t");
        SPELLINGS.put("point zero", text -> text + ".0");
        SPELLINGS.put("zero behind", text -> text + "0");
        SPELLINGS.put("exponent", text -> text + "e0");
        SPELLINGS.put("no hyphens", text -> text.replace("-", ""));
        SPELLINGS.put("braces", text -> '{' + text + '}');
        SPELLINGS.put("blank for T", text -> text.replace('T', ' '));
        SPELLINGS.put("no seconds", text -> text.replaceFirst(":00$", ""));
        SPELLINGS.put("other zone", text -> text.replaceFirst("T07(.*)Z$", "T09$1+02:00"));
        SPELLINGS.put("no zone", text -> text.replaceFirst("Z$", ""));
        SPELLINGS.put("first letter", text -> text.replaceFirst("(?s)(.).*", "$1"));
        SPELLINGS.put("today", text -> "today");
        SPELLINGS.put("underscore", text -> text.replaceFirst("(\\d)(\\d)", "$1_$2"));
        SPELLINGS.put("hexadecimal", text -> "0x" + text);
        SPELLINGS.put("digits", text -> text.replaceAll("[^0-9]", ""));
        SPELLINGS.put("one", text -> "1");
        SPELLINGS.put("no mask", text -> text.replace("/32", ""));
    }

    /** The ways to lock one key. */
    private enum Way {
        LOCK,
        NO_WAIT,
        AT_MOST,
        LOCK_ALL,
        LOCK_AND_QUERY;

        /** Whether the row was found; null if that is not told. */
        Boolean run(TransactionLocks tx, LockKey key, RowLockMode mode) throws SQLException {
            LockRequest one = LockRequest.of(mode, List.of(key)).allowAbsent();
            LockRequest request = switch (this) {
                case LOCK, LOCK_AND_QUERY -> one;
                case NO_WAIT -> one.noWait();
                case AT_MOST -> one.atMost(Duration.ofSeconds(60));
                case LOCK_ALL -> one.and(LockRequest.of(mode, List.of(LockKey.number(4711))));
            };
            if (this == LOCK_AND_QUERY) {
                tx.lockAndRead(request, "select 1", row -> 1);
                return null;
            }
            return tx.lock(request).absentRows().isEmpty();
        }
    }

    /** Two ids of a table, and how the first transaction stands when it locks. */
    private record Case(
            IdTable table,
            List<String> first,
            List<String> second,
            LockStrategy firstStrategy,
            LockStrategy secondStrategy,
            Way way,
            int isolation,
            boolean begun,
            RowLockMode mode) {}

    private static TestDatabase database;
    private static final List<Connection> OPEN = new ArrayList<>();
    private static Connection alice;
    private static Connection bob;
    private static Connection server;
    private static final Map<LockStrategy, RowLocks> LOCKS = Map.of(
            ROW, locks(ROW),
            BOTH, locks(BOTH),
            ADVISORY, locks(ADVISORY));

    @BeforeContainer
    static void createTables() throws SQLException {
        database = new TestDatabase(
                "create extension if not exists citext schema public",
                "create type mood as enum ('happy', 'sad', 'HAPPY')",
                "create domain small as int check (value < 100)",
                "create collation nocase (provider = icu, locale = 'und-u-ks-level2', deterministic = false)");
        database.beforeEach(null);
        for (IdTable table : TABLES) {
            database.execute(
                    "create table " + table.name() + "(" + table.columns() + ", primary key (" + table.names() + "))");
            List<List<String>> rows = table.ids().subList(0, (table.ids().size() + 1) / 2);
            for (List<String> row : rows) {
                database.execute("insert into " + table.name() + " values (E'" + String.join("', E'", row) + "')");
            }
        }
        for (String type : List.of("text", "integer", "bigint", "numeric", "uuid", "timestamptz")) {
            database.execute("create table claimed_" + type + "(id " + type + " primary key)");
        }
        alice = open();
        bob = open();
        server = open();
    }

    private static Connection open() throws SQLException {
        Connection connection = TestDatabase.begin(database.dataSource());
        OPEN.add(connection);
        return connection;
    }

    @AfterContainer
    static void dropTables() throws SQLException {
        for (Connection connection : OPEN) {
            connection.close();
        }
        database.afterEach(null);
    }

    @Provide
    Arbitrary<Case> cases() {
        Arbitrary<List<LockStrategy>> strategies = Arbitraries.of(
                List.of(ROW, ROW),
                List.of(ROW, BOTH),
                List.of(BOTH, ROW),
                List.of(BOTH, BOTH),
                List.of(BOTH, ADVISORY),
                List.of(ADVISORY, BOTH),
                List.of(ADVISORY, ADVISORY));
        return Arbitraries.of(TABLES)
                .flatMap(table -> Combinators.combine(
                                ids(table),
                                ids(table),
                                strategies,
                                Arbitraries.of(Way.class),
                                Arbitraries.of(
                                        Connection.TRANSACTION_READ_COMMITTED,
                                        Connection.TRANSACTION_REPEATABLE_READ,
                                        Connection.TRANSACTION_SERIALIZABLE),
                                Arbitraries.of(true, false),
                                Arbitraries.of(RowLockMode.FOR_UPDATE, RowLockMode.FOR_NO_KEY_UPDATE))
                        .as((first, second, pair, way, isolation, begun, mode) ->
                                new Case(table, first, second, pair.get(0), pair.get(1), way, isolation, begun, mode)));
    }

    private static Arbitrary<List<String>> ids(IdTable table) {
        Arbitrary<String> spelling = Arbitraries.frequencyOf(
                net.jqwik.api.Tuple.of(2, Arbitraries.just("same")),
                net.jqwik.api.Tuple.of(3, Arbitraries.of(SPELLINGS.keySet())));
        return Combinators.combine(Arbitraries.of(table.ids()), spelling, spelling)
                .as((id, one, two) -> {
                    List<String> spelled = new ArrayList<>(id);
                    UnaryOperator<String> last = SPELLINGS.get(one);
                    spelled.set(id.size() - 1, SPELLINGS.get(two).apply(last.apply(id.get(id.size() - 1))));
                    return spelled;
                })
                // A key refuses these by itself.
                .filter(id -> id.stream().noneMatch(String::isBlank));
    }

    /** A type of an id column, and any value of it as a program may have it. */
    private record Value(String type, Object id) {
        String table() {
            return "claimed_" + type;
        }
    }

    @Provide
    Arbitrary<Value> values() {
        Arbitrary<Object> texts = Arbitraries.oneOf(
                        Arbitraries.strings().ofMinLength(1).ofMaxLength(20).excludeChars('\0'),
                        Arbitraries.strings().numeric().ofMinLength(1).ofMaxLength(12),
                        Arbitraries.longs().map(String::valueOf),
                        Arbitraries.create(() -> UUID.randomUUID().toString().toUpperCase(Locale.ROOT)))
                .filter(text -> !text.isBlank() && UTF_8.newEncoder().canEncode(text))
                .map(text -> text);
        Arbitrary<Object> times = DateTimes.instants()
                .between(Instant.parse("0001-01-02T00:00:00Z"), Instant.parse("9999-12-30T00:00:00Z"))
                .map(instant -> instant.truncatedTo(ChronoUnit.MICROS));
        return Arbitraries.oneOf(
                texts.map(id -> new Value("text", id)),
                Arbitraries.integers().map(id -> new Value("integer", id)),
                Arbitraries.longs().map(id -> new Value("bigint", id)),
                Arbitraries.bigIntegers().map(id -> new Value("numeric", id)),
                Arbitraries.create(UUID::randomUUID).map(id -> new Value("uuid", id)),
                times.map(id -> new Value("timestamptz", id)));
    }

    /** The server makes the key of a row that is claimed, the library that of an id. */
    @Property
    void aClaimedRowIsLockedByTheKeyOfItsId(@ForAll("values") Value drawn) throws Exception {
        try {
            alice.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
            String text = IdText.of(drawn.table(), drawn.id());
            try (PreparedStatement insert = alice.prepareStatement(
                    "insert into " + drawn.table() + " values (cast(? as " + drawn.type() + "))")) {
                insert.setString(1, text);
                insert.execute();
            }
            assertThat(LOCKS.get(ADVISORY).in(alice).claim(Claim.from(drawn.table()), row -> 1))
                    .hasSize(1);
            String claimed = keys();
            LOCKS.get(ADVISORY).in(alice).lock(forUpdate(LockKey.row(drawn.table(), drawn.id())));
            assertThat(keys()).isEqualTo(claimed).isNotEmpty();
        } finally {
            alice.rollback();
        }
    }

    private static String keys() throws SQLException {
        return TestDatabase.query(
                alice,
                "select string_agg(classid || ',' || objid || ',' || objsubid, ';') from pg_locks"
                        + " where locktype = 'advisory' and pid = pg_backend_pid()");
    }

    @Property
    void whatTheLockNamesIsLockedOrTheCallSaysSo(@ForAll("cases") Case drawn) throws Exception {
        try {
            LockKey first = LockKey.row(drawn.table().name(), drawn.first());
            LockKey second = LockKey.row(drawn.table().name(), drawn.second());
            String meant = meaning(drawn.table(), drawn.first());
            String alsoMeant = meaning(drawn.table(), drawn.second());
            if (lockFirst(drawn, first, meant)) {
                lockSecond(drawn, first, second, !meant.isEmpty() && meant.equals(alsoMeant));
            }
        } finally {
            rollBack();
        }
    }

    /** Some ids of a table, in any order, there or not. */
    private record Several(IdTable table, List<List<String>> ids, LockStrategy strategy, LockWait lockWait) {}

    @Provide
    Arbitrary<Several> several() {
        return Arbitraries.of(TABLES)
                .flatMap(table -> Combinators.combine(
                                Arbitraries.shuffle(table.ids()),
                                Arbitraries.integers().between(2, table.ids().size()),
                                Arbitraries.of(ROW, BOTH),
                                Arbitraries.of(
                                        LockWait.FOREVER, LockWait.NO_WAIT, LockWait.atMost(Duration.ofSeconds(60))))
                        .as((ids, size, strategy, wait) -> new Several(table, ids.subList(0, size), strategy, wait)));
    }

    @Property
    void ofSeveralThoseThatAreThereAreLockedAndNoOther(@ForAll("several") Several drawn) throws Exception {
        try {
            alice.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
            // By the ids and not the keys: two spellings of a UUID are one key, and of a text column two rows.
            Map<List<String>, String> meant = new LinkedHashMap<>();
            for (List<String> id : drawn.ids()) {
                meant.put(id, meaning(drawn.table(), id));
            }
            List<LockKey.Row> keys = meant.keySet().stream()
                    .map(id -> LockKey.row(drawn.table().name(), id))
                    .toList();
            LockResult result;
            try {
                result = LOCKS.get(drawn.strategy())
                        .in(alice)
                        .lock(Requests.waiting(forUpdate(keys), drawn.lockWait())
                                .allowAbsent());
            } catch (LockTargetException e) {
                assertThat(lockedRows(drawn.table())).as(e.getMessage()).isEmpty();
                // Of these every id is spelled as the server does.
                assertThat(drawn.table().name()).as(e.getMessage()).isNotIn("int2", "int4", "int8", "uid", "pair");
                return;
            }
            assertThat(Set.copyOf(result.absentRows()))
                    .isEqualTo(meant.keySet().stream()
                            .filter(id -> meant.get(id).isEmpty())
                            .map(id -> LockKey.row(drawn.table().name(), id))
                            .collect(Collectors.toSet()));
            Set<String> rows = new TreeSet<>(meant.values());
            rows.remove("");
            assertThat(lockedRows(drawn.table())).isEqualTo(rows);
        } finally {
            rollBack();
        }
    }

    private static boolean lockFirst(Case drawn, LockKey key, String meant) throws SQLException {
        alice.setTransactionIsolation(drawn.isolation());
        if (drawn.begun()) {
            succeeds(alice, "select 1");
        }
        Boolean found;
        try {
            found = drawn.way().run(LOCKS.get(drawn.firstStrategy()).in(alice), key, drawn.mode());
        } catch (LockTargetException | LockTransactionException e) {
            assertThat(lockedRows(drawn.table())).as(e.getMessage()).isEmpty();
            // What the library finds out by itself leaves the transaction as it was; an error of the server aborts it.
            boolean aborted = e.getCause() != null || e.getMessage().contains("transaction is aborted");
            boolean usable = succeeds(alice, "select 1");
            if (e instanceof LockTargetException) {
                assertThat(usable).as(e.getMessage()).isEqualTo(!aborted);
                if (drawn.firstStrategy() == ROW
                        || !WITHOUT_KEYS.contains(drawn.table().name())) {
                    assertThat(drawn.table().ids()).as(e.getMessage()).doesNotContain(drawn.first());
                }
            } else {
                assertThat(drawn.isolation()).isNotEqualTo(Connection.TRANSACTION_READ_COMMITTED);
                assertThat(usable).as(e.getMessage()).isEqualTo(!e.getMessage().contains("inserted since"));
            }
            assertThat(advisoryLocks()).as(e.getMessage()).isZero();
            return false;
        }
        boolean rowLock = drawn.firstStrategy() != ADVISORY;
        assertThat(lockedRows(drawn.table())).isEqualTo(rowLock && !meant.isEmpty() ? Set.of(meant) : Set.of());
        if (found != null && rowLock) {
            assertThat(found).isEqualTo(!meant.isEmpty());
        }
        return true;
    }

    private static void lockSecond(Case drawn, LockKey first, LockKey second, boolean sameRow) throws SQLException {
        bob.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        boolean locked;
        try {
            locked = LOCKS.get(drawn.secondStrategy())
                    .in(bob)
                    .tryLock(LockRequest.of(drawn.mode(), List.of(second)).allowAbsent())
                    .isHeld();
        } catch (LockTargetException e) {
            return;
        }
        if (sameRow) {
            assertThat(locked).as("two spellings of one row").isFalse();
        }
        if (!sameRow && !first.equals(second) && drawn.secondStrategy() != ROW) {
            assertThat(locked).as("two rows").isTrue();
        }
    }

    /** The row that the server finds by an id, or nothing. */
    private static String meaning(IdTable table, List<String> id) throws SQLException {
        StringBuilder where = new StringBuilder("select ctid from " + table.name() + " where true");
        for (int i = 0; i < id.size(); i++) {
            String type = table.types().get(i).replaceAll("\\(.*\\)| collate .*", "");
            where.append(" and c")
                    .append(i)
                    .append(" = cast(? as ")
                    .append(type.equals("char") ? "bpchar" : type)
                    .append(')');
        }
        Savepoint before = server.setSavepoint();
        try (PreparedStatement statement = server.prepareStatement(where.toString())) {
            for (int i = 0; i < id.size(); i++) {
                statement.setString(i + 1, id.get(i));
            }
            try (ResultSet row = statement.executeQuery()) {
                return row.next() ? row.getString(1) : "";
            }
        } catch (SQLException e) {
            server.rollback(before);
            return "";
        }
    }

    /** The rows that a plain FOR UPDATE NOWAIT beside us does not get. */
    private static Set<String> lockedRows(IdTable table) throws SQLException {
        Set<String> locked = new TreeSet<>();
        for (String ctid : TestDatabase.list(server, "select ctid from " + table.name())) {
            Savepoint before = server.setSavepoint();
            if (!succeeds(server, "select 1 from " + table.name() + " where ctid = '" + ctid + "' for update nowait")) {
                locked.add(ctid);
            }
            server.rollback(before);
        }
        return locked;
    }

    private static int advisoryLocks() throws SQLException {
        int pid = alice.unwrap(org.postgresql.PGConnection.class).getBackendPID();
        return Integer.parseInt(TestDatabase.query(
                server, "select count(*) from pg_locks where locktype = 'advisory' and pid = " + pid));
    }

    private static void rollBack() throws SQLException {
        for (Connection connection : List.of(alice, bob, server)) {
            connection.rollback();
        }
    }

    private static boolean succeeds(Connection connection, String sql) throws SQLException {
        try {
            TestDatabase.execute(connection, sql);
            return true;
        } catch (SQLException e) {
            assertThat(e.getSQLState()).isIn("55P03", "25P02");
            return false;
        }
    }
}
