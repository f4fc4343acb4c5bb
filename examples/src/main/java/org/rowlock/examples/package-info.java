/**
 * Programs to copy from, one file each: {@link org.rowlock.examples.MoneyTransfer},
 * {@link org.rowlock.examples.JobQueue}, {@link org.rowlock.examples.SeatReservation}, and
 * {@link org.rowlock.examples.Migration} for the configuration. The documentation shows regions of these programs.
 */
@NullMarked
package org.rowlock.examples;

import org.jspecify.annotations.NullMarked;
