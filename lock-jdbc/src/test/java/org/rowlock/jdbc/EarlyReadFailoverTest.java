package org.rowlock.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.rowlock.LockRequest.forUpdate;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;
import org.rowlock.CommitWrites;
import org.rowlock.LockKey;
import org.rowlock.LockRelease;
import org.rowlock.RowLocks;
import org.rowlock.testing.StreamingPair;

/**
 * What is released early can be read while the network to the synchronous standby hangs and nothing is acknowledged.
 * The primary is killed then, and the standby takes over.
 */
@Tag("long")
class EarlyReadFailoverTest {
    private static final RowLocks EARLY =
            RowLocks.builder().release(LockRelease.EARLY).build();

    private static <T> CompletableFuture<T> start(Callable<T> task) {
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        return task.call();
                    } catch (Exception e) {
                        throw new CompletionException(e);
                    }
                },
                run -> {
                    Thread thread = new Thread(run, "client");
                    thread.setDaemon(true);
                    thread.start();
                });
    }

    /** Whoever wants the account. */
    private static Void enterEarly(PGSimpleDataSource primary, int number) throws SQLException {
        try (Connection connection = primary.getConnection()) {
            connection.setAutoCommit(false);
            EARLY.in(connection).lock(forUpdate(LockKey.row("account", 1)));
            CommitWrites writes = new CommitWrites();
            writes.add("insert into entry values (?)", number);
            EARLY.in(connection).commit(writes);
            return null;
        }
    }

    @Test
    void noReaderIsToldOfWhatIsLost() throws Exception {
        try (StreamingPair pair = StreamingPair.start()) {
            PGSimpleDataSource primary = pair.primary().dataSource();
            primary.setOptions("-c synchronous_commit=on");
            try (Connection connection = primary.getConnection();
                    Statement statement = connection.createStatement()) {
                statement.execute("create table account(id int primary key)");
                statement.execute("insert into account values (1)");
                statement.execute("create table entry(id int primary key)");
                for (String sql : EarlyRead.TABLES) {
                    statement.execute(sql);
                }
            }
            pair.awaitReplay();
            pair.requireStandbys(StreamingPair.STANDBY);
            GatedDatabase gated = new GatedDatabase(
                    primary, RowlockMode.QUEUE, LockRelease.EARLY, GatedDatabase.queues(10, GatedDatabase.NEVER_OVER));
            enterEarly(primary, 1);
            try (Connection connection = gated.dataSource.getConnection()) {
                assertThat(EarlyRead.ROW.read(connection, 1, EarlyRead.Way.COMMIT))
                        .containsExactly(1);
            }

            pair.network().freeze();
            CompletableFuture<Void> lost = start(() -> enterEarly(primary, 2));
            pair.awaitWaiting(1);
            Map<String, CompletableFuture<Set<Integer>>> readers = new LinkedHashMap<>();
            for (EarlyRead read : EarlyRead.values()) {
                for (EarlyRead.Way way : EarlyRead.Way.values()) {
                    int id = readers.size() + 1;
                    readers.put(read + " by " + way, start(() -> {
                        try (Connection connection = gated.dataSource.getConnection()) {
                            return read.read(connection, id, way);
                        }
                    }));
                }
            }
            pair.awaitWaiting(() -> 1
                    + (int) readers.values().stream()
                            .filter(each -> !each.isDone())
                            .count());
            pair.killPrimary();
            pair.promote();
            assertThat(catchThrowable(lost::join)).isNotNull();
            try (Connection connection = pair.standby().dataSource().getConnection();
                    Statement statement = connection.createStatement();
                    ResultSet rows = statement.executeQuery("select id from entry")) {
                Set<Integer> stored = new HashSet<>();
                while (rows.next()) {
                    stored.add(rows.getInt(1));
                }
                assertThat(stored).containsExactly(1);
                readers.forEach((name, reader) -> assertThat(catchThrowable(
                                () -> assertThat(reader.join()).as(name).isSubsetOf(stored)))
                        .as(name)
                        .hasCauseInstanceOf(SQLException.class));
            }
        }
    }
}
