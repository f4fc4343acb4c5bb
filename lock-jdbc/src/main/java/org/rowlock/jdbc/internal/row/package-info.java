/** Determines which row a statement locks, from the statement's text and values, and the table's primary key. */
@NullMarked
package org.rowlock.jdbc.internal.row;

import org.jspecify.annotations.NullMarked;
