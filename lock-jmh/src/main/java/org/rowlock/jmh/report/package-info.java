/** Shows the results of a comparison: a page that draws itself, the same as JSON, and a table for the terminal. */
@NullMarked
package org.rowlock.jmh.report;

import org.jspecify.annotations.NullMarked;
