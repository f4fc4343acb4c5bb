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
 * Fails each test that leaves an advisory lock, an open transaction or an admission permit behind.
 * {@link RowLockAssertions} require this annotation too. Add the annotation beside {@code @SpringBootTest} or
 * {@code @SpringJUnitConfig}:
 *
 * <pre>{@code
 * @SpringBootTest
 * @RowLockTest
 * class OrderServiceTest { ... }
 * }</pre>
 *
 * <p>The check is the last step of a test, after Spring has rolled back the transaction of the test. Locks and
 * transactions that already existed before the test are ignored.
 *
 * <p>The check includes every session with the user, client address and {@code application_name} of the context's
 * DataSources. The check therefore finds leaks in any thread and pool. If other programs use the same database at the
 * same time, give the tests a different {@code ApplicationName}. JUnit runs the annotated classes alone, even if it
 * runs other tests in parallel, because other tests could hold locks at the same time. If the test closes its context
 * ({@code @DirtiesContext}), only the context's permits and the thread's transaction are checked.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
@ExtendWith(LeakCheck.Extension.class)
@Isolated("The check would report locks of other tests as leaks of this test")
@Execution(ExecutionMode.SAME_THREAD)
public @interface RowLockTest {
    /**
     * The time limit for work that continues after the test, such as an asynchronous task. The default is one second.
     *
     * @return the time in milliseconds; 0 to check only once
     */
    long graceMillis() default 1_000;
}
