/**
 * The row that a statement is to lock, read from its text alone. Start at {@link
 * org.rowlock.jdbc.internal.statement.StatementRecogniser}.
 */
@NullMarked
package org.rowlock.jdbc.internal.statement;

import org.jspecify.annotations.NullMarked;
