package org.rowlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rowlock.LockRequest.forUpdate;
import static org.rowlock.testing.Locks.lock;
import static org.rowlock.testing.Locks.locks;

import java.math.BigDecimal;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.LocalDate;
import java.util.List;
import java.util.UUID;
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
import org.rowlock.testing.GoldenVector;
import org.rowlock.testing.Session;
import org.rowlock.testing.TestDatabase;

/** For every type of id, the guard acquires the same keys as the library. */
class GuardKeysTest {
    @RegisterExtension
    final TestDatabase database = new TestDatabase(
            "create type mood as enum ('HAPPY', 'SAD')",
            "create domain order_number as bigint check (value > 0)",
            "create domain export_number as order_number",
            "create domain moment as timestamptz",
            "create domain scaled as numeric(30, 2)");

    private final RowLocks locks = locks(LockStrategy.ADVISORY);

    @BeforeEach
    void install() throws SQLException {
        database.execute(RowLockGuard.schemaSql());
    }

    /** Returns the ids of the library's own contract, and ids of columns whose values print in several ways. */
    static Stream<Ids> ids() {
        return Stream.concat(
                IdTypesContract.ids(),
                Stream.of(
                        new Ids("a export_number", "42", "3000000000", 42, 3_000_000_000L),
                        new Ids(
                                "a moment",
                                "'2024-02-29 10:20+02'",
                                "'2024-02-29 10:20Z'",
                                Instant.parse("2024-02-29T08:20:00Z"),
                                Instant.parse("2024-02-29T10:20:00Z")),
                        new Ids("a scaled", "42", "30000000000.00", 42, 30_000_000_000L),
                        new Ids("a numeric", "-2147483648.000", "100", "-2147483648", new BigDecimal("1e2")),
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
        // The key must not depend on the settings by which a session prints values.
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
                lock(session, locks, forUpdate(LockKey.row("thing", first ? ids.first() : ids.second())));
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
        LockKey key = LockKey.row("measure", 7, LocalDate.of(2026, 7, 1));
        lock(session, locks, forUpdate(key));
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
            for (GoldenVector vector : GoldenVector.all()) {
                if (!vector.kind().equals("row")) {
                    continue;
                }
                Array id = connection.createArrayOf("text", vector.id().split("\u001f"));
                statement.setLong(1, Long.parseLong(vector.oid()));
                statement.setArray(2, id);
                try (ResultSet row = statement.executeQuery()) {
                    row.next();
                    assertThat(List.of(text(row, 1), text(row, 2), text(row, 3)))
                            .as(vector.what())
                            .isEqualTo(List.of(vector.first(), vector.second(), vector.number()));
                }
                vectors++;
            }
        }
        assertThat(vectors).isGreaterThan(30);
    }

    private static String text(ResultSet row, int column) throws SQLException {
        String text = row.getString(column);
        return text == null ? "" : text;
    }

    private static List<String> held(Connection connection) throws SQLException {
        return TestDatabase.list(
                connection,
                "select classid || ' ' || objid || ' ' || objsubid || ' ' || mode from pg_locks"
                        + " where locktype = 'advisory' and granted and pid = pg_backend_pid()");
    }
}
