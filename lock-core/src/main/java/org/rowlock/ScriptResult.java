package org.rowlock;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a script returned.
 *
 * @param guard what the advisory lock's guard saw, or null where there was none
 * @param found per group of row locks, the ordinal numbers of the rows that exist
 * @param rows the caller's query, mapped; empty where there was none
 */
record ScriptResult<T>(@Nullable Guard guard, List<List<Integer>> found, List<T> rows) {}
