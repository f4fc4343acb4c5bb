package org.rowlock.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.rowlock.LockStrategy;
import org.rowlock.RowLocks;
import org.rowlock.testing.Session;
import org.rowlock.testing.TestDatabase;

class JobQueueTest {
    @RegisterExtension
    final TestDatabase database = new TestDatabase(
            "create table job (id bigint primary key, state text not null)",
            "insert into job select i, case when i % 2 = 0 then 'done' else 'ready' end from generate_series(1, 30) as i");

    @ParameterizedTest
    @EnumSource
    void everyJobIsDoneOnce(LockStrategy strategy) throws Exception {
        JobQueue queue = new JobQueue(
                RowLocks.builder(database.dataSource()).strategy(strategy).build());
        Session alice = database.session("alice");
        Session bob = database.session("bob");

        List<Long> alices = alice.run(queue::work);
        List<Long> bobs = bob.run(queue::work);
        alice.commit();
        bob.commit();

        assertThat(alices).containsExactly(1L, 3L, 5L, 7L, 9L, 11L, 13L, 15L, 17L, 19L);
        assertThat(bobs).containsExactly(21L, 23L, 25L, 27L, 29L);
        assertThat(bob.run(queue::work)).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void jobsThatAnotherWorkerHoldsAreSkipped(LockStrategy strategy) throws Exception {
        JobQueue queue = new JobQueue(
                RowLocks.builder(database.dataSource()).strategy(strategy).build());
        Session alice = database.session("alice");
        List<Long> alices = alice.run(queue::work);
        List<Long> others = queue.workAndCommit();
        alice.rollback();
        assertThat(others).containsExactly(21L, 23L, 25L, 27L, 29L);
        assertThat(queue.workAndCommit()).isEqualTo(alices);
        assertThat(queue.workAndCommit()).isEmpty();
    }
}
