package org.rowlock.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.context.annotation.Import;

/**
 * Enables {@link RowLock}, beside {@code @EnableTransactionManagement}. Spring Boot does so by itself. Beans of type
 * {@link org.rowlock.RowLocks} (strategies, budget), {@link RowLockSettings} and {@code ObservationRegistry} are used
 * if they exist.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Import(RowLockConfiguration.class)
public @interface EnableRowLocks {}
