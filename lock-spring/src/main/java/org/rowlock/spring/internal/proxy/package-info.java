/**
 * The proxies of beans with {@link org.rowlock.spring.RowLock}: {@code LockChains} completes them with interceptors.
 * Not for applications: types are public here for the other rooms alone, and change without notice.
 */
@NullMarked
package org.rowlock.spring.internal.proxy;

import org.jspecify.annotations.NullMarked;
