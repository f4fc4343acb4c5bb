/** A profiler for JMH that measures the effect of a benchmark on the server. */
@NullMarked
package org.rowlock.jmh.profile;

import org.jspecify.annotations.NullMarked;
