/**
 * What several callers who wait for one key would write, in one transaction of one of them: the writes of calls
 * ({@link org.rowlock.internal.group.Groups}), or the statement of an application
 * ({@link org.rowlock.internal.group.StatementMember}). What both share is in
 * {@link org.rowlock.internal.group.SharedTransactions}.
 */
@NullMarked
package org.rowlock.internal.group;

import org.jspecify.annotations.NullMarked;
