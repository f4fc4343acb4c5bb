/**
 * The programs of docs/which-key.md and docs/many-rows.md. These programs show which key to lock if there is no row,
 * and how to lock many rows in one order. Start at {@link org.rowlock.examples.key.Bookings}.
 */
@NullMarked
package org.rowlock.examples.key;

import org.jspecify.annotations.NullMarked;
