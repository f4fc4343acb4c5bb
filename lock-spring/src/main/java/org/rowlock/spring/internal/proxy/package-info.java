/**
 * The proxies of beans with {@link org.rowlock.spring.RowLock}. Start at {@code LockChains}, which adds interceptors to
 * these proxies. Applications must not use this package: its types are public only for the sibling packages, and change
 * without notice.
 */
@NullMarked
package org.rowlock.spring.internal.proxy;

import org.jspecify.annotations.NullMarked;
