/**
 * Which key is locked when there is no row, and many rows in one order: the programs of docs/which-key.md and
 * docs/many-rows.md. Start at {@link org.rowlock.examples.key.Bookings}.
 */
@NullMarked
package org.rowlock.examples.key;

import org.jspecify.annotations.NullMarked;
