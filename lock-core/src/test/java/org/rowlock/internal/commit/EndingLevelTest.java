package org.rowlock.internal.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.rowlock.testing.Failures.sqlState;
import static org.rowlock.testing.TestDatabase.execute;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import javax.sql.XAConnection;
import javax.transaction.xa.XAResource;
import javax.transaction.xa.Xid;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.xa.PGXADataSource;
import org.rowlock.internal.request.ResolvedRequest;
import org.rowlock.internal.request.Write;
import org.rowlock.internal.session.FlushRunner;
import org.rowlock.internal.session.PgSession;
import org.rowlock.internal.sql.Flush;
import org.rowlock.internal.sql.Part;
import org.rowlock.testing.TestDatabase;

/** What is waited for behind an early COMMIT is what a plain one would have waited for, whoever has set it. */
class EndingLevelTest {
    private static final List<String> LEVELS = List.of("off", "local", "remote_write", "on", "remote_apply");

    @RegisterExtension
    final TestDatabase database = new TestDatabase(
            "create table item(id int)",
            "create function insert_at_remote_apply() returns void language sql set synchronous_commit = remote_apply"
                    + " as 'insert into item values (1)'");

    private final EarlyRelease release = new EarlyRelease();

    /**
     * Ends the transaction as {@link Commit} does, and gives the level behind the COMMIT and at which it was kept.
     */
    private List<String> end(Connection connection) throws SQLException {
        PgSession session = PgSession.of(connection);
        Ending ending = release.ending(session, true);
        List<Part> parts = ending.around(Part.control(Ending.COMMIT));
        try (PreparedStatement statement = connection.prepareStatement(Flush.textOf(parts))) {
            FlushRunner.bind(statement, parts, ResolvedRequest.NONE);
            statement.execute();
            String kept = column(statement, 1);
            statement.getMoreResults();
            statement.getMoreResults();
            return List.of(column(statement, 2), kept.split(" ")[1]);
        }
    }

    private void commitEarly(Connection connection) throws SQLException {
        Commit.run(connection, null, List.of(), session -> release.ending(session, true), List.of(), false);
    }

    private static String column(Statement statement, int at) throws SQLException {
        try (ResultSet row = statement.getResultSet()) {
            row.next();
            return row.getString(at);
        }
    }

    /** All pairs of what the session, the role or the database has and what the transaction sets for itself. */
    @ParameterizedTest
    @ValueSource(strings = {"session", "role", "database"})
    void theTransactionsOwnLevelCountsAndIsGoneAfterwards(String where) throws Exception {
        String role = "r_" + database.schema();
        String name = database.query("select current_database()");
        database.execute(
                "create role " + role + " login superuser password 'secret'",
                "grant all on schema " + database.schema() + " to " + role);
        database.closing(() -> database.execute(
                "alter database " + name + " reset synchronous_commit", "drop owned by " + role, "drop role " + role));
        for (String outer : LEVELS) {
            String target = where.equals("role") ? "role " + role : "database " + name;
            if (!where.equals("session")) {
                database.execute("alter " + target + " set synchronous_commit = " + outer);
            }
            try (Connection connection = database.dataSourceOf(role).getConnection()) {
                if (where.equals("session")) {
                    execute(connection, "set synchronous_commit = " + outer);
                }
                connection.setAutoCommit(false);
                for (String inner : LEVELS) {
                    execute(connection, "set local synchronous_commit = " + inner);
                    execute(connection, "insert into item values (1)");
                    assertThat(end(connection)).as("%s in %s", inner, outer).containsOnly(inner);
                    execute(connection, "insert into item values (1)");
                    assertThat(end(connection)).as("none in %s", outer).containsOnly(outer);
                }
            }
        }
    }

    /** As for a plain COMMIT: it is gone when the function returns. */
    @Test
    void aFunctionsOwnLevelDoesNotCount() throws Exception {
        Connection connection = database.closing(database.dataSource().getConnection());
        execute(connection, "set synchronous_commit = local");
        connection.setAutoCommit(false);
        execute(connection, "select insert_at_remote_apply()");
        assertThat(end(connection)).containsOnly("local");
    }

    /** What it has read, or written before it was made read only, may not be durable yet. */
    @ParameterizedTest
    @ValueSource(strings = {"select count(*) from item", "insert into item values (1)"})
    void aReadOnlyTransactionWaitsLikeAnyOther(String sql) throws Exception {
        Connection connection = database.closing(database.dataSource().getConnection());
        execute(connection, "set synchronous_commit = on");
        connection.setAutoCommit(false);
        execute(connection, sql);
        execute(connection, "set transaction read only");
        assertThat(end(connection)).containsOnly("on");
    }

    private record BranchId(byte[] getGlobalTransactionId, byte[] getBranchQualifier) implements Xid {
        @Override
        public int getFormatId() {
            return 1;
        }
    }

    /** The driver refuses it, and so does the early commit. */
    @Test
    void theBranchOfAnXaTransactionIsNotCommittedByItself() throws Exception {
        PGXADataSource dataSource = new PGXADataSource();
        dataSource.setURL(database.dataSource().getURL());
        dataSource.setUser(database.dataSource().getUser());
        dataSource.setPassword(database.dataSource().getPassword());
        XAConnection managed = dataSource.getXAConnection();
        database.closing(managed::close);
        Xid branch = new BranchId(new byte[] {1}, new byte[] {2});
        managed.getXAResource().start(branch, XAResource.TMNOFLAGS);
        Connection connection = managed.getConnection();
        execute(connection, "insert into " + database.schema() + ".item values (1)");
        assertThatThrownBy(() -> commitEarly(connection)).satisfies(sqlState("55000"));
        Write write = new Write("insert into " + database.schema() + ".item values (2)");
        write.again();
        assertThatThrownBy(() -> Commit.run(connection, null, List.of(), Ending.Choice.PLAIN, List.of(write), false))
                .satisfies(sqlState("55000"));
        managed.getXAResource().end(branch, XAResource.TMSUCCESS);
        // However the driver reports that nothing is left to commit: the writes were told to be undone.
        Throwable unused = catchThrowable(() -> managed.getXAResource().commit(branch, true));
        assertThat(database.query("select count(*) from item")).isEqualTo("0");
    }

    /**
     * Somebody else's session answers, as behind a pooler that takes a flush apart: what it waited for is not taken for
     * ours.
     */
    @Test
    void anotherSessionsConfirmationIsNotTakenForIt() throws Exception {
        database.execute(
                "create function meddle() returns trigger language plpgsql as $$ begin"
                        + " perform set_config('rowlock.commit', repeat('0', 16) || ' off', false); return null; end $$",
                "create constraint trigger meddle after insert on item deferrable initially deferred for each row"
                        + " execute function meddle()");
        try (Connection connection = database.dataSource().getConnection()) {
            execute(connection, "set synchronous_commit = on");
            connection.setAutoCommit(false);
            execute(connection, "insert into item values (1)");
            String before = database.query("select pg_current_wal_flush_lsn()");
            commitEarly(connection);
            assertThat(database.query("select pg_current_wal_flush_lsn() > '" + before + "'"))
                    .isEqualTo("t");
            assertThat(connection.getAutoCommit()).isFalse();
        }
        assertThat(database.query("select count(*) from item")).isEqualTo("1");
    }
}
