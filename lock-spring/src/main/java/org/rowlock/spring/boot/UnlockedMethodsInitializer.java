package org.rowlock.spring.boot;

import org.rowlock.spring.Reaction;
import org.rowlock.spring.internal.startup.UnlockedMethods;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Makes every context of Spring Boot report {@link org.rowlock.spring.RowLock} annotations that have no effect. An
 * annotation has no effect if Rowlock is disabled, if there is no DataSource, or if Rowlock's auto-configuration is
 * missing. A test slice or an exclusion can omit the auto-configuration.
 */
final class UnlockedMethodsInitializer implements ApplicationContextInitializer<ConfigurableApplicationContext> {
    @Override
    public void initialize(ConfigurableApplicationContext context) {
        // The check runs after the processors that read the configuration, so that all bean definitions exist.
        context.addBeanFactoryPostProcessor(beans -> {
            Binder binder = Binder.get(context.getEnvironment());
            boolean enabled = binder.bind("rowlock.enabled", Boolean.class).orElse(true);
            UnlockedMethods.check(
                    beans,
                    binder.bind("rowlock.unlocked-methods", Reaction.class).orElse(Reaction.WARN),
                    enabled
                            ? "there is no DataSource, or RowLockAutoConfiguration is not part of this context"
                            : "rowlock.enabled is false");
        });
    }
}
