/** The connection, statements and results that the application gets in place of the driver's own objects. */
@NullMarked
package org.rowlock.jdbc.internal.wrap;

import org.jspecify.annotations.NullMarked;
