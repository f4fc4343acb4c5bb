package org.rowlock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.rowlock.testing.TestDatabase;

/** Checks services that the Kotlin compiler has compiled. */
@Tag("long")
class KotlinTest {
    @RegisterExtension
    final TestDatabase database = TestDatabase.accounts(2);

    private TestContext start(Class<?> service) {
        return Contexts.start(
                database,
                beans -> Contexts.settings(beans, new TestSettings().unlockedMethods(Reaction.FAIL)),
                service);
    }

    @Test
    void suspendingFunctionsAreRefused() {
        assertThatThrownBy(() -> start(SuspendingService.class))
                .hasStackTraceContaining("RowLockDefinitionException")
                .hasStackTraceContaining("SuspendingService.ship")
                .hasStackTraceContaining("suspending function");
    }

    @Test
    void flowsAreRefused() {
        assertThatThrownBy(() -> start(FlowingService.class))
                .hasStackTraceContaining("RowLockDefinitionException")
                .hasStackTraceContaining("FlowingService.all")
                .hasStackTraceContaining("Flow");
    }

    /**
     * In the class file, a default argument is a call of the object to itself. The method is nevertheless called
     * through the proxy.
     */
    @Test
    void defaultArgumentsAreNoCallsWithinTheObject() throws Exception {
        PlainService service = start(PlainService.class).getBean(PlainService.class);
        Callers.addOne(service, 1);
        service.add(1, 2);
        assertThat(service.move(new Move(1, 2))).isEqualTo(2);
        assertThat(database.query("select balance from account where id = 1")).isEqualTo("3");
    }
}
