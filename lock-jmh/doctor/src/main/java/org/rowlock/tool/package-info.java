/**
 * Names a server, by options of a command line, and turns its failures into advice. The doctor and the benchmarks share
 * it. Start at {@link org.rowlock.tool.ToolCommand}.
 */
@NullMarked
package org.rowlock.tool;

import org.jspecify.annotations.NullMarked;
