package org.rowlock.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.rowlock.RowLockMode;
import org.springframework.core.annotation.AliasFor;

/**
 * Locks rows for the transaction of a method, as {@code SELECT ... FOR NO KEY UPDATE} at its beginning would: after the
 * transaction has begun, before the first line of the method, until the transaction has ended. There is no unlock.
 *
 * <p>On a parameter it locks the row, or all rows of a collection, whose id the argument is:
 *
 * <pre>{@code
 * @Transactional
 * public void ship(@RowLock("orders") long orderId) { ... }
 * }</pre>
 *
 * <p>On a method the id is an expression over the arguments; on a class or an interface that holds for each public
 * method declared there or in a subclass that has no {@code @RowLock} of its own. All rows of one call are locked
 * together, in one round trip and one order, so calls never deadlock with each other, unless they lock rows of one
 * table in several modes with strategy {@code ROW}:
 *
 * <pre>{@code
 * @Transactional
 * @RowLock(table = "orders", id = "#command.orderId", mode = FOR_SHARE, lockWait = "200ms")
 * public void quote(Quote command) { ... }
 * }</pre>
 *
 * <p>Works as a meta-annotation. Without a transaction the call fails and nothing is locked. Where no transaction runs
 * yet, the caller first queues in the JVM for its keys, before a connection is borrowed. A call within the same object
 * ({@code this.ship(1)}) does not pass the proxy and locks nothing, as with {@code @Transactional}.
 *
 * <p>Throws Spring's exceptions with Rowlock's as their cause: {@code CannotAcquireLockException} if the lock is not
 * available or in a deadlock; see {@link LockExceptionTranslator}.
 */
@Target({ElementType.PARAMETER, ElementType.METHOD, ElementType.TYPE, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Repeatable(RowLock.Several.class)
@Inherited
@Documented
public @interface RowLock {

    /**
     * The table; the short form of {@link #table}.
     *
     * @return its name, as in SQL
     */
    @AliasFor("table")
    String value() default "";

    /**
     * The table, or else give {@link #entity}.
     *
     * @return its name, as in SQL: {@code orders}, {@code shop.orders}, {@code "Orders"} with its quotes
     */
    @AliasFor("value")
    String table() default "";

    /**
     * The entity whose table it is, instead of {@link #table}. The name comes from Hibernate where that knows the
     * entity, and else from JPA's {@code @Table} and {@code @Entity}.
     *
     * @return the entity class; {@code void} for none
     */
    Class<?> entity() default void.class;

    /**
     * The id as a SpEL expression over the arguments, such as {@code "#command.orderId"}. A collection or an array of
     * ids locks all of them. It is evaluated once in a call, unless other advice inside the transaction may have
     * changed the arguments since the call queued. Several expressions are the parts of one composite id, in the order
     * of the primary key. On a parameter it must be empty, as the argument is the id.
     *
     * @return the expression, or one per part
     */
    String[] id() default {};

    /**
     * How strongly. Default {@link RowLockMode#FOR_NO_KEY_UPDATE}, which an {@code UPDATE} takes, and which Hibernate
     * usually takes for {@code PESSIMISTIC_WRITE} (not always: see
     * <a href="https://github.com/rowlock/rowlock/blob/main/docs/modes.md">what each way sends</a>). It excludes
     * all writers, and lets inserts pass that reference the row. {@link RowLockMode#FOR_UPDATE}, which makes those
     * wait, is for a method that deletes the row or changes its key.
     *
     * @return the mode
     */
    RowLockMode mode() default RowLockMode.FOR_NO_KEY_UPDATE;

    /**
     * How long to wait for other transactions: {@code forever}, {@code nowait}, or a duration such as {@code 200ms} or
     * {@code 2s}; placeholders ({@code ${...}}) are resolved. In any case no longer than what remains of the
     * transaction's timeout. It spans the queue in the JVM and the server. All {@code @RowLock} of a call must agree.
     *
     * @return the wait; empty for the configured default, which is {@code forever}
     */
    String lockWait() default "";

    /**
     * Whether there must be a row. If there is none, the call ends with an
     * {@link org.springframework.dao.EmptyResultDataAccessException} before the first line of the method, as nothing
     * would be locked for it: {@code FOR UPDATE} of no row locks nothing either. With strategy {@code ADVISORY} nothing
     * looks for the row. Say false where the method inserts the row, or handles that it is missing.
     *
     * @return default true; a method that returns an {@link java.util.Optional} does not require the row
     */
    boolean required() default true;

    /** Several {@link RowLock} of one method, class or parameter. */
    @Target({ElementType.PARAMETER, ElementType.METHOD, ElementType.TYPE, ElementType.ANNOTATION_TYPE})
    @Retention(RetentionPolicy.RUNTIME)
    @Inherited
    @Documented
    @interface Several {
        /** {@return the annotations} */
        RowLock[] value();
    }
}
