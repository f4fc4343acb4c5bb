package org.rowlock;

import org.jspecify.annotations.Nullable;

/**
 * The values of one call that a script is bound to.
 *
 * @param request the locks
 * @param query the query behind them, if there is one
 */
record ScriptValues(LockRequest request, @Nullable LockQuery<?> query) {}
