package org.rowlock.spring.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Events;
import org.rowlock.spring.test.LeakingCases.AssertsInARequest;
import org.rowlock.spring.test.LeakingCases.CleansUpAfterEach;
import org.rowlock.spring.test.LeakingCases.LeavesALockInAnotherThread;
import org.rowlock.spring.test.LeakingCases.LeavesAPermit;
import org.rowlock.spring.test.LeakingCases.LeavesARowLock;
import org.rowlock.spring.test.LeakingCases.LeavesASessionLock;
import org.rowlock.spring.test.LeakingCases.LeavesASpringTransaction;
import org.rowlock.spring.test.LeakingCases.LeavesATaskThatEnds;
import org.rowlock.spring.test.LeakingCases.LeavesATransaction;
import org.rowlock.spring.test.LeakingCases.LeavesNothing;
import org.rowlock.spring.test.LeakingCases.OnlyTheFirstLeaves;
import org.rowlock.spring.test.LeakingCases.WithoutRowLocks;
import org.rowlock.spring.test.LeakingCases.WithoutSpring;
import org.rowlock.testing.TestDatabase;

/**
 * Runs test classes with {@link RowLockTest}. Checks that each kind of leak fails its test, with a message that
 * describes the leak.
 */
class RowLockTestTest {
    static volatile TestDatabase current;
    static final List<CleanUp> leaked = new CopyOnWriteArrayList<>();

    @RegisterExtension
    final TestDatabase database =
            new TestDatabase("create table orders (id bigint primary key)", "insert into orders values (1), (42)");

    interface CleanUp {
        void run() throws Exception;
    }

    @BeforeEach
    void useThisSchema() {
        current = database;
    }

    @AfterEach
    void endWhatTheCasesLeft() throws Exception {
        for (CleanUp each : leaked) {
            each.run();
        }
        leaked.clear();
    }

    @Test
    void aSessionLock() {
        assertThat(failure(LeavesASessionLock.class))
                .startsWith(
                        "LeavesASessionLock.test has left behind:\n  - in dataSource: an advisory lock on orders[42]"
                                + " (exclusive) of server process ")
                .contains("pg_advisory_unlock")
                .doesNotContain("an open transaction");
    }

    @Test
    void aTransactionWithoutALock() {
        assertThat(failure(LeavesATransaction.class))
                .contains("in dataSource: an open transaction, begun ")
                .contains("idle in transaction, last statement: select 'forgotten'")
                .doesNotContain("an advisory lock");
    }

    @Test
    void aLockAndItsTransaction() {
        assertThat(failure(LeavesARowLock.class))
                .contains("an open transaction")
                .contains("an advisory lock on orders[42] (exclusive)");
    }

    /** Before its first statement, the server does not know the transaction. */
    @Test
    void aTransactionOfSpringsThatHasDoneNothingYet() {
        assertThat(failure(LeavesASpringTransaction.class))
                .contains("a Spring transaction that is bound to the thread ")
                .doesNotContain("an open transaction");
    }

    @Test
    void anAdmissionPermit() {
        assertThat(failure(LeavesAPermit.class))
                .contains("admission permits: 1 keys have a thread that waits in their queue or was admitted, and"
                        + " 0 had before the test")
                .doesNotContain("an open transaction");
    }

    @Test
    void aCallThatStillRunsInAnotherThread() {
        assertThat(failure(LeavesALockInAnotherThread.class))
                .contains("an open transaction")
                .contains("an advisory lock on orders[42] (exclusive)")
                .contains("admission permits");
    }

    @Test
    void whatWasThereBeforeATestIsNotBlamedOnIt() {
        Events tests = run(OnlyTheFirstLeaves.class);
        assertThat(tests.failed().count()).isEqualTo(1);
        assertThat(tests.succeeded().count()).isEqualTo(1);
        assertThat(failures(tests).get(0)).startsWith("OnlyTheFirstLeaves.test has left behind");
    }

    @ParameterizedTest
    @ValueSource(
            classes = {LeavesNothing.class, CleansUpAfterEach.class, LeavesATaskThatEnds.class, AssertsInARequest.class
            })
    void testsThatLeaveNothingPass(Class<?> cases) {
        Events tests = run(cases);
        assertThat(failures(tests)).isEmpty();
        assertThat(tests.succeeded().count()).isPositive();
    }

    @ParameterizedTest
    @ValueSource(classes = {WithoutSpring.class, WithoutRowLocks.class})
    void withoutRowLocksItSaysWhatIsMissing(Class<?> cases) {
        assertThat(failure(cases))
                .contains("@RowLockTest finds no row locks in the Spring context")
                .contains("@SpringBootTest, or @SpringJUnitConfig with a configuration that has @EnableRowLocks");
    }

    private static String failure(Class<?> cases) {
        List<String> failures = failures(run(cases));
        assertThat(failures).hasSize(1);
        return failures.get(0);
    }

    private static List<String> failures(Events tests) {
        List<String> failures = new ArrayList<>();
        tests.failed().stream()
                .map(event -> event.getRequiredPayload(TestExecutionResult.class))
                .forEach(result ->
                        failures.add(result.getThrowable().orElseThrow().getMessage()));
        return failures;
    }

    private static Events run(Class<?> cases) {
        return EngineTestKit.engine("junit-jupiter")
                .selectors(selectClass(cases))
                .execute()
                .testEvents();
    }
}
