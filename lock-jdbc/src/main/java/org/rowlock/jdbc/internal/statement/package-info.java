/**
 * What a statement is to lock, told from its text alone: from
 * {@link org.rowlock.jdbc.internal.statement.StatementRecogniser}.
 */
@NullMarked
package org.rowlock.jdbc.internal.statement;

import org.jspecify.annotations.NullMarked;
