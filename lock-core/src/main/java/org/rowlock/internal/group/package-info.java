/**
 * Runs, in one transaction, the writes of several callers that wait for the same key. {@link
 * org.rowlock.internal.group.Groups} is for calls of Rowlock with writes, and {@link
 * org.rowlock.internal.group.StatementMember} for single statements that the drop-in forwards. Both use {@link
 * org.rowlock.internal.group.SharedTransactions}.
 */
@NullMarked
package org.rowlock.internal.group;

import org.jspecify.annotations.NullMarked;
