/**
 * The text and parameters of the statements for a request, and the findings in their results. This package does not use
 * a connection.
 */
@NullMarked
package org.rowlock.internal.sql;

import org.jspecify.annotations.NullMarked;
