package org.rowlock.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rowlock.LockRequest.forUpdate;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.rowlock.CommitWrites;
import org.rowlock.LockKey;
import org.rowlock.LockStrategy;
import org.rowlock.RowLocks;
import org.rowlock.RowLocksBuilder.LockFront;
import org.rowlock.RowLocksBuilder.LockRelease;
import org.rowlock.guard.RowLockGuard;
import org.rowlock.testing.Session;
import org.rowlock.testing.Step;
import org.rowlock.testing.StreamingPair;
import org.rowlock.testing.TestDatabase;

/** The SQL that operators are told to run. That of docs/keys.md has a test of its own. */
class DocumentedSqlTest {
    private static final Path DOCS = Path.of(System.getProperty("basedir", ""))
            .toAbsolutePath()
            .getParent()
            .resolve("docs");

    private static final Pattern SQL = Pattern.compile("^ *```sql\n(.*?)^ *```$", Pattern.MULTILINE | Pattern.DOTALL);

    @RegisterExtension
    final TestDatabase database = new TestDatabase(
            "create table orders(id int primary key)",
            "insert into orders values (7)",
            "create table account(id int primary key, balance bigint)",
            "insert into account values (42, 100)");

    @BeforeEach
    void watchTheTables() throws SQLException {
        database.execute(RowLockGuard.schemaSql(), "select rowlock.install_guard('account')");
        database.execute("select rowlock.install_audit('orders')");
    }

    static Stream<String> statements() throws IOException {
        List<String> all = new ArrayList<>();
        for (String document : List.of("incidents.md", "operating.md", "migrating.md", "guard.md")) {
            all.addAll(sqlOf(document));
        }
        return all.stream();
    }

    private static List<String> sqlOf(String document) throws IOException {
        return SQL.matcher(Files.readString(DOCS.resolve(document)))
                .results()
                .map((MatchResult block) -> block.group(1))
                .toList();
    }

    /** The first statement of a document that has this in it. */
    private static String sqlOf(String document, String part) throws IOException {
        return sqlOf(document).stream()
                .filter(sql -> sql.contains(part))
                .findFirst()
                .orElseThrow();
    }

    /** One that ends other sessions only has to be understood by the server. */
    @ParameterizedTest
    @MethodSource("statements")
    void everyStatementRuns(String sql) throws Exception {
        database.execute(sql.contains("pg_terminate_backend") ? "explain " + sql : sql);
    }

    /** Only one of the sessions that wait for a row waits for its holder; the others wait for that one. */
    @Test
    void aChainOfWaitersIsCountedDownToItsHead() throws Exception {
        Session chainHead = database.session("chain head");
        Session queueHead = database.session("queue head");
        chainHead.execute("select from orders where id = 7 for update");
        queueHead.execute("select pg_advisory_xact_lock(1)");
        Session next = database.session("next");
        next.startExecute("select from orders where id = 7 for update").awaitBlockedBy(chainHead);
        for (int i = 0; i < 5; i++) {
            database.session("chain " + i)
                    .startExecute("select from orders where id = 7 for update")
                    .awaitBlockedBy(next);
        }
        for (int i = 0; i < 3; i++) {
            database.session("queue " + i)
                    .startExecute("select pg_advisory_xact_lock_shared(1)")
                    .awaitBlockedBy(queueHead);
        }

        List<String> heads = rows(sqlOf("incidents.md").get(1)).lines().toList();

        assertThat(heads).hasSize(2);
        assertThat(heads.get(0)).startsWith("pid=" + chainHead.pid() + '|').contains("|waiters=6|");
        assertThat(heads.get(1)).startsWith("pid=" + queueHead.pid() + '|').contains("|waiters=3|");
        chainHead.commit();
        queueHead.commit();
        // Each then has the row until the check behind the test ends its transaction.
    }

    @Test
    void theRoleOfTheDocumentsEndsTheHeadAndNoOtherSession() throws Exception {
        String monitor = database.role("pg_monitor");
        PGSimpleDataSource application = database.dataSource();
        application.setUser(database.role());
        application.setPassword("secret");
        Session head = database.session("head", application);
        Session other = database.session("other", application);
        head.execute("select pg_advisory_xact_lock(1)");
        other.execute("select 1");
        String ends = sqlOf("incidents.md", "pg_terminate_backend").replace("4711", String.valueOf(head.pid()));
        Session oncall = database.session("oncall");
        oncall.execute("set role " + monitor);
        assertThatThrownBy(() -> oncall.execute(ends)).hasMessageContaining("permission denied");
        oncall.rollback();
        assertThat(Files.readString(DOCS.resolve("operating.md")))
                .contains("grant pg_monitor, pg_signal_backend to oncall");
        database.execute("grant pg_signal_backend to " + monitor);
        oncall.execute("set role " + monitor);
        oncall.execute(ends);

        assertThatThrownBy(() -> head.execute("select 1")).isInstanceOf(SQLException.class);
        other.execute("select 1");
    }

    @Test
    void aWriterThatDoesNotLockIsListed() throws Exception {
        database.execute("update orders set id = 7 where id = 7");
        String writers = rows(sqlOf("guard.md", "rowlock.stray_writers"));
        assertThat(writers.lines())
                .anySatisfy(line -> assertThat(line)
                        .contains("relation=orders|", "application=" + database.schema(), "update orders set id"));
    }

    @Test
    void theGuardsAreListed() throws Exception {
        String guards = rows(sqlOf("guard.md", "rowlock.guards"));
        assertThat(guards.lines())
                .anySatisfy(line -> assertThat(line).contains("relation=account|current=t|enabled=t|"));
    }

    /** For a key, for a row, and for a lock in front. */
    @ParameterizedTest
    @CsvSource({"ADVISORY, NEVER, orders 7", "ROW, NEVER, transactionid", "ROW, ALWAYS, front orders"})
    void aWaiterIsShownWithItsHolder(LockStrategy strategy, LockFront front, String what) throws Exception {
        RowLocks locks = RowLocks.builder(database.dataSource())
                .strategy(strategy)
                .front(front)
                .build();
        Session holder = database.session("holder");
        Session waiter = database.session("waiter");
        holder.run(connection -> locks.in(connection).lock(forUpdate(LockKey.row("orders", 7))));
        Step<?> waiting = waiter.start(connection -> locks.in(connection).lock(forUpdate(LockKey.row("orders", 7))));
        waiting.awaitBlockedBy(holder);

        String waits = rows(sqlOf("incidents.md").get(0));
        assertThat(waits.lines())
                .anySatisfy(line -> assertThat(line)
                        .contains("pid=" + waiter.pid() + "|", "what=" + what, "blocked_by={" + holder.pid() + "}"));
        String heads = rows(sqlOf("incidents.md").get(1));
        assertThat(heads.lines())
                .anySatisfy(line -> assertThat(line)
                        .contains("pid=" + holder.pid() + "|", "state=idle in transaction", "waiters=1"));
        String plainWriters = rows(sqlOf("guard.md", "pg_blocking_pids"));
        assertThat(plainWriters.contains("pid=" + waiter.pid() + "|")).isEqualTo(what.equals("transactionid"));

        holder.commit();
        waiting.get();
    }

    /**
     * With a plain commit the others wait for its row; with an early one for nothing, and all the same none is
     * acknowledged.
     */
    @Tag("long")
    @Test
    void commitsThatWaitForAStandbyThatIsGoneAreShownAndReturnWhenItIsNotRequired() throws Exception {
        try (StreamingPair pair = StreamingPair.start()) {
            PGSimpleDataSource primary = pair.primary().dataSource();
            primary.setOptions("-c synchronous_commit=on");
            PGSimpleDataSource local = pair.primary().dataSource();
            local.setOptions("-c synchronous_commit=local");
            execute(local, "create table orders(id int primary key)");
            execute(local, "insert into orders select generate_series(1, 9)");
            pair.requireStandbys(StreamingPair.STANDBY);
            pair.standby().stop();
            List<Session> writers = List.of(
                    database.session("plain", primary, pair.primary()),
                    database.session("early", primary, pair.primary()));
            List<Step<Object>> commits = new ArrayList<>();
            for (LockRelease release : LockRelease.values()) {
                RowLocks locks =
                        RowLocks.builder(database.dataSource()).release(release).build();
                Session writer = writers.get(release.ordinal());
                commits.add(writer.start(connection -> {
                    locks.in(connection).lock(forUpdate(LockKey.row("orders", 1 + release.ordinal())));
                    locks.in(connection).commit(new CommitWrites());
                    return null;
                }));
            }
            pair.awaitWaiting(2);
            Session waiter = database.session("waiter", primary, pair.primary());
            waiter.startExecute("select from orders where id = 1 for update").awaitBlockedBy(writers.get(0));

            assertThat(rows(local, sqlOf("incidents.md").get(1)).lines())
                    .hasSize(2)
                    .allMatch(line -> line.contains("|wait_event_type=IPC|wait_event=SyncRep|"))
                    .anyMatch(line -> line.startsWith("pid=" + writers.get(0).pid()) && line.contains("|waiters=1|"))
                    .anyMatch(line -> line.startsWith("pid=" + writers.get(1).pid()) && line.contains("|waiters=0|"));
            String standbys = sqlOf("incidents.md", "pg_stat_replication");
            assertThat(rows(local, standbys)).startsWith("required=standby|application_name=null|");
            execute(local, "alter system set synchronous_standby_names = ''");
            execute(local, "select pg_reload_conf()");
            for (Step<Object> commit : commits) {
                commit.get();
            }
        }
    }

    private static void execute(DataSource dataSource, String sql) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private String rows(String sql) throws Exception {
        return rows(database.dataSource(), sql);
    }

    private static String rows(DataSource dataSource, String sql) throws Exception {
        StringBuilder text = new StringBuilder();
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            ResultSetMetaData columns = row.getMetaData();
            while (row.next()) {
                for (int i = 1; i <= columns.getColumnCount(); i++) {
                    text.append(columns.getColumnLabel(i))
                            .append('=')
                            .append(row.getString(i))
                            .append('|');
                }
                text.append('\n');
            }
        }
        return text.toString();
    }
}
