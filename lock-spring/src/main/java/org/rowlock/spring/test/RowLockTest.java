package org.rowlock.spring.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Fails each test that leaves an advisory lock, an open transaction or an admission permit behind, and makes
 * {@link RowLockAssertions} work. Add it beside {@code @SpringBootTest} or {@code @SpringJUnitConfig}:
 *
 * <pre>{@code
 * @SpringBootTest
 * @RowLockTest
 * class OrderServiceTest { ... }
 * }</pre>
 *
 * <p>It checks after everything else that follows a test, so a transaction that Spring manages around the test is over
 * by then. Locks and transactions from before the test are not counted.
 *
 * <p>It checks every session of the server with the user, client address and {@code application_name} of the context's
 * DataSources. It therefore finds leaks in any thread and any pool. If other programs use the same database at the same
 * time, give the tests an {@code ApplicationName} of their own. For the same reason, these classes run alone when JUnit
 * runs tests in parallel. A context that the test closes ({@code @DirtiesContext}) closes its connections, and only its
 * permits and the thread's transaction are checked.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
@ExtendWith(LeakCheck.Extension.class)
@Isolated("Asks the server what a test has left behind, and others would seem to be its")
@Execution(ExecutionMode.SAME_THREAD)
public @interface RowLockTest {
    /**
     * How long work that continues after the test, such as an asynchronous task, may take to end by itself. The default
     * is one second.
     *
     * @return the time in milliseconds; 0 to check only once
     */
    long graceMillis() default 1_000;
}
