/**
 * The words of PostgreSQL: ids and their types, names of tables, comments, SQLSTATEs. The room has texts alone, and is
 * below all others.
 */
@NullMarked
package org.rowlock.internal.text;

import org.jspecify.annotations.NullMarked;
