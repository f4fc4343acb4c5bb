/**
 * The texts of PostgreSQL: ids and their types, names of tables, tokens of SQL, SQLSTATEs, and SQL that several
 * packages share. This package depends on no other package of Rowlock.
 */
@NullMarked
package org.rowlock.internal.text;

import org.jspecify.annotations.NullMarked;
