/**
 * Determines from the text of a statement which row the statement locks. Start at
 * {@link org.rowlock.jdbc.internal.statement.StatementRecogniser}.
 */
@NullMarked
package org.rowlock.jdbc.internal.statement;

import org.jspecify.annotations.NullMarked;
