package org.rowlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rowlock.LockRequest.forUpdate;
import static org.rowlock.LockStrategy.ADVISORY;
import static org.rowlock.LockStrategy.BOTH;
import static org.rowlock.LockStrategy.ROW;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.Tag;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;
import org.rowlock.guard.Install;
import org.rowlock.guard.RowLockGuard;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.testing.TestDatabase;

/**
 * Ids of every type of the server, and of types that this test creates, in two sessions whose settings print the ids in
 * different ways. One row never has two holders: a session locks the row, or is refused with an error that names the
 * table.
 */
class PrintedIdPropertiesTest {
    /** Texts for values of many types. Each type uses the texts that it can read. */
    private static final List<String> LITERALS =
            List.of(("1|7|-2|0.1|0.30000000000000004|1e-7|7.50|a|Ab|ab |a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11|"
                            + "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11|\\x00ff41|\\x5c|1 day -02:03:04.5|-1 year -2 mons +3 days|"
                            + "24:00:00|09:30:00.25|09:30:00+05:30|2026-07-01|2026-07-01 09:30:00.123456+02|0044-03-15 BC|"
                            + "infinity|-infinity|NaN|[1,3)|[0.1,0.30000000000000004)|[a,b)|[\"1 day -02:03\",\"3 days\")|"
                            + "[2026-07-01,2026-07-09)|[\"2026-07-01 09:30+00\",\"2026-07-02 10:00+00\")|{1,2}|{[1,3),[5,7)}|"
                            + "{[0.1,0.30000000000000004)}|{[\"2026-07-01 09:30+00\",\"2026-07-02 10:00+00\")}|"
                            + "(0.1,0.30000000000000004)|((0.1,0.30000000000000004),(1,2))|<(0.1,0.2),3>|(1,a)|"
                            + "(1,\"1 day -02:03:04\")|(\"(1,a)\",0.30000000000000004)|10.0.0.1|10.1.0.0/16|08:00:2b:01:02:03|"
                            + "08:00:2b:01:02:03:04:05|101|{\"a\": 1.00}|pg_class|int4|pg_catalog|simple|16/B374D848|1:4:2|a.b|"
                            + "a=>1|0.1 .. 0.4|978-0-393-04002-9|happy")
                    .split("\\|"));

    private static final Map<String, List<String>> SETTINGS = Map.of(
            "bytea_output", List.of("hex", "escape"),
            "intervalstyle", List.of("postgres", "postgres_verbose", "sql_standard", "iso_8601"),
            "extra_float_digits", List.of("-15", "-3", "0", "1", "3"),
            "timezone", List.of("UTC", "Asia/Kolkata", "America/St_Johns", "Europe/Berlin"),
            // The driver requires ISO.
            "datestyle", List.of("ISO, MDY", "ISO, DMY", "ISO, YMD"),
            "xmlbinary", List.of("base64", "hex"),
            "xmloption", List.of("content", "document"),
            "lc_monetary", List.of("C", "POSIX"),
            "quote_all_identifiers", List.of("on", "off"),
            "array_nulls", List.of("on", "off"));

    /** The SQL expressions by which a session reads an id as a text. */
    private static final List<String> FORMS = List.of(
            "id::text", "id::text", "to_json(id) #>> '{}'", "replace(timezone('UTC', id)::text, ' ', 'T') || 'Z'");

    private enum Way {
        LOCK,
        LOCK_IN_BEGUN,
        LOCK_ALL,
        CLAIM
    }

    /**
     * A table with an id of one type.
     *
     * @param composite whether the id is composite, with a number as its first part
     * @param rows the values of the column place
     */
    private record IdTable(String name, String type, boolean composite, List<String> rows) {}

    private static final List<List<LockStrategy>> STRATEGIES = List.of(
            List.of(ROW, ROW),
            List.of(ROW, BOTH),
            List.of(BOTH, ROW),
            List.of(BOTH, BOTH),
            List.of(BOTH, ADVISORY),
            List.of(ADVISORY, BOTH),
            List.of(ADVISORY, ADVISORY),
            List.of(ADVISORY, ADVISORY));

    private static final TestDatabase DATABASE = new TestDatabase();
    private static final List<IdTable> TABLES = new ArrayList<>();
    private static final Set<String> GUARDED = new TreeSet<>();
    private static final Map<LockStrategy, RowLocks> LOCKS = new HashMap<>();
    private static Connection alice;
    private static Connection bob;

    @BeforeContainer
    static void createTables() throws SQLException {
        DATABASE.beforeEach(null);
        DATABASE.execute(
                "create extension if not exists citext schema public",
                "do $$ declare e text; begin foreach e in array array['cube', 'hstore', 'isn', 'ltree', 'seg'] loop"
                        + " if exists (select from pg_available_extensions where name = e) then"
                        + " execute format('create extension if not exists %I', e); end if; end loop; end $$",
                "create type mood as enum ('happy', 'sad')",
                "create domain float_domain as float8",
                "create domain bytes as bytea",
                "create domain more_bytes as bytes",
                "create domain moment as timestamptz",
                "create domain stay as tstzrange",
                "create domain numbers as int[]",
                "create domain word as text",
                "create type float_range as range (subtype = float8)",
                "create type word_range as range (subtype = text)",
                "create type time_range as range (subtype = interval)",
                "create type plain as (a int, b text)",
                "create type timed as (a int, b interval)",
                "create type nested as (p plain, f float8)",
                "create collation nocase (provider = icu, locale = 'und-u-ks-level2', deterministic = false)",
                "create domain nocase as text collate nocase");
        DATABASE.execute(RowLockGuard.schemaSql());
        alice = open();
        bob = open();
        try (Statement statement = alice.createStatement()) {
            List<String[]> types = new ArrayList<>();
            try (ResultSet row =
                    statement.executeQuery("select format('%I.%I', n.nspname, t.typname), e.oid::regtype from pg_type t"
                            + " join pg_namespace n on n.oid = t.typnamespace left join pg_type e on e.typarray = t.oid"
                            + " where n.nspname in ('pg_catalog', 'public', current_schema) and t.typtype in ('b', 'e', 'd', 'r', 'm', 'c')"
                            + " and (coalesce(e.typrelid, t.typrelid) = 0 or exists (select from pg_class c"
                            + " where c.oid = coalesce(e.typrelid, t.typrelid) and c.relkind = 'c')) order by 1")) {
                while (row.next()) {
                    types.add(new String[] {row.getString(1), row.getString(2)});
                }
            }
            Map<LockStrategy, RowLocksBuilder> builders = new HashMap<>();
            for (LockStrategy strategy : LockStrategy.values()) {
                builders.put(strategy, LockAccess.builder().strategy(strategy));
            }
            for (String[] type : types) {
                for (boolean composite : new boolean[] {false, true}) {
                    // Composite ids are tested only with the types that this test creates.
                    if (!composite || !type[0].startsWith("pg_catalog.")) {
                        create(statement, type[0], type[1], composite, builders);
                    }
                }
            }
            alice.commit();
            builders.forEach((strategy, builder) -> LOCKS.put(strategy, builder.build()));
        }
    }

    private static void create(
            Statement statement,
            String type,
            String element,
            boolean composite,
            Map<LockStrategy, RowLocksBuilder> builders)
            throws SQLException {
        String name = DATABASE.schema() + ".ids_" + TABLES.size();
        String columns = "(id " + type + ", note text, n int default 7," + " place int generated always as identity";
        boolean primary = tried(
                statement, "create table " + name + columns + ", primary key (" + (composite ? "n, " : "") + "id))");
        if (!primary
                && (composite
                        || !tried(statement, "select null::" + type + " = null::" + type)
                        || !tried(statement, "create table " + name + columns + ")"))) {
            return;
        }
        String value = element == null ? "%L::" + type : "array[%L::" + element + "]::" + type;
        statement.execute("do $do$ declare literal text; begin foreach literal in array array["
                + LITERALS.stream().map(literal -> '\'' + literal + '\'').collect(Collectors.joining(", "))
                + "] loop begin execute format('insert into " + name + "(id) select v.id from (select " + value
                + " as id) as v where (select count(*) from " + name + ") < 8 and not exists (select from " + name
                + " as t where t.id = v.id)', literal); exception when others then null; end; end loop; end $do$");
        List<String> rows = new ArrayList<>();
        try (ResultSet row = statement.executeQuery("select place from " + name)) {
            while (row.next()) {
                rows.add(row.getString(1));
            }
        }
        if (rows.isEmpty()) {
            tried(statement, "drop table " + name);
            return;
        }
        TABLES.add(new IdTable(name, type, composite, rows));
        if (!primary) {
            builders.values().forEach(builder -> builder.idColumns(name, "id"));
        } else if (tried(statement, Install.guard(name, 100))) {
            GUARDED.add(name);
        }
    }

    private static boolean tried(Statement statement, String sql) throws SQLException {
        statement.execute("savepoint s");
        try {
            statement.execute(sql);
            statement.execute("release savepoint s");
            return true;
        } catch (SQLException e) {
            statement.execute("rollback to savepoint s");
            return false;
        }
    }

    private static Connection open() throws SQLException {
        Connection connection = DATABASE.dataSource().getConnection();
        connection.setAutoCommit(false);
        return connection;
    }

    @AfterContainer
    static void dropTables() throws SQLException {
        alice.close();
        bob.close();
        DATABASE.afterEach(null);
    }

    @Property(tries = 400, shrinking = ShrinkingMode.OFF)
    void oneRowHasOneHolderWhateverItsIdIsPrintedAs(@ForAll long seed) throws Exception {
        schedule(new Random(seed));
    }

    @Tag("long")
    @Property(tries = 2_000, shrinking = ShrinkingMode.OFF)
    void oneRowHasOneHolderWhateverItsIdIsPrintedAsAtLength(@ForAll long seed) throws Exception {
        schedule(new Random(seed));
    }

    private static void schedule(Random random) throws Exception {
        IdTable table = oneOf(random, TABLES);
        String row = oneOf(random, table.rows());
        List<LockStrategy> strategies = oneOf(random, STRATEGIES);
        try {
            String hers = set(alice, random);
            String his = set(bob, random);
            Way way = oneOf(random, List.of(Way.values()));
            Boolean held = hold(alice, table, row, strategies.get(0), way, random);
            assertThat(held).isNotEqualTo(false);
            if (held == null) {
                return;
            }
            String schedule = table.type() + ' ' + table.rows() + ' ' + strategies + ' ' + way + ' ' + hers + his;
            if (strategies.get(0) == ADVISORY && GUARDED.contains(table.name())) {
                try (Statement statement = bob.createStatement()) {
                    // The guard refuses at once. The writer waits only for a claim, because a claim also holds the row
                    // lock.
                    statement.execute("set local lock_timeout = '20ms'");
                    boolean written =
                            tried(statement, "update " + table.name() + " set note = 'x' where place = " + row);
                    assertThat(written).as("written behind %s", schedule).isFalse();
                }
                bob.rollback();
            }
            Way other = oneOf(random, List.of(Way.values()));
            assertThat(hold(bob, table, row, strategies.get(1), other, random))
                    .as("a second holder, by %s, of %s", other, schedule)
                    .isNotEqualTo(true);
        } finally {
            alice.rollback();
            bob.rollback();
        }
    }

    private static <T> T oneOf(Random random, List<T> values) {
        return values.get(random.nextInt(values.size()));
    }

    private static String set(Connection connection, Random random) throws SQLException {
        String settings = SETTINGS.entrySet().stream()
                .map(setting -> "set " + setting.getKey() + " = '" + oneOf(random, setting.getValue()) + "'; ")
                .collect(Collectors.joining());
        TestDatabase.execute(connection, settings);
        connection.commit();
        return settings;
    }

    /**
     * Tries to lock a row. Returns whether the session holds the row now. Returns null if the key is refused, or if the
     * text that the session has read does not identify the row.
     */
    private static Boolean hold(
            Connection connection, IdTable table, String row, LockStrategy strategy, Way way, Random random)
            throws SQLException {
        TransactionLocks locks = LOCKS.get(strategy).in(connection);
        try {
            if (way == Way.CLAIM) {
                return !locks.claim(Claim.from(table.name()).where("place = " + row), found -> 1)
                        .isEmpty();
            }
            String text = idText(connection, table, row, oneOf(random, FORMS));
            if (text == null || text.isBlank()) {
                return null;
            }
            if (way != Way.LOCK_IN_BEGUN) {
                connection.commit();
            }
            LockKey key = table.composite() ? LockKey.row(table.name(), 7, text) : LockKey.row(table.name(), text);
            if (way == Way.LOCK_ALL) {
                List<LockKey> keys = List.of(key, LockKey.number(random.nextLong()));
                return locks.lock(forUpdate(keys).noWait().allowAbsent())
                                .absentRows()
                                .isEmpty()
                        ? true
                        : null;
            }
            LockResult result = locks.tryLock(forUpdate(key).allowAbsent());
            return !result.absentRows().isEmpty() ? null : result.isHeld();
        } catch (LockNotAvailableException e) {
            return false;
        } catch (LockTargetException e) {
            assertThat(e.getMessage())
                    .contains(table.name().substring(table.name().indexOf('.') + 1));
            return null;
        }
    }

    /** Returns the text of the id that a session reads; null if the server does not find the row by this text. */
    private static String idText(Connection connection, IdTable table, String row, String form) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            String text = read(statement, "select " + form + " from " + table.name() + " where place = " + row);
            return text != null
                            && "t"
                                    .equals(read(
                                            statement,
                                            "select id = $rowlock$" + text + "$rowlock$::" + table.type() + " from "
                                                    + table.name() + " where place = " + row))
                    ? text
                    : null;
        }
    }

    private static String read(Statement statement, String sql) throws SQLException {
        statement.execute("savepoint s");
        try (ResultSet found = statement.executeQuery(sql)) {
            return found.next() ? found.getString(1) : null;
        } catch (SQLException e) {
            statement.execute("rollback to savepoint s");
            return null;
        }
    }

    @Example
    void noTableIsTakenForAReplacedOne() throws Exception {
        Random random = new Random(1);
        for (IdTable table : TABLES) {
            for (Way way : Way.values()) {
                for (LockStrategy strategy : List.of(ROW, BOTH)) {
                    try {
                        set(alice, random);
                        assertThat(hold(alice, table, table.rows().get(0), strategy, way, random))
                                .isNotEqualTo(false);
                    } finally {
                        alice.rollback();
                    }
                }
            }
        }
    }

    /** Without this test, the other tests would pass even if every type were refused. */
    @Example
    void typesOfOnePrintAreLockedByKeysAndOthersAreRefused() throws Exception {
        Random random = new Random(1);
        for (LockStrategy strategy : List.of(BOTH, ADVISORY)) {
            Set<String> locked = new TreeSet<>();
            Set<String> refused = new TreeSet<>();
            for (IdTable table : TABLES) {
                try {
                    set(alice, random);
                    Boolean held = hold(alice, table, table.rows().get(0), strategy, Way.CLAIM, random);
                    (held == null ? refused : locked).add(table.type().replaceAll(".*\\.|\"", ""));
                } finally {
                    alice.rollback();
                }
            }
            assertThat(locked)
                    .doesNotContainAnyElementsOf(refused)
                    .contains(("int2 int4 int8 numeric text varchar bpchar uuid date time timestamp timestamptz bytea"
                                    + " mood bytes more_bytes moment word")
                            .split(" "));
            assertThat(refused)
                    .contains("timetz", "bool", "inet")
                    .contains(("float4 float8 interval money tstzrange int4range int4multirange regclass _int4 _bytea"
                                    + " citext nocase jsonb _mood float_domain stay numbers float_range plain timed nested cube box")
                            .split(" "));
        }
    }
}
