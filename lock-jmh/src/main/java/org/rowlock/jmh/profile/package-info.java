/** Profilers for JMH: what a benchmark does to the server, and how long parts of an operation take. */
@NullMarked
package org.rowlock.jmh.profile;

import org.jspecify.annotations.NullMarked;
