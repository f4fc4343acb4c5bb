/**
 * Determines which row a statement locks, from the text and the values of the statement and the primary key of the
 * table.
 */
@NullMarked
package org.rowlock.jdbc.internal.row;

import org.jspecify.annotations.NullMarked;
