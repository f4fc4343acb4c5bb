package org.rowlock.spring.test;

import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.rowlock.spring.Reaction;
import org.rowlock.spring.internal.startup.UnlockedMethods;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.Ordered;
import org.springframework.test.context.TestContext;
import org.springframework.test.context.support.AbstractTestExecutionListener;

/**
 * Gives {@link RowLockAssertions} the application context of the running test. In tests of an application without
 * Spring Boot, this listener also reports a missing {@link org.rowlock.spring.EnableRowLocks}. A test listener is
 * necessary for this report, because without the annotation the context has no bean of Rowlock that Spring could call.
 */
final class RowLockTestListener extends AbstractTestExecutionListener {
    private static final String SAID = RowLockTestListener.class.getName();
    private static final String REACTION = "rowlock.unlocked-methods";

    /**
     * The name of a bean that exists only in contexts of Spring Boot. Such a context has already reported annotations
     * without effect.
     */
    private static final String OF_BOOT = "springApplicationArguments";

    /**
     * The context of each running test. Every thread can read the contexts, because the service under test does not
     * always run on the thread of the test.
     */
    private static final List<ApplicationContext> RUNNING = new CopyOnWriteArrayList<>();

    /** Returns the only context of the running tests. */
    static ApplicationContext running() {
        List<ApplicationContext> contexts = RUNNING.stream().distinct().toList();
        if (contexts.size() != 1) {
            throw new IllegalStateException(
                    contexts.isEmpty()
                            ? "No Spring test is running, so RowLockAssertions has no context. Annotate the test class"
                                    + " with @SpringBootTest or @SpringJUnitConfig."
                            : "Tests with several contexts run at the same time, so RowLockAssertions cannot choose a"
                                    + " context. Run these tests one after the other, for example with @Isolated.");
        }
        return contexts.get(0);
    }

    static void begin(ApplicationContext context) {
        RUNNING.add(context);
    }

    static void end(@Nullable Object context) {
        boolean unused = RUNNING.remove(context);
    }

    @Override
    public int getOrder() {
        return Ordered.LOWEST_PRECEDENCE;
    }

    @Override
    public void prepareTestInstance(TestContext test) {
        if (!test.hasApplicationContext()) {
            return;
        }
        ApplicationContext context = test.getApplicationContext();
        if (context instanceof ConfigurableApplicationContext configurable
                && !configurable.getBeanFactory().containsSingleton(OF_BOOT)
                && !configurable.getBeanFactory().containsSingleton(SAID)) {
            configurable.getBeanFactory().registerSingleton(SAID, this);
            String reaction = context.getEnvironment().getProperty(REACTION, Reaction.WARN.name());
            UnlockedMethods.check(
                    configurable.getBeanFactory(),
                    Reaction.valueOf(reaction.toUpperCase(Locale.ROOT)),
                    "@EnableRowLocks is missing");
        }
    }

    @Override
    public void beforeTestMethod(TestContext test) {
        if (test.hasApplicationContext()) {
            test.setAttribute(SAID, test.getApplicationContext());
            begin(test.getApplicationContext());
        }
    }

    @Override
    public void afterTestMethod(TestContext test) {
        end(test.removeAttribute(SAID));
    }
}
