/**
 * Programs to copy from, one file each. Start with {@link org.rowlock.examples.MoneyTransfer}, {@link
 * org.rowlock.examples.JobQueue} and {@link org.rowlock.examples.SeatReservation}. The class {@link
 * org.rowlock.examples.Migration} shows the configuration of strategies. The documentation shows regions of these
 * programs.
 */
@NullMarked
package org.rowlock.examples;

import org.jspecify.annotations.NullMarked;
