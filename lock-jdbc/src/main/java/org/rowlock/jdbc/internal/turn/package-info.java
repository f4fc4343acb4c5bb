/** Whose turn it is: what a connection may hold, and whether a statement is to wait before it goes to the server. */
@NullMarked
package org.rowlock.jdbc.internal.turn;

import org.jspecify.annotations.NullMarked;
