package org.rowlock.internal.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rowlock.LockRequest.forUpdate;
import static org.rowlock.testing.Locks.locks;
import static org.rowlock.testing.Locks.on;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tag;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;
import org.rowlock.CommitWrite;
import org.rowlock.CommitWrites;
import org.rowlock.LockKey;
import org.rowlock.LockStrategy;
import org.rowlock.RowLocks;
import org.rowlock.UnexpectedRowCountException;
import org.rowlock.testing.OneConnection;
import org.rowlock.testing.TestDatabase;

/**
 * Lists of writes drawn at random, on tables with checks, triggers and deferred constraints; and the same statements by
 * hand, one by one, and a commit say what is right: the rows in the end, the number of rows of each, or the SQLSTATE.
 */
@Tag("long")
class CommitWritesPropertiesTest {
    private static final String EXPECTATION = "unexpected";

    private static final Map<String, Integer> STATEMENTS = Map.ofEntries(
            Map.entry("update account set balance = balance + ? where id = ?", 2),
            Map.entry("update account set balance = balance - ? where id > ?", 2),
            Map.entry("update account set balance = balance + 1 where id = ? returning id, balance", 1),
            Map.entry("insert into account values (?, ?)", 2),
            Map.entry("insert into account values (?, ?) on conflict (id) do nothing", 2),
            Map.entry("insert into account values (?, ?) on conflict (id) do update set balance = 9 returning *", 2),
            Map.entry("insert into child(account, amount) values (?, ?)", 2),
            Map.entry("insert into child(account, amount) select id, ? from account where balance < ?", 2),
            Map.entry("delete from account where id = ?", 1),
            Map.entry("delete from child where amount > ? -- many", 1),
            Map.entry(
                    "with a as (select ?::int as id) update account set balance = 1 from a where a.id = account.id", 1),
            Map.entry("select count(*) from account where id = ?", 1));

    private static final List<String> TABLES = List.of(
            "create table account(id int primary key, balance bigint not null check (balance >= 0))",
            "insert into account select g, g from generate_series(1, 4) g",
            "create table child(account int references account deferrable initially deferred, amount bigint)",
            "create function half() returns trigger language plpgsql as $$begin if new.amount = 3 then"
                    + " raise exception 'three' using errcode = 'ZZ003'; elsif new.amount = 2 then return null; end if;"
                    + " return new; end$$",
            "create trigger half before insert on child for each row execute function half()");

    private static final String ROWS = "select 'a' as t, id, balance from account union all select 'c', account, amount"
            + " from child order by 1, 2, 3";

    private static TestDatabase ours;
    private static TestDatabase byHand;

    /** One statement with values, and how many rows it has to change, or none. */
    private record Drawn(String sql, List<Integer> binds, Integer expected) {
        Object[] values() {
            return binds.subList(0, STATEMENTS.get(sql)).toArray();
        }
    }

    @BeforeContainer
    static void createTables() throws SQLException {
        ours = new TestDatabase(TABLES.toArray(String[]::new));
        byHand = new TestDatabase(TABLES.toArray(String[]::new));
        ours.beforeEach(null);
        byHand.beforeEach(null);
    }

    @AfterContainer
    static void dropTables() throws SQLException {
        ours.afterEach(null);
        byHand.afterEach(null);
    }

    @Provide
    Arbitrary<List<Drawn>> writes() {
        Arbitrary<String> sql =
                Arbitraries.of(STATEMENTS.keySet().stream().sorted().toList());
        Arbitrary<List<Integer>> binds =
                Arbitraries.integers().between(0, 5).list().ofSize(2);
        Arbitrary<Integer> expected = Arbitraries.of(1, 1, 1, 0, 2).injectNull(0.5);
        return Combinators.combine(sql, binds, expected)
                .as((text, values, rows) -> new Drawn(text, values, isCheckedByTheServer(text) ? rows : null))
                .list()
                .ofMinSize(1)
                .ofMaxSize(4);
    }

    /** What Rowlock checks itself comes behind the errors of later statements. */
    private static boolean isCheckedByTheServer(String sql) {
        return !sql.startsWith("with") && !sql.startsWith("select");
    }

    @Property
    void theOutcomeIsThatOfTheSameByHand(
            @ForAll("writes") List<Drawn> writes, @ForAll LockStrategy strategy, @ForAll boolean behindLock)
            throws SQLException {
        try (Connection connection = ours.dataSource().getConnection();
                Connection plain = byHand.dataSource().getConnection()) {
            List<String> outcome = write(connection, writes, strategy, behindLock);
            assertThat(outcome).isEqualTo(writeByHand(plain, writes));
            assertThat(rows(connection)).isEqualTo(rows(plain));
            for (Connection each : List.of(connection, plain)) {
                restore(each);
            }
        }
    }

    private static List<String> write(
            Connection connection, List<Drawn> writes, LockStrategy strategy, boolean behindLock) {
        RowLocks locks = locks(strategy);
        LockKey key = LockKey.row("account", 1);
        CommitWrites atCommit = new CommitWrites();
        List<CommitWrite> added = new ArrayList<>();
        for (Drawn each : writes) {
            CommitWrite write = atCommit.add(each.sql(), each.values());
            added.add(each.expected() == null ? write : write.expectRows(each.expected()));
        }
        try {
            if (behindLock) {
                on(locks, OneConnection.of(connection)).lock(forUpdate(key)).execute(atCommit);
            } else {
                connection.setAutoCommit(false);
                locks.in(connection).lock(forUpdate(key));
                locks.in(connection).commit(atCommit);
                connection.setAutoCommit(true);
            }
        } catch (SQLException e) {
            return List.of(e.getSQLState());
        } catch (UnexpectedRowCountException e) {
            return List.of(EXPECTATION);
        }
        return added.stream().map(write -> String.valueOf(write.count())).toList();
    }

    private static List<String> writeByHand(Connection connection, List<Drawn> writes) throws SQLException {
        List<String> counts = new ArrayList<>();
        connection.setAutoCommit(false);
        try {
            for (Drawn each : writes) {
                int count = executeByHand(connection, each);
                counts.add(String.valueOf(count));
                if (each.expected() != null && count != each.expected()) {
                    connection.rollback();
                    return List.of(EXPECTATION);
                }
            }
            connection.commit();
            return counts;
        } catch (SQLException e) {
            connection.rollback();
            return List.of(e.getSQLState());
        } finally {
            connection.setAutoCommit(true);
        }
    }

    private static int executeByHand(Connection connection, Drawn drawn) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(drawn.sql())) {
            Object[] values = drawn.values();
            for (int i = 0; i < values.length; i++) {
                statement.setObject(i + 1, values[i]);
            }
            if (!statement.execute()) {
                return statement.getUpdateCount();
            }
            int rows = 0;
            try (ResultSet row = statement.getResultSet()) {
                while (row.next()) {
                    rows++;
                }
            }
            return rows;
        }
    }

    /** A transaction of ours that is still open would show its own rows. */
    private static List<String> rows(Connection connection) throws SQLException {
        List<String> rows = new ArrayList<>();
        if (!connection.getAutoCommit()) {
            connection.commit();
            connection.setAutoCommit(true);
        }
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(ROWS)) {
            while (row.next()) {
                rows.add(row.getString(1) + row.getString(2) + ':' + row.getString(3));
            }
        }
        return rows;
    }

    private static void restore(Connection connection) throws SQLException {
        TestDatabase.execute(
                connection,
                "delete from child",
                "delete from account",
                "insert into account select g, g from generate_series(1, 4) g");
    }
}
