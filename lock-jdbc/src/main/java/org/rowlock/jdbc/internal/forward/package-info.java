/**
 * JDBC's interfaces, each handed on as a whole by a class that the build writes
 * ({@code src/build/ForwardingWriter.java}). Without null marks, as JDBC has none.
 */
package org.rowlock.jdbc.internal.forward;
