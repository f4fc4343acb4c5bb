/**
 * The vocabulary of PostgreSQL: ids and their types, names of tables, comments, SQLSTATEs. This package handles texts
 * alone, and depends on no other.
 */
@NullMarked
package org.rowlock.internal.text;

import org.jspecify.annotations.NullMarked;
