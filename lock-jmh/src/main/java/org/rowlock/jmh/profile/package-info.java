/** Profilers for JMH: the effect of a benchmark on the server, and the time that parts of an operation take. */
@NullMarked
package org.rowlock.jmh.profile;

import org.jspecify.annotations.NullMarked;
