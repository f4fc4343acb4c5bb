/** Shows the results of a comparison as an HTML page, as JSON, and as a table for the terminal. */
@NullMarked
package org.rowlock.jmh.report;

import org.jspecify.annotations.NullMarked;
