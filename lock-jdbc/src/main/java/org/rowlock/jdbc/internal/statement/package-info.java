/**
 * Recognises the statements that lock rows, from their text alone. Start at {@link
 * org.rowlock.jdbc.internal.statement.StatementRecogniser}.
 */
@NullMarked
package org.rowlock.jdbc.internal.statement;

import org.jspecify.annotations.NullMarked;
