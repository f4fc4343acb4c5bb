/**
 * Groups: what several callers who wait for one key would write, in one transaction of one of them. Start at
 * {@link org.rowlock.internal.group.Groups}.
 */
@NullMarked
package org.rowlock.internal.group;

import org.jspecify.annotations.NullMarked;
