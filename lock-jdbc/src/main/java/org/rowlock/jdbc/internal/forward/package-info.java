/**
 * Classes that forward each method of a JDBC interface to a delegate. The build generates most of these classes with
 * {@code src/build/ForwardingWriter.java}. The generated classes have no nullness annotations, because JDBC has none.
 */
@NullMarked
package org.rowlock.jdbc.internal.forward;

import org.jspecify.annotations.NullMarked;
