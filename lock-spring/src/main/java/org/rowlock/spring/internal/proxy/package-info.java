/**
 * The proxies of beans with {@link org.rowlock.spring.RowLock}: {@code LockChains} completes them with interceptors.
 * Applications must not use this package: its types are public for the sibling packages alone, and change without
 * notice.
 */
@NullMarked
package org.rowlock.spring.internal.proxy;

import org.jspecify.annotations.NullMarked;
