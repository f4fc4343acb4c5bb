/**
 * What PostgreSQL calls things: ids and their types, names of tables, comments, SQLSTATEs. Texts alone, below
 * everything else.
 */
@NullMarked
package org.rowlock.internal.text;

import org.jspecify.annotations.NullMarked;
