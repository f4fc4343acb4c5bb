package org.rowlock.internal.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.rowlock.LockRequest.forUpdate;
import static org.rowlock.testing.Locks.locks;
import static org.rowlock.testing.Locks.on;
import static org.rowlock.testing.TestDatabase.begin;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.Tag;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;
import org.rowlock.CommitWrite;
import org.rowlock.CommitWrites;
import org.rowlock.LockRequest;
import org.rowlock.LockStrategy;
import org.rowlock.RowLocks;
import org.rowlock.UnexpectedRowCountException;
import org.rowlock.internal.group.Crowd.Caller;
import org.rowlock.testing.OneConnection;
import org.rowlock.testing.TestDatabase;

/**
 * Writes drawn at random, of callers in groups and of one caller alone, on tables with checks, triggers and deferred
 * constraints. The same statements by hand, one at a time and in the same order, say what is right: the counts and rows
 * of each caller, or its SQLSTATE, and the tables in the end.
 */
class WritesPropertiesTest {
    private static final String EXPECTATION = "unexpected";

    private static final String FILL = "insert into account select g, g from generate_series(1, 4) g";

    private static final String[] TABLES = {
        "create table account(id int primary key, balance bigint not null check (balance >= 0))",
        FILL,
        "create table child(account int references account deferrable initially deferred, amount bigint)",
        "create function half() returns trigger language plpgsql as $$begin if new.amount = 3 then"
                + " raise exception 'three' using errcode = 'ZZ003'; elsif new.amount = 2 then return null; end if;"
                + " return new; end$$",
        "create trigger half before insert on child for each row execute function half()"
    };

    /** With how many parameters. */
    private enum Sql {
        ADD("update account set balance = balance + ? where id = ?", 2),
        TAKE("update account set balance = balance - ? where id = ? returning balance", 2),
        TAKE_FROM_MANY("update account set balance = balance - ? where id > ?", 2),
        ADD_ONE("update account set balance = balance + 1 where id = ? returning id, balance", 1),
        ADD_TO_MANY("update account set balance = balance + 1 where id > ?", 1),
        INSERT("insert into account values (?, ?)", 2),
        INSERT_IF_ABSENT("insert into account values (?, ?) on conflict (id) do nothing", 2),
        UPSERT(
                "insert into account values (?, ?) on conflict (id) do update set balance = account.balance + 9 returning balance",
                2),
        OVERWRITE("insert into account values (?, ?) on conflict (id) do update set balance = 9 returning *", 2),
        CHILD("insert into child(account, amount) values (?, ?)", 2),
        CHILDREN("insert into child(account, amount) select id, ? from account where balance < ?", 2),
        DELETE("delete from account where id = ?", 1),
        DELETE_RETURNING("delete from account where id = ? returning balance", 1),
        DELETE_MANY("delete from child where amount > ? -- many", 1),
        WITH("with a as (select ?::int as id) update account set balance = 1 from a where a.id = account.id", 1),
        SELECT("select balance from account where id = ?", 1),
        COUNT("select count(*) from account where id = ?", 1);

        final String text;
        final int parameters;

        Sql(String text, int parameters) {
            this.text = text;
            this.parameters = parameters;
        }

        /** An expectation of other statements is refused. */
        boolean isCheckedByTheServer() {
            return !text.startsWith("with") && !text.startsWith("select");
        }
    }

    /** One statement with values, and how many rows it has to change, or none. */
    private record Drawn(Sql sql, int first, int second, Integer expected) {
        Object[] values() {
            return sql.parameters == 1 ? new Object[] {first} : new Object[] {first, second};
        }
    }

    private static TestDatabase ours;
    private static TestDatabase byHand;

    @BeforeContainer
    static void createTables() throws SQLException {
        ours = new TestDatabase(TABLES);
        byHand = new TestDatabase(TABLES);
        ours.beforeEach(null);
        byHand.beforeEach(null);
    }

    @AfterContainer
    static void dropTables() throws SQLException {
        ours.afterEach(null);
        byHand.afterEach(null);
    }

    @Provide
    Arbitrary<List<Drawn>> caller() {
        Arbitrary<Integer> value = Arbitraries.integers().between(0, 5);
        Arbitrary<Integer> expected = Arbitraries.of(1, 1, 1, 0, 2).injectNull(0.5);
        return Combinators.combine(Arbitraries.of(Sql.class), value, value, expected)
                .as((sql, first, second, rows) ->
                        new Drawn(sql, first, second, sql.isCheckedByTheServer() ? rows : null))
                .list()
                .ofMinSize(1)
                .ofMaxSize(4);
    }

    @Provide
    Arbitrary<List<List<Drawn>>> callers() {
        return caller().list().ofMinSize(2).ofMaxSize(6);
    }

    @Property(tries = 40, shrinking = ShrinkingMode.OFF)
    void theOutcomeOfEachInAGroupIsThatOfOneAfterTheOther(
            @ForAll("callers") List<List<Drawn>> callers, @ForAll LockStrategy strategy) throws Exception {
        assertThat(inGroups(callers, strategy)).isEqualTo(oneAfterTheOther(callers));
        assertSameRows();
    }

    @Tag("long")
    @Property
    void theOutcomeOfOneIsThatOfTheSameByHand(
            @ForAll("caller") List<Drawn> writes, @ForAll LockStrategy strategy, @ForAll boolean behindLock)
            throws Exception {
        assertThat(alone(writes, strategy, behindLock))
                .isEqualTo(oneAfterTheOther(List.of(writes)).get(0));
        assertSameRows();
    }

    private static void assertSameRows() throws SQLException {
        assertThat(rows(ours)).isEqualTo(rows(byHand));
        for (TestDatabase each : List.of(ours, byHand)) {
            each.execute("truncate account, child", FILL);
        }
    }

    private static String alone(List<Drawn> drawn, LockStrategy strategy, boolean behindLock) throws SQLException {
        CommitWrites writes = new CommitWrites();
        List<CommitWrite> added = add(writes, drawn);
        RowLocks locks = locks(strategy);
        try (Connection connection = ours.dataSource().getConnection()) {
            Throwable failure = catchThrowable(() -> {
                if (behindLock) {
                    on(locks, OneConnection.of(connection))
                            .lock(forUpdate(Crowd.KEY))
                            .execute(writes);
                } else {
                    connection.setAutoCommit(false);
                    locks.in(connection).lock(forUpdate(Crowd.KEY));
                    locks.in(connection).commit(writes);
                }
            });
            // A transaction of ours that is still open would show its own rows.
            if (!connection.getAutoCommit()) {
                connection.commit();
            }
            return told(added, failure);
        }
    }

    private static List<String> inGroups(List<List<Drawn>> callers, LockStrategy strategy) throws Exception {
        List<List<CommitWrite>> added = new ArrayList<>();
        List<Caller> waiting = new ArrayList<>();
        RowLocks locks = Crowd.builder(8).strategy(strategy).build();
        DataSource dataSource = ours.dataSource();
        // One of them may delete the row, as by hand.
        LockRequest account = forUpdate(Crowd.KEY).allowAbsent();
        try (Crowd crowd = Crowd.behind(ours, locks, dataSource)) {
            for (List<Drawn> each : callers) {
                CommitWrites writes = new CommitWrites();
                added.add(add(writes, each));
                waiting.add(crowd.add(() -> on(locks, dataSource).lock(account).execute(writes)));
            }
        }
        List<String> outcomes = new ArrayList<>();
        for (int i = 0; i < waiting.size(); i++) {
            outcomes.add(told(added.get(i), waiting.get(i).failure()));
        }
        return outcomes;
    }

    private static List<CommitWrite> add(CommitWrites writes, List<Drawn> drawn) {
        return drawn.stream()
                .map(each -> {
                    CommitWrite write = writes.add(each.sql().text, each.values());
                    return each.expected() == null ? write : write.expectRows(each.expected());
                })
                .toList();
    }

    private static String told(List<CommitWrite> writes, Throwable failure) throws SQLException {
        if (failure instanceof UnexpectedRowCountException) {
            return EXPECTATION;
        }
        if (failure != null) {
            assertThat(failure).isInstanceOf(SQLException.class);
            return ((SQLException) failure).getSQLState();
        }
        StringBuilder told = new StringBuilder();
        for (CommitWrite each : writes) {
            told.append(each.count()).append(each.rows());
        }
        return told.toString();
    }

    private static List<String> oneAfterTheOther(List<List<Drawn>> callers) throws SQLException {
        List<String> outcomes = new ArrayList<>();
        try (Connection connection = begin(byHand.dataSource())) {
            for (List<Drawn> each : callers) {
                try {
                    outcomes.add(byHand(connection, each));
                } catch (SQLException e) {
                    connection.rollback();
                    outcomes.add(e.getSQLState());
                }
            }
        }
        return outcomes;
    }

    private static String byHand(Connection connection, List<Drawn> writes) throws SQLException {
        StringBuilder told = new StringBuilder();
        TestDatabase.execute(connection, "select 1 from account where id = 1 for update");
        for (Drawn each : writes) {
            try (PreparedStatement statement = connection.prepareStatement(each.sql().text)) {
                for (int i = 0; i < each.values().length; i++) {
                    statement.setObject(i + 1, each.values()[i]);
                }
                List<List<Object>> rows = new ArrayList<>();
                int count;
                if (statement.execute()) {
                    ResultSet row = statement.getResultSet();
                    while (row.next()) {
                        List<Object> columns = new ArrayList<>();
                        for (int i = 1; i <= row.getMetaData().getColumnCount(); i++) {
                            columns.add(row.getObject(i));
                        }
                        rows.add(columns);
                    }
                    count = rows.size();
                } else {
                    count = statement.getUpdateCount();
                }
                if (each.expected() != null && count != each.expected()) {
                    connection.rollback();
                    return EXPECTATION;
                }
                told.append(count).append(rows);
            }
        }
        connection.commit();
        return told.toString();
    }

    private static String rows(TestDatabase of) throws SQLException {
        return of.query("select string_agg(r, ',' order by r) from (select id || ':' || balance as r from account"
                + " union all select 'c' || account || ':' || amount from child) t");
    }
}
