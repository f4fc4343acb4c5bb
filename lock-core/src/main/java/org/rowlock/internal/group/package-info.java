/**
 * Runs the writes of several callers that wait for one key in one transaction. {@link
 * org.rowlock.internal.group.Groups} handles the writes of calls. {@link
 * org.rowlock.internal.group.SharedTransactions} is also used by the drop-in, for the statements of an application.
 */
@NullMarked
package org.rowlock.internal.group;

import org.jspecify.annotations.NullMarked;
