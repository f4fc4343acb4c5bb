/**
 * From a request to the text and parameters of its statements, and from a result row to what the check saw. Nothing
 * here talks to a server.
 */
@NullMarked
package org.rowlock.internal.sql;

import org.jspecify.annotations.NullMarked;
