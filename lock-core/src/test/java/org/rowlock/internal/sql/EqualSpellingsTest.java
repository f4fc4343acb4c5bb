package org.rowlock.internal.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rowlock.LockKey.row;
import static org.rowlock.LockRequest.forUpdate;
import static org.rowlock.LockStrategy.ADVISORY;
import static org.rowlock.LockStrategy.BOTH;
import static org.rowlock.LockStrategy.ROW;
import static org.rowlock.testing.Locks.on;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.rowlock.CommitWrites;
import org.rowlock.LockKey;
import org.rowlock.LockNotAvailableException;
import org.rowlock.LockRequest;
import org.rowlock.LockStrategy;
import org.rowlock.LockTargetException;
import org.rowlock.RowLocks;
import org.rowlock.TransactionLocks;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.testing.OneConnection;
import org.rowlock.testing.TestDatabase;

/**
 * Every type, domain and collation of the server's catalog that a primary key can have. The server says which spellings
 * are one value of it; two transactions never both hold a value, whether its row exists or not.
 */
class EqualSpellingsTest {
    /** Texts of which each type takes some, and holds some equal. */
    private static final String[] SPELLINGS =
            ("1|01|+1|1.0|1.00|1e0| 1|1 |0x1|12|0|-0|0.0|true|t|yes|TRUE|12a|12A|ab|AB|aB|ab |ab\t|"
                            + "\u00e9|e\u0301|E|\u00df|ss|SS|a-b|happy|10.0.0.1|10.0.0.1/32|10.0.0.0/8|10/8|::1|"
                            + "0:0:0:0:0:0:0:1|::1/128|08:00:2b:01:02:03|08-00-2B-01-02-03|08:00:2b:ff:fe:01:02:03|"
                            + "08002bfffe010203|2026-07-01|20260701|July 1, 2026|2026-07-01 09:30|2026-07-01T09:30:00|"
                            + "2026-07-01T09:30:00Z|2026-07-01 11:30+02|09:30|09:30:00|09:30:00+00|10:30:00+01|9:30+0|"
                            + "1 mon|30 days|P1M|1 day|24:00:00|{1,2}|{1, 2}|[1:2]={1,2}|{ab}|{AB}|{\"ab\"}|{1}|{1.0}|"
                            + "{1.0,2}|{t}|{true}|{1 mon}|{30 days}|[1,3)|[1,2]|[1.0,3)|[1.0,3.0)|{[1,3)}|{[1,2]}|"
                            + "{[1,2),[2,3)}|(1,ab)|(1,\"ab\")|(1,AB)|{\"a\":1}|{\"a\": 1.0}|{\"b\":2,\"a\":1}|"
                            + "{\"a\":1,\"b\":2}|\"x\"|\"\\u0078\"|[1]|[1.0]|\\x00ff|\\x00FF|\\000\\377|0/1|0/01|00/1|"
                            + "101|B101|b101|x5|0101|$1|$1.00|a b|b a|a a b|10:20:10,14|10:20:10,14,14|pg_class|"
                            + "pg_catalog.pg_class|a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11|"
                            + "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11|a0eebc999c0b4ef8bb6d6bb9bd380a11|"
                            + "{a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11}")
                    .split("\\|");

    private static final String SEPARATOR = "\u0002";

    @RegisterExtension
    final TestDatabase database = new TestDatabase(
            "create extension if not exists citext schema public",
            "create collation level1 (provider = icu, locale = 'und-u-ks-level1', deterministic = false)",
            "create collation level2 (provider = icu, locale = 'und-u-ks-level2', deterministic = false)",
            "create collation shifted (provider = icu, locale = 'und-u-ka-shifted', deterministic = false)",
            "create collation exact (provider = icu, locale = 'und-u-ks-level2', deterministic = true)",
            "create type mood as enum ('happy', '1', 'ab', 'AB')",
            "create type pair as (first numeric, second public.citext)",
            "create domain number as numeric",
            "create domain more_number as number check (value > -5)",
            "create domain nocase as public.citext",
            "create domain more_nocase as nocase",
            "create domain level1_text as text collate level1",
            "create domain level1_exact as level1_text",
            "create domain document as jsonb",
            "create domain numbers as int[]",
            "create domain truth as boolean",
            "create function is_valid(text, text) returns boolean language plpgsql as $$ begin"
                    + " execute format('select cast($1 as %s)', $2) using $1; return true; exception when others then return false;"
                    + " end $$");

    /** The ways to lock a key and to go on while it is locked. */
    private enum Door {
        LOCK,
        AT_MOST,
        TRY_LOCK,
        LOCK_AND_QUERY,
        IN_TRANSACTION,
        EXECUTE
    }

    private interface Held {
        void run() throws SQLException;
    }

    private final Random random = new Random();
    private final Map<LockStrategy, RowLocks> first = locks();
    private final Map<LockStrategy, RowLocks> second = locks();
    private final Set<String> withKeys = new TreeSet<>();
    private final Set<String> withoutKeys = new TreeSet<>();
    private int cases;
    private Connection alice;
    private Connection bob;

    /** Of a JVM of its own, as no queue of this one stands in for the server. */
    private static Map<LockStrategy, RowLocks> locks() {
        Map<LockStrategy, RowLocks> locks = new EnumMap<>(LockStrategy.class);
        for (LockStrategy strategy : LockStrategy.values()) {
            locks.put(strategy, LockAccess.builder().strategy(strategy).build());
        }
        return locks;
    }

    @Test
    void noTwoSpellingsOfAValueAreHeldAtOnce() throws Exception {
        twoNeverHold(2, 1, 2);
    }

    @Test
    @Tag("long")
    void noTwoSpellingsOfAValueAreHeldAtOnceForManyCollations() throws Exception {
        twoNeverHold(10, 3, 60);
    }

    /**
     * @param pairs how many are drawn of two spellings that a type holds equal
     * @param printed how many of a text and itself, as the server prints it
     * @param collations how many of the catalog's
     */
    private void twoNeverHold(int pairs, int printed, int collations) throws Exception {
        try (Connection one = database.dataSource().getConnection();
                Connection other = database.dataSource().getConnection();
                Connection committing = database.dataSource().getConnection();
                Statement tables = committing.createStatement()) {
            alice = one;
            bob = other;
            List<String> columns = new ArrayList<>(TestDatabase.list(
                    alice,
                    "select format_type(t.oid, null) from pg_type as t where typtype in ('b', 'd', 'e', 'm', 'r')"
                            + " and typcategory <> 'A'"
                            + " and typnamespace in ('pg_catalog'::regnamespace, 'information_schema'::regnamespace,"
                            + " current_schema::regnamespace) or t.oid in ('pair'::regtype,"
                            + " 'public.citext'::regtype)"));
            columns.addAll(List.of("varchar(20)", "char(9)", "numeric(9,2)", "varbit(9)", "timestamptz(0)"));
            for (String collation : List.of("level1", "level2", "shifted", "exact")) {
                for (String type : List.of("text", "varchar(20)", "char(9)", "name", "public.citext")) {
                    columns.add(type + " collate " + collation);
                }
            }
            columns.addAll(List.of("int[]", "numeric[]", "public.citext[]", "numbers"));
            List<String> others = TestDatabase.list(
                    alice,
                    "select 'text collate ' || format('%I.%I', collnamespace::regnamespace,"
                            + " collname) from pg_collation where collnamespace = 'pg_catalog'::regnamespace and collencoding"
                            + " in (-1, pg_char_to_encoding(current_setting('server_encoding')))");
            Collections.shuffle(others, random);
            columns.addAll(others.subList(0, Math.min(collations, others.size())));
            alice.setAutoCommit(false);
            bob.setAutoCommit(false);
            int table = 0;
            for (String column : columns) {
                table++;
                try {
                    tables.execute("create table id" + table + "(id " + column + " primary key)");
                    tables.execute("select from id" + table + " where id = id");
                } catch (SQLException e) {
                    // No primary key can be of it, or nothing compares with it.
                    continue;
                }
                twoNeverHold(tables, "id" + table, column, pairs, printed);
            }
        }
        assertThat(cases).isGreaterThan(300);
        assertThat(withKeys)
                .contains("smallint", "integer", "bigint", "numeric", "text", "varchar(20)", "char(9)", "uuid")
                .contains("date", "mood", "number", "more_number");
        withoutKeys.removeAll(withKeys);
        assertThat(withoutKeys)
                .contains("citext", "nocase", "more_nocase", "jsonb", "document", "level1_text", "level1_exact", "pair")
                .contains("interval", "double precision", "numbers", "int4range", "numeric[]", "text collate level1")
                .contains("name", "boolean", "inet", "macaddr", "bit varying", "truth")
                .contains("char(9) collate level2", "varchar(20) collate level2", "text collate shifted");
    }

    private void twoNeverHold(Statement tables, String table, String column, int pairs, int printed)
            throws SQLException {
        // Without a length, to which a cast would cut.
        String type = column.replaceFirst(" collate .*", "")
                .replaceFirst("\\(.*\\)", "")
                .replaceFirst("^char(acter)?$", "bpchar")
                .replaceFirst("^bit$", "pg_catalog.\"bit\"");
        String valid = "select s from unnest(?::text[]) as s where is_valid(s, ?)";
        String[] spellings = strings(valid, SPELLINGS, type).toArray(String[]::new);
        String collation = column.contains(" collate ") ? column.replaceFirst(".* collate", " collate") : "";
        List<String> equal = strings(
                "select x || E'\\x02' || y from unnest(?::text[]) as x, unnest(?::text[]) as y where" + " cast(x as "
                        + type + ")" + collation + " = cast(y as " + type + ")",
                spellings,
                spellings);
        alice.rollback();
        Collections.shuffle(equal, random);
        List<String> drawn = new ArrayList<>(
                equal.stream().filter(pair -> !isSame(pair)).limit(pairs).toList());
        // Texts as the server prints them show that locks are granted.
        strings("select s from unnest(?::text[]) as s where cast(cast(s as " + type + ") as text) = s", spellings, null)
                .stream()
                .limit(printed)
                .forEach(text -> drawn.add(text + SEPARATOR + text));
        alice.rollback();
        for (String pair : drawn) {
            String[] ids = pair.split(SEPARATOR);
            for (boolean there : new boolean[] {false, true}) {
                tables.execute("delete from " + table);
                if (there) {
                    try (PreparedStatement insert = tables.getConnection()
                            .prepareStatement("insert into " + table + " select cast(? as " + type + ")")) {
                        insert.setString(1, random.nextBoolean() ? ids[0] : ids[1]);
                        insert.execute();
                    } catch (SQLException tooLong) {
                        continue;
                    }
                }
                for (LockStrategy one : LockStrategy.values()) {
                    for (LockStrategy other : LockStrategy.values()) {
                        // These have no lock in common: a row that is there, or a key.
                        if (one == ROW || other == ROW ? there && one != ADVISORY && other != ADVISORY : true) {
                            oneHolds(table, column, ids, one, other);
                        }
                    }
                }
            }
        }
    }

    private static boolean isSame(String pair) {
        String[] ids = pair.split(SEPARATOR);
        return ids[0].equals(ids[1]);
    }

    private List<String> strings(String sql, String[] texts, Object bind) throws SQLException {
        List<String> found = new ArrayList<>();
        try (PreparedStatement statement = alice.prepareStatement(sql)) {
            statement.setArray(1, alice.createArrayOf("text", texts));
            if (bind instanceof String[] array) {
                statement.setArray(2, alice.createArrayOf("text", array));
            } else if (bind != null) {
                statement.setObject(2, bind);
            }
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    found.add(row.getString(1));
                }
            }
        }
        return found;
    }

    private void oneHolds(String table, String column, String[] ids, LockStrategy one, LockStrategy other)
            throws SQLException {
        Door[] doors = Door.values();
        // The last holds nothing while others are asked.
        Door ofAlice = doors[random.nextInt(doors.length - 1)];
        Door ofBob = doors[random.nextInt(doors.length)];
        String name = Arrays.toString(ids) + " of " + column + ", " + ofAlice + ' ' + one + ", " + ofBob + ' ' + other;
        try {
            boolean held = hold(first.get(one), alice, row(table, ids[0]), ofAlice, () -> {
                boolean both = hold(second.get(other), bob, row(table, ids[1]), ofBob, () -> {});
                assertThat(both).as(name).isFalse();
            });
            if (one == BOTH && held) {
                withKeys.add(column);
            } else if (one == BOTH && ids[0].equals(ids[1])) {
                withoutKeys.add(column);
            }
            cases += held ? 1 : 0;
        } finally {
            alice.rollback();
            bob.rollback();
        }
    }

    /** Whether it was granted; an id that is refused, or has another holder, is not. */
    private static boolean hold(RowLocks locks, Connection connection, LockKey key, Door door, Held held)
            throws SQLException {
        TransactionLocks own = locks.in(connection);
        LockRequest asked = forUpdate(key).allowAbsent();
        LockRequest now = asked.noWait();
        try {
            switch (door) {
                case LOCK -> own.lock(now);
                case AT_MOST -> own.lock(asked.atMost(Duration.ofMillis(1)));
                case TRY_LOCK -> {
                    if (!own.tryLock(asked).isHeld()) {
                        return false;
                    }
                }
                case LOCK_AND_QUERY -> own.lockAndRead(now, "select 1", row -> 1);
                case IN_TRANSACTION -> {
                    on(locks, OneConnection.of(connection)).lock(now).useTransaction(tx -> {
                        held.run();
                    });
                    return true;
                }
                case EXECUTE -> {
                    CommitWrites writes = new CommitWrites();
                    writes.add("select set_config('rowlock.test', '1', true)");
                    on(locks, OneConnection.of(connection)).lock(now).execute(writes);
                }
            }
        } catch (LockNotAvailableException | LockTargetException e) {
            return false;
        }
        held.run();
        return true;
    }
}
