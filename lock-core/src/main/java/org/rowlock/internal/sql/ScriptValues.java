package org.rowlock.internal.sql;

import org.jspecify.annotations.Nullable;
import org.rowlock.internal.request.LockQuery;
import org.rowlock.internal.request.ResolvedRequest;

/**
 * The values of one call that a script is bound to.
 *
 * @param request the locks
 * @param query the query behind them, if there is one
 */
public record ScriptValues(
        ResolvedRequest request, @Nullable LockQuery<?> query) {}
