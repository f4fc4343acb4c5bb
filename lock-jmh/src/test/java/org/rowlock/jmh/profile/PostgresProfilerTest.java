package org.rowlock.jmh.profile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.openjdk.jmh.profile.ProfilerException;
import org.rowlock.testing.Session;
import org.rowlock.testing.Step;
import org.rowlock.testing.TestDatabase;

/** Checks the figures that the profiler reads from a real server. The tests of scenarios use the profiler in JMH. */
class PostgresProfilerTest {
    @RegisterExtension
    final TestDatabase database = new TestDatabase("create table t (id int primary key)", "insert into t values (1)");

    @ParameterizedTest
    @ValueSource(strings = {"host=x", "url", "url=localhost/db", "interval=50"})
    void wrongOptionsAreRefusedWithTheRightOnes(String line) {
        assertThatThrownBy(() -> new PostgresProfiler(line))
                .isInstanceOf(ProfilerException.class)
                .hasMessageContaining("url=..;user=..;password=..");
    }

    @Test
    void aPasswordIsNotShown() {
        assertThatThrownBy(() -> new PostgresProfiler("pasword=secret"))
                .hasMessageContaining("pasword")
                .hasMessageNotContaining("secret");
    }

    @Test
    void countsWalXidsAndMultiXacts() throws Exception {
        Session one = database.session("one");
        Session other = database.session("other");
        try (Connection looking = database.dataSource().getConnection()) {
            ServerCounters before = ServerCounters.read(looking);
            one.execute("select id from t where id = 1 for share");
            // A second shared lock of a row creates a MultiXact of both transactions.
            other.execute("select id from t where id = 1 for share");
            one.commit();
            other.commit();
            ServerCounters counted = ServerCounters.read(looking).since(before);
            assertThat(counted.multixacts()).isGreaterThanOrEqualTo(1);
            assertThat(counted.xids()).isGreaterThanOrEqualTo(2);
            assertThat(counted.walBytes()).isPositive();
        }
    }

    @Test
    void aMultiXactCounterMayWrapAround() {
        ServerCounters before = new ServerCounters(0, 0, Integer.MAX_VALUE, 0, 0);
        ServerCounters after = new ServerCounters(0, 0, Integer.MIN_VALUE + 1, 0, 0);
        assertThat(after.since(before).multixacts()).isEqualTo(2);
    }

    @Test
    void samplesWhatSessionsWaitFor() throws Exception {
        Session holder = database.session("holder");
        Session waiter = database.session("waiter");
        holder.execute("select pg_advisory_xact_lock(4711)");
        Step<Boolean> waiting = waiter.startExecute("select pg_advisory_xact_lock(4711)");
        waiting.awaitBlockedBy(holder);
        TestDatabase.await("the wait is shown")
                .until(() -> database.query("select wait_event from pg_stat_activity where pid = " + waiter.pid())
                        .equals("advisory"));
        WaitSampler sampler = WaitSampler.start(database.dataSource().getConnection());
        TestDatabase.await().until(() -> sampler.samples() > 5);
        Map<String, Double> waits = sampler.stop();
        assertThat(waits.get("Lock:advisory")).isEqualTo(1.0);
        assertThat(waits.get("Client:ClientRead")).isGreaterThanOrEqualTo(1.0);
        holder.commit();
        waiting.get();
        waiter.commit();
    }
}
