/**
 * The code that every lock in Spring uses: each lock is a {@code LockedCall} in a {@code SpringTransaction}.
 * Applications must not use this package: its types are public only for the sibling packages, and change without
 * notice.
 */
@NullMarked
package org.rowlock.spring.internal.call;

import org.jspecify.annotations.NullMarked;
