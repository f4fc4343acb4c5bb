/** What the application gets in place of the driver's connection, statements and results. */
@NullMarked
package org.rowlock.jdbc.internal.wrap;

import org.jspecify.annotations.NullMarked;
