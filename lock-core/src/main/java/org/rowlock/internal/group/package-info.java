/**
 * The writes of several callers that wait for one key, in one transaction of one of them. {@link
 * org.rowlock.internal.group.Groups} has the writes of calls, and {@link org.rowlock.internal.group.StatementMember}
 * the statement of an application. Both use {@link org.rowlock.internal.group.SharedTransactions}.
 */
@NullMarked
package org.rowlock.internal.group;

import org.jspecify.annotations.NullMarked;
