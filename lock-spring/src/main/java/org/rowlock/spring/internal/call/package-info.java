/**
 * The common path of all locks in Spring: a {@code LockedCall} in a {@code SpringTransaction}. Applications must not
 * use this package: its types are public for the sibling packages alone, and change without notice.
 */
@NullMarked
package org.rowlock.spring.internal.call;

import org.jspecify.annotations.NullMarked;
