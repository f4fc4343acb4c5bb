package org.rowlock.spring.boot;

import org.rowlock.spring.Reaction;
import org.rowlock.spring.internal.startup.UnlockedMethods;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Has every context of Spring Boot say if its {@link org.rowlock.spring.RowLock} are not read, be it that Rowlock is
 * switched off, that its auto-configuration is excluded or not part of a test slice, or that there is no DataSource.
 */
final class UnlockedMethodsInitializer implements ApplicationContextInitializer<ConfigurableApplicationContext> {
    @Override
    public void initialize(ConfigurableApplicationContext context) {
        // Behind those that read the configuration, so that all definitions are there.
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
