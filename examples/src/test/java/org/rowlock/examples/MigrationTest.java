package org.rowlock.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rowlock.LockRequest.forUpdate;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.rowlock.LockKey;
import org.rowlock.LockResult;
import org.rowlock.RowLocks;
import org.rowlock.testing.Session;
import org.rowlock.testing.TestDatabase;

class MigrationTest {
    @RegisterExtension
    final TestDatabase database = new TestDatabase(
            "create table account (id bigint primary key)",
            "insert into account values (1)",
            "create table job (id bigint primary key)");

    @Test
    void eachTableHasItsStrategy() throws Exception {
        RowLocks locks = Migration.configured(database.dataSource());
        Session session = database.session("session");

        LockResult account = session.run(c -> locks.in(c).lock(forUpdate(LockKey.row("account", 1))));
        LockResult job = session.run(
                c -> locks.in(c).lock(forUpdate(LockKey.row("job", 1)).allowAbsent()));

        assertThat(account).hasToString("HELD by ROW");
        assertThat(job.toString()).startsWith("HELD by BOTH");
        assertThat(job.absentRows()).isNotEmpty();
    }
}
