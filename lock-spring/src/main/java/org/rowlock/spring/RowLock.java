package org.rowlock.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.rowlock.RowLockMode;
import org.springframework.core.annotation.AliasFor;

/**
 * Locks rows for the transaction of a method, as {@code SELECT ... FOR NO KEY UPDATE} at the beginning of the method
 * would. The lock is acquired after the transaction has begun and before the first line of the method runs, and is held
 * until the transaction ends. There is no method to unlock.
 *
 * <p>On a parameter, the annotation locks the row whose id is the argument, or all rows of a collection of ids:
 *
 * <pre>{@code
 * @Transactional
 * public void ship(@RowLock("orders") long orderId) { ... }
 * }</pre>
 *
 * <p>On a method, the id is an expression over the arguments:
 *
 * <pre>{@code
 * @Transactional
 * @RowLock(table = "orders", id = "#command.orderId", mode = FOR_SHARE, lockWait = "200ms")
 * public void quote(Quote command) { ... }
 * }</pre>
 *
 * <p>All rows of one call are locked together, in one round trip and in a fixed order. Transactions that each make one
 * such call therefore do not deadlock with each other. The exceptions are calls with strategy {@code ROW} that lock
 * rows of one table in several modes, or under several names of the table.
 *
 * <p>The annotation can be used as a meta-annotation. Without a transaction the call fails and locks nothing. If a call
 * begins a transaction, it first queues in the JVM for its keys, and then borrows a connection. A call within the same
 * object ({@code this.ship(1)}) bypasses the proxy and locks nothing, as with {@code @Transactional}.
 *
 * <p>A call throws Spring's exceptions, with Rowlock's exception as the cause: for example {@code
 * CannotAcquireLockException} if the lock is not available; see {@link LockExceptionTranslator}.
 */
@Target({ElementType.PARAMETER, ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Repeatable(RowLock.Several.class)
@Documented
public @interface RowLock {

    /**
     * The table; the short form of {@link #table}.
     *
     * @return the name of the table, as in SQL
     */
    @AliasFor("table")
    String value() default "";

    /**
     * The table; alternatively set {@link #entity}.
     *
     * @return the name of the table, as in SQL: {@code orders}, {@code shop.orders}, {@code "Orders"} with its quotes
     */
    @AliasFor("value")
    String table() default "";

    /**
     * The entity whose rows are locked; an alternative to {@link #table}. Hibernate's mapping names the table.
     *
     * @return the entity class; {@code void} for none
     */
    Class<?> entity() default void.class;

    /**
     * The id as a SpEL expression over the arguments, such as {@code "#command.orderId"}. If the value is a collection
     * or an array of ids, all of these rows are locked. Rowlock evaluates the expression once per call, before the
     * transaction begins. If this evaluation fails, or if other advice may have changed the arguments, Rowlock
     * evaluates the expression again in the transaction. Several expressions are the parts of one composite id, in the
     * order of the primary key. On a parameter this attribute must be empty, because the argument is the id.
     *
     * @return the expression, or an expression for each part of the id
     */
    String[] id() default {};

    /**
     * The lock mode. The default is {@link RowLockMode#FOR_NO_KEY_UPDATE}, the mode of an {@code UPDATE} that changes
     * no key. Hibernate's {@code PESSIMISTIC_WRITE} usually sends this mode too; see <a
     * href="https://github.com/rowlock/rowlock/blob/main/docs/modes.md">the modes that libraries send</a>. A row lock
     * in this mode excludes all writers, but does not block inserts that reference the row. {@link
     * RowLockMode#FOR_UPDATE} blocks those inserts too. Use {@code FOR_UPDATE} in a method that deletes the row or
     * changes its key.
     *
     * @return the mode
     */
    RowLockMode mode() default RowLockMode.FOR_NO_KEY_UPDATE;

    /**
     * How long to wait for other transactions: {@code forever}, {@code nowait}, or a duration such as {@code 200ms} or
     * {@code 2s} (without a unit: milliseconds); placeholders ({@code ${...}}) are resolved. The wait includes the time
     * in the queue of the JVM and at the server. The wait never exceeds the rest of the transaction's timeout. All
     * {@code @RowLock} annotations of a method that set a wait must set the same wait.
     *
     * @return the wait; empty for the application's default, which is {@code forever} unless configured
     */
    String lockWait() default "";

    /**
     * Whether the row must exist. If a required row is absent, the call throws an {@link
     * org.springframework.dao.EmptyResultDataAccessException} before the first line of the method runs. Without this
     * check the method would run without a lock, because {@code FOR UPDATE} locks nothing if there is no row. With
     * strategy {@code ADVISORY} Rowlock does not check whether the row exists. Set this attribute to false if the
     * method inserts the row, or handles the absence of the row. With JPA's {@code TABLE_PER_CLASS}, then name the
     * table of the concrete class, because a row of another table counts as absent.
     *
     * @return true by default; a method that returns an {@link java.util.Optional} never requires the row
     */
    boolean required() default true;

    /** The container of several {@link RowLock} on one method or parameter. */
    @Target({ElementType.PARAMETER, ElementType.METHOD, ElementType.ANNOTATION_TYPE})
    @Retention(RetentionPolicy.RUNTIME)
    @Documented
    @interface Several {
        /** {@return the annotations} */
        RowLock[] value();
    }
}
