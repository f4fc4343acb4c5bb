/**
 * The texts of PostgreSQL: ids and their types, names of tables, tokens of SQL, SQLSTATEs. The classes of this package
 * only process texts. The package depends on no other package of Rowlock.
 */
@NullMarked
package org.rowlock.internal.text;

import org.jspecify.annotations.NullMarked;
