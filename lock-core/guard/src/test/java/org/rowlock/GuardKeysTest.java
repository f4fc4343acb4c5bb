package org.rowlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rowlock.LockRequest.forUpdate;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.rowlock.contract.IdTypesContract;
import org.rowlock.contract.IdTypesContract.Ids;
import org.rowlock.guard.Install;
import org.rowlock.guard.RowLockGuard;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.testing.Session;
import org.rowlock.testing.TestDatabase;

/** The keys that the guard takes are those that the library takes, for every type of id. */
class GuardKeysTest {
    private static final Pattern ESCAPE = Pattern.compile("\\\\(?:u([0-9a-f]{4})|(\\\\))");

    @RegisterExtension
    final TestDatabase database = new TestDatabase(
            "create type mood as enum ('HAPPY', 'SAD')",
            "create domain order_number as bigint check (value > 0)",
            "create domain export_number as order_number",
            "create domain moment as timestamptz",
            "create domain scaled as numeric(30, 2)");

    private final RowLocks locks =
            LockAccess.builder().strategy(LockStrategy.ADVISORY).build();

    @BeforeEach
    void install() throws SQLException {
        database.execute(RowLockGuard.schemaSql());
    }

    /** Those of the library's own contract, and columns whose values print in several ways. */
    static Stream<Ids> ids() {
        return Stream.concat(
                IdTypesContract.ids(),
                Stream.of(
                        new Ids("a export_number", "42", "3000000000", 42, 3_000_000_000L),
                        new Ids(
                                "a moment",
                                "'2024-02-29 10:20+02'",
                                "'2024-02-29 10:20Z'",
                                java.time.Instant.parse("2024-02-29T08:20:00Z"),
                                java.time.Instant.parse("2024-02-29T10:20:00Z")),
                        new Ids("a scaled", "42", "30000000000.00", 42, 30_000_000_000L),
                        new Ids("a numeric", "-2147483648.000", "100", "-2147483648", new java.math.BigDecimal("1e2")),
                        new Ids("a text", "'007'", "'-0'", "007", "-0"),
                        new Ids(
                                "a text",
                                "'2147483648'",
                                "'99999999999999999999'",
                                2147483648L,
                                "99999999999999999999"),
                        new Ids(
                                "a text",
                                "'6F1ED002-AB59-4B1B-8B1E-3C1A7D2F9E10'",
                                "'6f1ed002ab594b1b8b1e3c1a7d2f9e10'",
                                UUID.fromString("6f1ed002-ab59-4b1b-8b1e-3c1a7d2f9e10"),
                                "6f1ed002ab594b1b8b1e3c1a7d2f9e10"),
                        new Ids(
                                "a text, b uuid",
                                "'6F1ED002-AB59-4B1B-8B1E-3C1A7D2F9E10', '6F1ED002-AB59-4B1B-8B1E-3C1A7D2F9E10'",
                                "'x', '00000000-0000-0000-0000-000000000000'",
                                List.of("6F1ED002-AB59-4B1B-8B1E-3C1A7D2F9E10", "6F1ED002-AB59-4B1B-8B1E-3C1A7D2F9E10"),
                                List.of("x", new UUID(0, 0))),
                        new Ids(
                                "a mood, b smallint",
                                "'SAD', -1",
                                "'HAPPY', 1",
                                List.of("SAD", -1),
                                List.of("HAPPY", 1))));
    }

    @ParameterizedTest
    @MethodSource("ids")
    void aWriterTakesTheKeyThatTheLibraryTakes(Ids ids, Session session) throws Exception {
        database.execute(
                "create table thing(" + ids.columns() + ", note text, primary key (" + ids.names() + "))",
                "insert into thing values (" + ids.firstSql() + "), (" + ids.secondSql() + ")",
                Install.guard("thing", 10));
        // How a session has values printed must not matter.
        for (String settings : List.of(
                "",
                "perform set_config('datestyle', 'SQL, DMY', true), set_config('timezone', 'Asia/Kolkata', true);",
                "perform set_config('datestyle', 'German', true), set_config('timezone', 'America/St_Johns', true);")) {
            for (boolean first : new boolean[] {true, false}) {
                session.execute(
                        "do $$ begin " + settings + " update thing set note = 'x' where (" + ids.names() + ") in (("
                                + (first ? ids.firstSql() : ids.secondSql())
                                + ")); assert found; perform set_config('datestyle', 'ISO', true); end $$");
                List<String> byGuard = session.run(GuardKeysTest::held);
                session.rollback();
                session.run(c -> locks.in(c).lock(forUpdate(LockKey.row("thing", first ? ids.first() : ids.second()))));
                assertThat(byGuard).hasSize(1).isEqualTo(session.run(GuardKeysTest::held));
                session.rollback();
            }
        }
    }

    @Test
    void aPartitionHasTheKeyOfItsRoot(Session session) throws Exception {
        database.execute(
                "create table measure (id bigint, day date, primary key (id, day)) partition by range (day)",
                "create table measure_2026 partition of measure for values from ('2026-01-01') to ('2027-01-01')"
                        + " partition by range (day)",
                "create table measure_07 partition of measure_2026 for values from ('2026-07-01') to ('2026-08-01')",
                "insert into measure values (7, '2026-07-01')",
                Install.guard("measure", 10));
        LockKey key = LockKey.row("measure", 7, java.time.LocalDate.of(2026, 7, 1));
        session.run(c -> locks.in(c).lock(forUpdate(key)));
        List<String> byLibrary = session.run(GuardKeysTest::held);
        for (String table : List.of("measure", "measure_2026", "measure_07")) {
            session.rollback();
            session.execute("delete from " + table);
            assertThat(session.run(GuardKeysTest::held)).isEqualTo(byLibrary);
        }
    }

    @Test
    void functionsGiveTheGoldenVectors() throws Exception {
        int vectors = 0;
        try (Connection connection = database.dataSource().getConnection();
                PreparedStatement statement = connection.prepareStatement(
                        "select k.first, k.second, k.number from rowlock.key(cast(? as oid), rowlock.id_text(variadic ?)) as k")) {
            for (String line : lines()) {
                String[] columns = line.split("\t", -1);
                if (!columns[0].equals("row")) {
                    continue;
                }
                Array id =
                        connection.createArrayOf("text", unescaped(columns[2]).split("\u001f"));
                statement.setLong(1, Long.parseLong(columns[1]));
                statement.setArray(2, id);
                try (ResultSet row = statement.executeQuery()) {
                    row.next();
                    assertThat(List.of(text(row, 1), text(row, 2), text(row, 3)))
                            .as(columns[7])
                            .isEqualTo(List.of(columns[4], columns[5], columns[6]));
                }
                vectors++;
            }
        }
        assertThat(vectors).isGreaterThan(30);
    }

    private static List<String> lines() throws Exception {
        try (InputStream in = GuardKeysTest.class.getResourceAsStream("key-version-1.tsv")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
        }
    }

    private static String unescaped(String id) {
        return ESCAPE.matcher(id)
                .replaceAll(escape -> escape.group(1) == null
                        ? Matcher.quoteReplacement("\\")
                        : String.valueOf((char) Integer.parseInt(escape.group(1), 16)));
    }

    private static String text(ResultSet row, int column) throws SQLException {
        String text = row.getString(column);
        return text == null ? "" : text;
    }

    private static List<String> held(Connection connection) throws SQLException {
        List<String> keys = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement(
                        "select classid, objid, objsubid, mode from pg_locks where locktype = 'advisory' and granted and pid = pg_backend_pid()");
                ResultSet row = statement.executeQuery()) {
            while (row.next()) {
                keys.add(row.getString(1) + ' ' + row.getString(2) + ' ' + row.getString(3) + ' ' + row.getString(4));
            }
        }
        return keys;
    }
}
