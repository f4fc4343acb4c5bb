package org.rowlock.examples.key;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.rowlock.LockStrategy;
import org.rowlock.RowLocks;
import org.rowlock.testing.Session;
import org.rowlock.testing.Step;
import org.rowlock.testing.TestDatabase;

/** The programs of docs/many-rows.md, and the same rows without a lock in front, which deadlock. */
class ManyRowsTest {
    @RegisterExtension
    final TestDatabase database = new TestDatabase(
            "create table account (id bigint primary key, balance bigint not null)",
            "insert into account values (1, 0), (2, 0)");

    private static Map<Long, Long> inOrder(long first, long second) {
        Map<Long, Long> amounts = new LinkedHashMap<>();
        amounts.put(first, 5L);
        amounts.put(second, 5L);
        return amounts;
    }

    @ParameterizedTest
    @EnumSource(names = {"ROW", "BOTH"})
    void batchesInOppositeOrdersWaitForEachOther(LockStrategy strategy) throws Exception {
        ManyRows each = new ManyRows(
                RowLocks.builder(database.dataSource()).strategy(strategy).build());
        Session alice = database.session("alice");
        Session bob = database.session("bob");

        alice.act(c -> each.add(c, inOrder(1, 2)));
        Step<?> bobs = bob.startAction(c -> each.add(c, inOrder(2, 1)));
        bobs.awaitBlockedBy(alice);
        alice.commit();
        bobs.get();
        bob.act(c -> each.close(c, Set.of(2L)));
        bob.commit();

        assertThat(database.query("select string_agg(id || ':' || balance, ' ' order by id) from account"))
                .isEqualTo("1:10 2:0");
    }

    @Test
    void withoutTheLockTheyDeadlock() throws Exception {
        Session alice = database.session("alice");
        Session bob = database.session("bob");
        String add = "update account set balance = balance + 5 where id = ";

        alice.execute(add + 1);
        bob.execute(add + 2);
        Step<?> alices = alice.startExecute(add + 2);
        alices.awaitBlockedBy(bob);
        Step.assertDeadlock(alices, bob.startExecute(add + 1));
    }
}
