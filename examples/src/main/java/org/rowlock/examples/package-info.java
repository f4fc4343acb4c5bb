/**
 * Programs to copy from, one file each. {@link org.rowlock.examples.Sql} sends their SQL by plain JDBC. Start with
 * {@link org.rowlock.examples.MoneyTransfer}, {@link org.rowlock.examples.JobQueue} and {@link
 * org.rowlock.examples.SeatReservation}. The documentation shows regions of these programs.
 */
@NullMarked
package org.rowlock.examples;

import org.jspecify.annotations.NullMarked;
