/**
 * Runs the writes of several callers that wait for one key in one transaction. {@link
 * org.rowlock.internal.group.Groups} handles the writes of calls, and {@link
 * org.rowlock.internal.group.StatementMember} the statement of an application. Both use {@link
 * org.rowlock.internal.group.SharedTransactions}.
 */
@NullMarked
package org.rowlock.internal.group;

import org.jspecify.annotations.NullMarked;
