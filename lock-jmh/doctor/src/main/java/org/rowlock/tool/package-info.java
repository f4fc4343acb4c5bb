/**
 * What the doctor and the benchmarks share: the address of a server, the options that name it, and failures as advice.
 * Start at {@link org.rowlock.tool.ToolCommand}.
 */
@NullMarked
package org.rowlock.tool;

import org.jspecify.annotations.NullMarked;
