package org.rowlock.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rowlock.LockRequest.forUpdate;

import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.rowlock.LockKey;
import org.rowlock.LockResult;
import org.rowlock.LockStrategy;
import org.rowlock.RowLocks;
import org.rowlock.testing.Session;
import org.rowlock.testing.TestDatabase;

/** A strategy for each table, set in the configuration. */
class MigrationTest {
    @RegisterExtension
    final TestDatabase database = new TestDatabase(
            "create table account (id bigint primary key)",
            "insert into account values (1)",
            "create table job (id bigint primary key)");

    /** Reads the strategy of two tables from the configuration, here system properties. */
    private static RowLocks configured(DataSource dataSource) {
        // snippet: strategies
        LockStrategy accounts = LockStrategy.valueOf(System.getProperty("locks.account", "ROW"));
        LockStrategy jobs = LockStrategy.valueOf(System.getProperty("locks.job", "BOTH"));
        RowLocks locks = RowLocks.builder(dataSource)
                .strategy("account", accounts)
                .strategy("job", jobs)
                .strategy(LockStrategy.BOTH) // every other table
                .build();
        // end
        return locks;
    }

    @Test
    void eachTableHasItsStrategy() throws Exception {
        RowLocks locks = configured(database.dataSource());
        Session session = database.session("session");

        LockResult account = session.run(c -> locks.in(c).lock(forUpdate(LockKey.row("account", 1))));
        LockResult job = session.run(
                c -> locks.in(c).lock(forUpdate(LockKey.row("job", 1)).allowAbsent()));

        assertThat(account).hasToString("HELD by ROW");
        assertThat(job.toString()).startsWith("HELD by BOTH");
        assertThat(job.absentRows()).isNotEmpty();
    }
}
