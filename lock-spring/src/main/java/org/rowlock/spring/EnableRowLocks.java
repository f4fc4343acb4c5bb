package org.rowlock.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.context.annotation.Import;

/**
 * Enables {@link RowLock} in an application without Spring Boot. Add this annotation to a class that also has {@code
 * @EnableTransactionManagement}. Rowlock uses beans of type {@link org.rowlock.RowLocks} (strategies, budget),
 *     {@link RowLockSettings} and {@code ObservationRegistry} if such beans exist.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Import(RowLockConfiguration.class)
public @interface EnableRowLocks {}
