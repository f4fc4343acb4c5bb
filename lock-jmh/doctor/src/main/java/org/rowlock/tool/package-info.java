/**
 * The command-line options that select a server, and the messages for its failures. The doctor and the benchmarks share
 * this package. Start at {@link org.rowlock.tool.ToolCommand}.
 */
@NullMarked
package org.rowlock.tool;

import org.jspecify.annotations.NullMarked;
