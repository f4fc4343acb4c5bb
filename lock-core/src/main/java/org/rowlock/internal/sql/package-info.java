/**
 * The texts and parameters of the statements for a request, and the classes that read their results. The classes of
 * this package send no statements; they use a connection only to create array parameters.
 */
@NullMarked
package org.rowlock.internal.sql;

import org.jspecify.annotations.NullMarked;
