package org.rowlock.internal.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rowlock.LockRequest.forUpdate;
import static org.rowlock.testing.Locks.locks;
import static org.rowlock.testing.Locks.on;
import static org.rowlock.testing.TestDatabase.begin;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;
import org.postgresql.ds.PGSimpleDataSource;
import org.postgresql.jdbc.PreferQueryMode;
import org.rowlock.Claim;
import org.rowlock.CommitWrites;
import org.rowlock.LockKey;
import org.rowlock.LockRequest;
import org.rowlock.LockStrategy;
import org.rowlock.LockVerificationException;
import org.rowlock.RowLockMode;
import org.rowlock.RowLocks;
import org.rowlock.RowLocksBuilder.LockFront;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.internal.request.BoundQuery;
import org.rowlock.internal.value.LockWait;
import org.rowlock.internal.value.RequestParts;
import org.rowlock.testing.Proxies;
import org.rowlock.testing.Requests;
import org.rowlock.testing.TestDatabase;
import org.rowlock.testing.Waits;

/**
 * Every statement that locks takes as many locks as it was asked for, and calls its lock function where no version of
 * the planner may drop the call: in the select list of the whole statement. An argument of an aggregate is no such
 * place, as PostgreSQL 19 plans {@code count(f() is null)} as {@code count(*)}.
 */
class LockStatementsPropertiesTest {
    private static final String LOCKS =
            "select count(*) from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()";

    private static final Pattern PARAMETER = Pattern.compile("(?<!')\\?(?!')");

    private static final TestDatabase DATABASE = new TestDatabase(
            "create table account(id int primary key, state text not null default 'new')",
            "insert into account values (1), (2), (3)",
            "create table word(id text primary key)",
            "insert into word values ('x'), ('42')",
            "create table part(id bigint primary key) partition by range (id)",
            "create table part_1 partition of part for values from (0) to (9000000000)",
            "insert into part values (1), (5000000000)",
            "create table seen(locks int not null)");

    /** The texts that were looked at. */
    private static final Set<String> KNOWN = new HashSet<>();

    /** Where a request comes from. */
    enum Entrance {
        LOCK,
        LOCK_BEGUN,
        QUERY,
        IN_TRANSACTION,
        COMMIT
    }

    @BeforeContainer
    static void open() throws SQLException {
        DATABASE.beforeEach(null);
    }

    @AfterContainer
    static void close() throws SQLException {
        DATABASE.afterEach(null);
    }

    /** Keys by the lock that they are: some are two spellings of one. */
    @Provide
    Arbitrary<Map<LockKey, RowLockMode>> keys() {
        String schema = DATABASE.schema();
        List<LockKey> all = List.of(
                LockKey.row("account", 1),
                LockKey.row("account", 2),
                LockKey.row("account", 3),
                LockKey.row("account", 4),
                LockKey.row(schema + ".account", 1),
                LockKey.row(schema + ".account", 2),
                LockKey.row("word", "x"),
                LockKey.row("word", "42"),
                LockKey.row("part", 1),
                LockKey.row("part_1", 1),
                LockKey.row("part", 5_000_000_000L),
                LockKey.name("one"),
                LockKey.name("two"),
                LockKey.number(7),
                LockKey.pair(7, 8));
        Arbitrary<List<LockKey>> some = Arbitraries.oneOf(
                Arbitraries.of(all).list().ofSize(1),
                Arbitraries.of(all.subList(0, 4)).list().uniqueElements().ofMinSize(2),
                Arbitraries.of(all).list().uniqueElements().ofMaxSize(6).ofMinSize(2));
        Arbitrary<List<RowLockMode>> modes = Arbitraries.oneOf(
                Arbitraries.of(RowLockMode.class).map(mode -> List.of(mode)),
                Arbitraries.of(RowLockMode.class).list().ofSize(3));
        return Combinators.combine(some, modes).as((chosen, of) -> {
            Map<LockKey, RowLockMode> asked = new LinkedHashMap<>();
            chosen.forEach(key -> asked.put(key, of.get(asked.size() % of.size())));
            return asked;
        });
    }

    @Provide
    Arbitrary<LockWait> waits() {
        return Arbitraries.of(Waits.ALL);
    }

    private static long distinct(Collection<LockKey> keys) {
        return keys.stream()
                .map(key -> key.toString().replace(DATABASE.schema() + ".", "").replace("part_1", "part"))
                .distinct()
                .count();
    }

    /** One mode per lock: of two spellings of a key the stronger counts. */
    @Property(tries = 200)
    void asManyLocksAreHeldAsWereAskedFor(
            @ForAll("keys") Map<LockKey, RowLockMode> keys,
            @ForAll("waits") LockWait wait,
            @ForAll Entrance entrance,
            @ForAll boolean looksForRows)
            throws SQLException {
        LockStrategy strategy = looksForRows ? LockStrategy.BOTH : LockStrategy.ADVISORY;
        RowLocks locks = locks(strategy);
        LockRequest of = Requests.of(keys);
        // The fourth row does not exist.
        LockRequest asked = keys.containsKey(LockKey.row("account", 4)) ? of.allowAbsent() : of;
        assertThat(held(locks, Requests.waiting(asked, wait), entrance)).isEqualTo(distinct(keys.keySet()));
    }

    private static long held(RowLocks locks, LockRequest request, Entrance entrance) throws SQLException {
        BoundQuery<Long> query = BoundQuery.of(LOCKS, row -> row.getLong(1));
        try (Connection connection = checked(DATABASE.dataSource().getConnection(), sql -> sql)) {
            connection.setAutoCommit(false);
            if (entrance == Entrance.LOCK_BEGUN) {
                read(connection, "select 1");
            }
            switch (entrance) {
                case LOCK, LOCK_BEGUN -> {
                    locks.in(connection).lock(request);
                    return rolledBack(connection, read(connection, LOCKS));
                }
                case QUERY -> {
                    long held = locks.in(connection)
                            .lockAndRead(request, query.sql(), query.mapper())
                            .get(0);
                    assertThat(read(connection, LOCKS)).isEqualTo(held);
                    return rolledBack(connection, held);
                }
                case IN_TRANSACTION -> {
                    return on(locks, DATABASE.dataSource())
                            .lock(request)
                            .read(query.sql(), query.mapper())
                            .inTransaction(tx -> {
                                return tx.rows().get(0);
                            });
                }
                default -> {
                    CommitWrites writes = new CommitWrites();
                    writes.add("delete from seen");
                    writes.add("insert into seen " + LOCKS);
                    on(locks, DATABASE.dataSource()).lock(request).execute(writes);
                    return Long.parseLong(DATABASE.query("select locks from seen"));
                }
            }
        }
    }

    private static long rolledBack(Connection connection, long held) throws SQLException {
        connection.rollback();
        return held;
    }

    private static long read(Connection connection, String sql) throws SQLException {
        return Long.parseLong(TestDatabase.query(connection, sql));
    }

    /** A lock in front, a row that is inserted. */
    @Example
    void theOtherFormsLockAsManyToo() throws SQLException {
        RowLocks fronted = LockAccess.builder()
                .strategy(LockStrategy.ROW)
                .front(LockFront.ALWAYS)
                .build();
        RowLocks both = locks(LockStrategy.BOTH);
        LockRequest insert = forUpdate(LockKey.row("account", 9)).orInsert("insert into account values (9)");
        for (LockWait wait : Waits.ALL) {
            assertThat(held(both, Requests.waiting(insert, wait), Entrance.LOCK))
                    .isOne();
            if (!wait.equals(LockWait.NO_WAIT)) {
                LockRequest row = Requests.waiting(forUpdate(LockKey.row("account", 1)), wait);
                assertThat(held(fronted, row, Entrance.LOCK)).isOne();
            }
        }
    }

    /** The ids of rows, by their number and by their text. */
    @Example
    void aClaimLocksTheKeysOfItsRows() throws SQLException {
        for (LockStrategy strategy : List.of(LockStrategy.BOTH, LockStrategy.ADVISORY)) {
            RowLocks locks = locks(strategy);
            for (String table : List.of("account", "word", "part")) {
                try (Connection connection = checked(DATABASE.dataSource().getConnection(), sql -> sql)) {
                    connection.setAutoCommit(false);
                    List<String> claimed =
                            locks.in(connection).claim(Claim.from(table).limit(9), row -> row.getString("id"));
                    assertThat(claimed).isNotEmpty();
                    assertThat(rolledBack(connection, read(connection, LOCKS))).isEqualTo(claimed.size());
                }
            }
        }
    }

    /** A key that was not tried, of which the answer has no row. */
    @Example
    void aKeyOfAClaimThatIsMissingIsAnErrorThatNamesBothNumbers() throws SQLException {
        UnaryOperator<String> drops = sql -> sql.replace("printed, n) order", "printed, n) where k.n <> 2 order");
        RowLocks locks = locks(LockStrategy.ADVISORY);
        try (Connection connection = checked(DATABASE.dataSource().getConnection(), drops)) {
            connection.setAutoCommit(false);
            assertThatThrownBy(() -> locks.in(connection)
                            .claim(Claim.from("account").orderBy("id").limit(3), row -> row.getInt(1)))
                    .isInstanceOf(LockVerificationException.class)
                    .hasMessageContaining("2 of 3");
            assertThatThrownBy(() -> read(connection, "select 1")).hasMessageContaining("aborted");
            connection.rollback();
        }
    }

    /** The driver then sends arrays as texts, in which the session reads no NULL. */
    @Example
    void arraysAreReadAsTheyWereMeantInEverySession() throws SQLException {
        PGSimpleDataSource simple = DATABASE.dataSource();
        simple.setPreferQueryMode(PreferQueryMode.SIMPLE);
        simple.setOptions("-c array_nulls=off");
        RowLocks locks = locks(LockStrategy.ADVISORY);
        LockRequest request = forUpdate(
                List.of(LockKey.row("account", 1), LockKey.row("word", "x"), LockKey.name("one"), LockKey.number(7)));
        try (Connection connection = begin(simple)) {
            locks.in(connection).lock(request);
            assertThat(read(connection, LOCKS)).isEqualTo(4);
            try (Connection other = begin(DATABASE.dataSource())) {
                for (LockKey key : RequestParts.of(request).keys()) {
                    assertThat(locks.in(other).tryLock(forUpdate(key).noWait()).isHeld())
                            .as(key.toString())
                            .isFalse();
                }
                other.rollback();
            }
            connection.rollback();
            List<String> words = locks.in(connection).claim(Claim.from("word").limit(9), row -> row.getString("id"));
            assertThat(words).containsExactlyInAnyOrder("x", "42");
            assertThat(read(connection, LOCKS)).isEqualTo(2);
            connection.rollback();
        }
    }

    /** A server, or whoever is in between, that answers with fewer rows than keys. */
    @Example
    void aLockThatIsMissingIsAnErrorThatNamesBothNumbers() throws SQLException {
        UnaryOperator<String> drops = sql -> sql.replace("k.o", "nullif(k.o, 2)");
        for (LockStrategy strategy : List.of(LockStrategy.ADVISORY, LockStrategy.BOTH)) {
            RowLocks locks = locks(strategy);
            LockRequest request = forUpdate(LockKey.rows("account", List.of(1, 2, 3)));
            try (Connection connection = checked(DATABASE.dataSource().getConnection(), drops)) {
                connection.setAutoCommit(false);
                assertThatThrownBy(() -> locks.in(connection).lock(request))
                        .isInstanceOf(LockVerificationException.class)
                        .hasMessageContaining("2 of 3");
                assertThatThrownBy(() -> read(connection, "select 1")).hasMessageContaining("aborted");
                connection.rollback();
            }
        }
    }

    /** A connection that changes what it prepares, and looks at every statement that locks. */
    private static Connection checked(Connection connection, UnaryOperator<String> changed) {
        return Proxies.of(Connection.class, (proxy, method, arguments) -> {
            if (method.getName().equals("prepareStatement")) {
                String sql = changed.apply((String) arguments[0]);
                arguments[0] = sql;
                for (String part : sql.split("\n;")) {
                    if (part.contains("advisory_xact_lock") && KNOWN.add(part)) {
                        assertLocksInItsSelectList(part);
                    }
                }
            }
            return Proxies.call(connection, method, arguments);
        });
    }

    /** Planned without values, as a value may let the planner evaluate what it could not drop. */
    private static void assertLocksInItsSelectList(String sql) throws SQLException {
        Matcher parameters = PARAMETER.matcher(sql);
        StringBuilder prepared = new StringBuilder();
        int number = 0;
        while (parameters.find()) {
            parameters.appendReplacement(prepared, "\\$" + ++number);
        }
        parameters.appendTail(prepared);
        String nulls = number == 0
                ? ""
                : Collections.nCopies(number, "null").stream().collect(Collectors.joining(", ", "(", ")"));
        try (Connection connection = DATABASE.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("set plan_cache_mode = force_generic_plan");
            statement.execute("prepare looked as " + prepared);
            StringBuilder plan = new StringBuilder();
            String ofWhole = "";
            String node = "";
            try (ResultSet line = statement.executeQuery("explain (verbose, costs off) execute looked" + nulls)) {
                while (line.next()) {
                    String text = line.getString(1);
                    plan.append(text).append('\n');
                    node = node.isEmpty() ? text : node;
                    ofWhole = ofWhole.isEmpty() && text.startsWith("  Output: ") ? text : ofWhole;
                }
            }
            assertThat(node).as(plan.toString()).doesNotContain("Aggregate");
            assertThat(ofWhole).as(plan.toString()).contains("advisory_xact_lock");
            assertThat(plan.toString().replace(ofWhole, "")).doesNotContain("advisory");
        }
    }
}
