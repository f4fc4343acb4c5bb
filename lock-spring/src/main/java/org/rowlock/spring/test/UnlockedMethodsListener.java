package org.rowlock.spring.test;

import java.util.Locale;
import org.rowlock.spring.Reaction;
import org.rowlock.spring.internal.startup.UnlockedMethods;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.Ordered;
import org.springframework.test.context.TestContext;
import org.springframework.test.context.support.AbstractTestExecutionListener;

/**
 * Reports a forgotten {@link org.rowlock.spring.EnableRowLocks} in tests of an application without Spring Boot. A test
 * listener is necessary, because in a context Spring calls only beans, and without the annotation the context has no
 * bean of Rowlock.
 */
final class UnlockedMethodsListener extends AbstractTestExecutionListener {
    private static final String SAID = UnlockedMethodsListener.class.getName();
    private static final String REACTION = "rowlock.unlocked-methods";

    /**
     * The name of a bean that exists only in contexts of Spring Boot. Such a context has already reported the fault.
     */
    private static final String OF_BOOT = "springApplicationArguments";

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
}
