/**
 * Classes that forward each method of a JDBC interface to a delegate. The build writes them
 * ({@code src/build/ForwardingWriter.java}). They have no null marks, because JDBC has none.
 */
@NullMarked
package org.rowlock.jdbc.internal.forward;

import org.jspecify.annotations.NullMarked;
