package org.rowlock.spring;

import org.rowlock.LockWait;

/**
 * What holds for the whole application; make a bean of it to change the defaults. With Spring Boot the properties
 * {@code rowlock.*} do that.
 *
 * @param defaultWait how long to wait where nothing is said. Default {@link LockWait#forever()}, within the timeout of the
 *     transaction
 * @param admission whether calls queue in the JVM before a connection is borrowed. Default true
 * @param verify whether to prove at startup that advisory locks exclude, and that the tables exist. Default true
 */
public record RowLockSettings(LockWait defaultWait, boolean admission, boolean verify) {
    /**
     * The defaults.
     *
     * @return wait forever, admission, verify
     */
    public static RowLockSettings defaults() {
        return new RowLockSettings(LockWait.forever(), true, true);
    }
}
