/**
 * The one room that each lock in Spring passes: a {@code LockedCall} in a {@code SpringTransaction}.
 * Not for applications: types are public here for the other rooms alone, and change without notice.
 */
@NullMarked
package org.rowlock.spring.internal.call;

import org.jspecify.annotations.NullMarked;
