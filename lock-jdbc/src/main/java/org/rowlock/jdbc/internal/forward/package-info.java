/**
 * JDBC's interfaces, each handed on as a whole by a class that the build writes
 * ({@code src/build/ForwardingWriter.java}). Those are without null marks, as JDBC has none.
 */
@NullMarked
package org.rowlock.jdbc.internal.forward;

import org.jspecify.annotations.NullMarked;
